"""What onefold's execution provider does inside of ONNX Runtime; what is asserted of values is what NumPy or the CPU provider gives."""
import concurrent.futures
import unittest

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto

import models
import onefold_provider
from onefold_provider import NAME, make_session, nodes_by_provider, run

CPU = "CPUExecutionProvider"


def normal(shape, dtype=np.float32, seed=3):
    return np.random.default_rng(seed).normal(0, 1, shape).astype(dtype)


def setUpModule():
    onefold_provider.register()


def tearDownModule():
    onefold_provider.unregister()


class Registration(unittest.TestCase):
    def test_again_and_again(self):
        model = models.one_node("ReduceMean", [[3, 4]], axes=[1])
        x = normal((3, 4))
        for _ in range(3):
            onefold_provider.unregister()
            self.assertEqual(onefold_provider.devices(), [])
            onefold_provider.register()
            self.assertEqual([device.ep_vendor for device in onefold_provider.devices()], ["onefold"])
            y, = run(make_session(model, alone=True, claim="all"), {"x0": x})
            np.testing.assert_allclose(y, x.mean(1, keepdims=True), rtol=1e-6)

    def test_an_unknown_claim_is_refused(self):
        with self.assertRaises(Exception) as raised:
            make_session(models.one_node("ReduceMean", [[3, 4]], axes=[1]), claim="most", alone=True)
        # The Python package of older versions tries the CPU provider when the first exception came.
        messages = f"{raised.exception} {raised.exception.__context__}"
        self.assertIn('provider option claim is "most"; it must be fast or all', messages)

    def test_sessions_come_and_go(self):
        model = models.pattern("softmax", (4, 8), 18)
        x = normal((4, 8))
        expected, = run(make_session(model, claim="none"), {"x": x})
        for _ in range(50):
            y, = run(make_session(model, claim="all"), {"x": x})
            np.testing.assert_allclose(y, expected, rtol=1e-5)


class Shapes(unittest.TestCase):
    def test_an_open_batch(self):
        session = make_session(models.one_node("ReduceMean", [["batch", 7]], axes=[1]), claim="all", alone=True)
        for batch in (1, 5, 0, 3, 5, 200):
            x = normal((batch, 7), seed=batch)
            np.testing.assert_allclose(run(session, {"x0": x})[0], x.mean(1, keepdims=True), rtol=1e-5, atol=1e-6)

    def test_more_shapes_than_are_kept(self):
        session = make_session(models.pattern("layer_norm", (1, 9), 13, declared=["rows", 9]), claim="all", optimize=False)
        for _ in range(2):
            for rows in range(1, 100):
                x = normal((rows, 9), seed=rows)
                y, = run(session, {"x": x})
                np.testing.assert_allclose(y.shape, x.shape)
                self.assertTrue(np.isfinite(y).all())

    def test_axes_that_are_an_input(self):
        session = make_session(models.one_node("ReduceSum", [["a", "b", "c"]], axes="input", keepdims=0), claim="all", alone=True)
        for shape in ((2, 3, 4), (5, 1, 2)):
            x = normal(shape)
            for axes in ((1,), (0, -1), (0, 1, 2), (2,)):
                y, = run(session, {"x0": x, "axes": np.array(axes, np.int64)})
                np.testing.assert_allclose(y, x.sum(axes), rtol=1e-4, atol=1e-5)
            y, = run(session, {"x0": x, "axes": np.array([], np.int64)})
            np.testing.assert_allclose(y, x.sum(), rtol=1e-4, atol=1e-5)

    def test_wrong_axes_are_refused_and_do_no_harm(self):
        session = make_session(models.one_node("ReduceSum", [["a", "b"]], axes="input"), claim="all", alone=True)
        x = normal((2, 3))
        for axes, words in (((2,), "axis 2 is not in"), ((0, 0), "given twice"), ((0, -2), "given twice")):
            with self.assertRaisesRegex(Exception, words):
                run(session, {"x0": x, "axes": np.array(axes, np.int64)})
        np.testing.assert_allclose(run(session, {"x0": x, "axes": np.array([1])})[0], x.sum(1, keepdims=True), rtol=1e-5)

    def test_shapes_that_do_not_fit_are_refused(self):
        session = make_session(models.one_node("Add", [["a"], ["b"]]), claim="all", alone=True)
        with self.assertRaisesRegex(Exception, r'node 0 \(Add "Add_0", opset 18\): '):
            run(session, {"x0": normal(3), "x1": normal(4)})
        np.testing.assert_allclose(run(session, {"x0": normal(3), "x1": normal(1)})[0], normal(3) + normal(1))

    def test_axes_that_a_node_of_ours_computes_stay_with_the_host(self):
        b = models.Builder(18)
        x = b.input("x", [2, 3])
        axes = b.node("Add", b.input("a", [1], TensorProto.INT64), b.constant([1], np.int64))
        b.output(b.node("ReduceMax", x, axes))
        inputs = {"x": normal((2, 3)), "a": np.array([0])}
        y, = run(make_session(b.model(), claim="all"), inputs)
        np.testing.assert_array_equal(y, inputs["x"].max(1, keepdims=True))

    def test_views_between_nodes(self):
        b = models.Builder(18)
        x = b.input("x", ["n", 6])
        doubled = b.node("Add", x, x)
        folded = b.node("Reshape", doubled, b.constant([0, 2, 3], np.int64))
        b.output(folded)
        b.output(b.reduce("ReduceMax", folded, [1]))
        b.output(b.node("Flatten", b.node("Unsqueeze", x, b.constant([0], np.int64)), axis=2))
        session = make_session(b.model(), claim="all", alone=True, optimize=False)
        for n in (4, 1):
            x = normal((n, 6))
            for y, expected in zip(run(session, {"x": x}),
                                   [(2 * x).reshape(n, 2, 3), (2 * x).reshape(n, 2, 3).max(1, keepdims=True), x]):
                np.testing.assert_array_equal(y, expected)


