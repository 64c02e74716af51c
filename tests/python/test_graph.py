"""Graphs of several ops: how they are built, cut, compiled and looked at."""
import numpy as np
import pytest
from support import BF16, close, compiled, random_array

import onefold


def layer_norm(shape=None):
    graph = onefold.Graph()
    x = graph.input("x", np.float32, shape)
    centred = graph.op("Subtract", x, graph.op("ReduceMean", x, axes=[-1], keep_dims=True))
    variance = graph.op("ReduceMean", graph.op("Square", centred), axes=[-1], keep_dims=True)
    deviation = graph.op("Sqrt", graph.op("Add", variance, graph.constant(np.float32(1e-5))))
    graph.output(graph.op("Divide", centred, deviation), "y")
    return graph


def expected_layer_norm(x):
    x = x.astype(np.float64)
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


@pytest.mark.parametrize("policy", ["fusion", "debug"])
@pytest.mark.parametrize("threads", [0, 1, 2])
def test_layer_norm(policy, threads):
    f = layer_norm().compile(policy=policy, threads=threads)
    for shape in [(4, 16), (2, 3, 100), (7,)]:
        x = random_array(shape, seed=shape[0])
        assert close(f(x), expected_layer_norm(x), "f32")
        assert close(f(np.asfortranarray(x)), f(x), "f32")


def test_partitions():
    fused, single = layer_norm().compile(), layer_norm().compile(policy="debug")
    kinds = sorted(["Subtract", "ReduceMean", "Square", "ReduceMean", "Add", "Sqrt", "Divide"])
    for f in (fused, single):
        assert sorted(kind for p in f.partitions for kind in p.ops) == kinds
        assert all(p.supported and p.steps is None for p in f.partitions)
    assert len(single.partitions) == 7 > len(fused.partitions)
    assert f.partitions[0].inputs[0] == "x" and f.partitions[-1].outputs == ("y",)
    assert len({p.id for p in fused.partitions}) == len(fused.partitions)


def test_steps():
    known = layer_norm((4, 1000)).compile()
    assert all(p.steps for p in known.partitions)
    asked = layer_norm().compile().inspect(random_array((4, 1000)))
    assert [p.steps for p in asked] == [p.steps for p in known.partitions]
    assert any(step.startswith("simd:reduce_rows:") for p in known.partitions for step in p.steps)


def test_lowering_that_the_environment_asks_for(monkeypatch):
    monkeypatch.setenv("ONEFOLD_LOWERING", "onednn")
    x = random_array((4, 100))
    steps = compiled("ReduceSum", "f32", axes=[1]).inspect(x)[0].steps
    assert steps[0].startswith("onednn:reduction")


def test_ports():
    f = layer_norm((None, 8)).compile()
    assert [(p.name, p.dtype, p.shape) for p in f.inputs] == [("x", "f32", (None, 8))]
    assert [(p.name, p.dtype, p.shape) for p in f.outputs] == [("y", "f32", None)]
    assert f.unsupported == ()
    assert "x" in repr(f.inputs[0]) and "ReduceMean" in repr(f.partitions[0])


def test_tensors():
    graph = onefold.Graph()
    x = graph.input("x", "bf16", (2, 3))
    y = graph.op("ReduceSum", x, axes=[0])
    assert (x.name, x.dtype, x.shape) == ("x", "bf16", (2, 3)) and (y.dtype, y.shape) == ("bf16", (3,))
    assert graph.input().name == "input1" and graph.input().shape is None
    assert graph.input("d", np.dtype("int16"), (None, 4)).shape == (None, 4)
    assert [graph.input(dtype=t).dtype for t in (BF16, "bfloat16", bool, int, float)] == ["bf16", "bf16", "boolean", "s64", "f64"]
    assert "bf16" in repr(x)


def test_names():
    graph = onefold.Graph()
    a, b = graph.input("a"), graph.input("b")
    graph.output(graph.op("Subtract", a, b, name="difference"))
    f, x, y = graph.compile(), random_array(5), random_array(5, seed=1)
    assert np.array_equal(f(b=y, a=x), x - y) and np.array_equal(f(x, b=y), x - y)