class Types(unittest.TestCase):
    def test_bf16_models_load_with_onefold_only(self):
        for name in models.PATTERNS:
            model = models.pattern(name, (6, 32), 18, TensorProto.BFLOAT16)
            with self.assertRaisesRegex(Exception, "NOT_IMPLEMENTED"):
                make_session(model, claim="none", optimize=False)
            x = normal((6, 32)).astype(ml_dtypes.bfloat16)
            y, = run(make_session(model, alone=True, optimize=False), {"x": x})
            expected, = run(make_session(models.pattern(name, (6, 32), 18), claim="none"), {"x": x.astype(np.float32)})
            self.assertEqual(y.dtype, x.dtype)
            np.testing.assert_allclose(y.astype(np.float32), expected, rtol=0.03, atol=0.03)

    def test_f16(self):
        for name in models.PATTERNS:
            model = models.pattern(name, (6, 32), 18, TensorProto.FLOAT16)
            x = normal((6, 32), np.float16)
            expected, = run(make_session(model, claim="none", optimize=False), {"x": x})
            self.assertEqual(nodes_by_provider(model, {"x": x}, optimize=False), {NAME: 1})
            y, = run(make_session(model, optimize=False), {"x": x})
            np.testing.assert_allclose(y.astype(np.float32), expected.astype(np.float32), rtol=4e-3, atol=4e-3)

    def test_types_that_the_cpu_provider_lacks(self):
        for op, dtype, elem_type in (("ReduceMax", np.uint64, TensorProto.UINT64), ("ReduceSum", np.uint32, TensorProto.UINT32),
                                     ("Max", np.int16, TensorProto.INT16), ("Mean", np.float64, TensorProto.DOUBLE)):
            x = np.arange(12, dtype=dtype).reshape(3, 4)
            is_reduction = op.startswith("Reduce")
            model = models.one_node(op, [[3, 4]] * (1 if is_reduction else 2), elem_type, axes=[1] if is_reduction else None)
            with self.assertRaisesRegex(Exception, "NOT_IMPLEMENTED"):
                make_session(model, claim="none")
            y, = run(make_session(model, alone=True), {"x0": x} if is_reduction else {"x0": x, "x1": x})
            expected = {"ReduceMax": x.max(1, keepdims=True), "ReduceSum": x.sum(1, keepdims=True)}.get(op, x)
            np.testing.assert_array_equal(y, expected)