def test_compiled_graph_does_not_change():
    graph = onefold.Graph()
    x = graph.input("x")
    graph.output(graph.op("Abs", x))
    f = graph.compile()
    graph.output(graph.op("Exp", x))
    assert f(random_array(3)).shape == (3,) and len(graph.compile()(random_array(3))) == 2


def test_input_constant_and_output_twice_come_out():
    graph = onefold.Graph()
    x = graph.input("x")
    y = graph.op("Abs", x)
    for tensor in (x, y, y, graph.constant([1, 2], dtype="s32")):
        graph.output(tensor)
    a = random_array((3, 4)).T
    f = graph.compile()
    x_out, y1, y2, constant = f(a)
    assert np.array_equal(x_out, a) and np.array_equal(y1, abs(a)) and np.array_equal(y1, y2)
    assert constant.tolist() == [1, 2] and constant.dtype == np.int32
    out = np.zeros((4, 3), np.float32)
    f(a, out=(out, None, None, None))
    assert np.array_equal(out, a)


def test_input_that_no_op_reads():
    graph = onefold.Graph()
    graph.input("unused")
    graph.output(graph.op("Abs", graph.input("x")))
    assert graph.compile()(random_array(2), -np.ones(3, np.float32)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("value, dtype, expected", [
    (2, "f32", np.float32(2)), ([1.5, 2], np.float64, np.array([1.5, 2])), (np.float32(3), None, np.float32(3)),
    (np.array([1, 2], BF16), None, np.array([1, 2], BF16)), (np.array([1.0], BF16).view(np.uint16), "bf16", np.array([1], BF16)),
    (np.arange(6, dtype=np.int16).reshape(2, 3).T, None, np.arange(6, dtype=np.int16).reshape(2, 3).T), (True, None, np.True_),
])
def test_constant(value, dtype, expected):
    graph = onefold.Graph()
    graph.output(graph.op("Reorder", graph.constant(value, dtype)))
    result = graph.compile()()
    assert np.array_equal(result.view(BF16) if expected.dtype == BF16 else result, expected)


def test_axes_as_a_tensor():
    graph = onefold.Graph()
    x, axes = graph.input("x"), graph.input("axes", "s64")
    graph.output(graph.op("ReduceSum", x, axes))
    f, a = graph.compile(), random_array((3, 4, 5))
    for chosen in ([0], [1], [2], [0, 1], [-1], [0, 1, 2]):
        assert close(f(a, np.array(chosen)), a.astype(np.float64).sum(tuple(chosen)), "f32")
    assert close(f(a, np.array([9, 2, 9])[1::3]), a.sum(2), "f32")


def test_constant_axes():
    graph = onefold.Graph()
    graph.output(graph.op("ReduceSum", graph.input("x"), graph.constant([0, 2])))
    a = random_array((3, 4, 5))
    assert close(graph.compile()(a), a.astype(np.float64).sum((0, 2)), "f32")


def test_axes_tensor_with_dims_that_are_told():
    graph = onefold.Graph()
    x, axes = graph.input("x", shape=(3, 3)), graph.input("axes", "s32", (1,))
    graph.output(graph.op("ReduceSum", x, axes, dims=(3,)))
    f, a = graph.compile(), random_array((3, 3))
    assert close(f(a, np.array([0], np.int32)), a.sum(0), "f32") and close(f(a, np.array([1], np.int32)), a.sum(1), "f32")


def test_type_cast():
    x = random_array((3, 4)) * 3
    assert np.array_equal(compiled("TypeCast", "f32", dst=np.int32)(x), x.astype(np.int32))
    assert np.array_equal(compiled("TypeCast", "f32", dst="bf16")(x).view(BF16), x.astype(BF16))


def test_plans_are_kept_and_dropped():
    f = compiled("ReduceSum", "f32", axes=[0])
    for _ in range(2):
        for size in range(1, 150):
            assert f(np.ones((size, 2), np.float32)).tolist() == [size, size]