class Patterns(unittest.TestCase):
    def test_each_is_one_node(self):
        x = normal((24, 96))
        for opset in (13, 18):
            for name in models.PATTERNS:
                for declared in (None, ["rows", 96]):
                    model = models.pattern(name, x.shape, opset, declared=declared)
                    expected, = run(make_session(model, claim="none", optimize=False), {"x": x})
                    y, = run(make_session(model, claim="all", optimize=False, alone=True), {"x": x})
                    np.testing.assert_allclose(y, expected, rtol=2e-5, atol=2e-6, err_msg=f"{name}, opset {opset}")
                    self.assertEqual(nodes_by_provider(model, {"x": x}, claim="all", optimize=False), {NAME: 1})

    def test_an_encoder_of_which_some_nodes_are_ours(self):
        model = models.encoder()
        for claim in ("fast", "all"):
            session = make_session(model, claim=claim)
            for batch, length in ((2, 10), (1, 3), (2, 10)):
                x = normal((batch, length, 64), seed=batch)
                expected, = run(make_session(model, claim="none"), {"x": x})
                np.testing.assert_allclose(run(session, {"x": x})[0], expected, rtol=1e-4, atol=1e-5)
            providers = nodes_by_provider(model, {"x": normal((2, 10, 64))}, claim=claim)
            self.assertGreaterEqual(providers[NAME], 3, providers)
            self.assertGreater(providers[CPU], 0, providers)

    def test_a_convolution_net(self):
        model = models.convolution_net()
        for claim in ("fast", "all"):
            x = normal((3, 3, 16, 16))
            expected, = run(make_session(model, claim="none"), {"x": x})
            np.testing.assert_allclose(run(make_session(model, claim=claim), {"x": x})[0], expected, rtol=1e-4, atol=1e-6)
            providers = nodes_by_provider(model, {"x": x}, claim=claim)
            self.assertGreater(providers[NAME], 0, providers)
            self.assertGreater(providers[CPU], 0, providers)

    def test_graphs_inside_of_nodes(self):
        model = models.branches()
        for claim in ("fast", "all"):
            session = make_session(model, claim=claim)
            for rows in (2, 4):
                x = normal((rows, 5), seed=rows)
                mean, = run(session, {"x": x, "flag": np.array(True)})
                most, = run(session, {"x": x, "flag": np.array(False)})
                np.testing.assert_allclose(mean, (4 * x * x).mean(1, keepdims=True), rtol=1e-5)
                np.testing.assert_allclose(most, (4 * x * x).max(1, keepdims=True), rtol=1e-5)

    def test_no_group_waits_for_itself(self):
        # Ours, then the host's, then ours that reads both: one group of the two would be a cycle.
        b = models.Builder(18)
        x = b.input("x", [4, 6])
        mean = b.reduce("ReduceMean", x, [1])
        sine = b.node("Sin", mean)
        b.output(b.node("Mul", b.node("Sub", x, mean), sine))
        x = normal((4, 6))
        m = x.mean(1, keepdims=True)
        for claim, nodes in (("fast", {NAME: 1, CPU: 2}), ("all", {NAME: 2, CPU: 1})):
            y, = run(make_session(b.model(), claim=claim), {"x": x})
            np.testing.assert_allclose(y, (x - m) * np.sin(m), rtol=1e-4, atol=1e-6)
            self.assertEqual(nodes_by_provider(b.model(), {"x": x}, claim=claim), nodes)

    def test_lone_reductions_are_taken_where_they_are_faster(self):
        for op, shape, axes, taken in (("ReduceMean", (64, 96), [0], True), ("ReduceMean", (64, 96), [1], False),
                                       ("ReduceSum", (4096, 8), [1], True), ("ReduceMean", (64, 96), None, True),
                                       ("ReduceMax", (1, 64, 96), [-2], True), ("ReduceMean", (8, 8), [0], False),
                                       ("ReduceL2", (64, 96), [1], True)):
            model, x = models.one_node(op, [shape], axes=axes), normal(shape)
            expected, = run(make_session(model, claim="none"), {"x0": x})
            np.testing.assert_allclose(run(make_session(model), {"x0": x})[0], expected, rtol=1e-4, atol=1e-5)
            self.assertEqual(nodes_by_provider(model, {"x0": x}), {NAME if taken else CPU: 1}, f"{op} {shape} {axes}")

    def test_a_model_of_nothing_of_ours_is_left_alone(self):
        model = models.one_node("Sin", [[4]])
        self.assertEqual(nodes_by_provider(model, {"x0": normal(4)}, claim="all"), {CPU: 1})
        self.assertEqual(nodes_by_provider(models.one_node("Add", [[4], [4]]), {"x0": normal(4), "x1": normal(4)}), {CPU: 1})


class Threads(unittest.TestCase):
    def test_one_session_in_four_threads(self):
        for threads in (1, 2):
            session = make_session(models.encoder(), claim="all", threads=threads)
            inputs = [normal((1 + i % 3, 4 + i, 64), seed=i) for i in range(8)]
            expected = [run(session, {"x": x})[0] for x in inputs]

            def work(i):
                for step in range(20):
                    at = (i + step) % len(inputs)
                    np.testing.assert_array_equal(run(session, {"x": inputs[at]})[0], expected[at])

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                for future in [pool.submit(work, i) for i in range(4)]:
                    future.result()

    def test_the_same_bits_whatever_the_number_of_threads(self):
        x = normal((3, 500_000))
        model = models.one_node("ReduceMean", [x.shape], axes=[1])
        one, two = (run(make_session(model, claim="all", threads=threads), {"x0": x})[0] for threads in (1, 2))
        np.testing.assert_array_equal(one, two)

    def test_large_work(self):
        x = normal((1000, 3000))
        for name in models.PATTERNS:
            model = models.pattern(name, x.shape, 18)
            expected, = run(make_session(model, claim="none"), {"x": x})
            np.testing.assert_allclose(run(make_session(model, claim="all"), {"x": x})[0], expected, rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    print("ONNX Runtime", onnxruntime.__version__)
    unittest.main()
