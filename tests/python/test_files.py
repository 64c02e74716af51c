"""onefold.load(): JSON graph files and ONNX models."""
import json
import pathlib

import numpy as np
import onnx
import onnx.numpy_helper
import pytest
from onnx import TensorProto
from onnx.helper import make_graph, make_model, make_node, make_opsetid, make_tensor_value_info
from support import BF16, close, random_array

import onefold
import onefold.onnx_backend

CASES = pathlib.Path(__file__).resolve().parents[2] / "benchdnn_cases"


def save(path, nodes, inputs, outputs, initializers=(), opset=18):
    graph = make_graph(nodes, "g", [make_tensor_value_info(*i) for i in inputs], [make_tensor_value_info(*o) for o in outputs],
                       initializer=[onnx.numpy_helper.from_array(array, name) for name, array in initializers])
    model = make_model(graph, opset_imports=[make_opsetid("", opset)], ir_version=8)
    onnx.save(model, path)
    return model


def test_json():
    f = onefold.load(CASES / "op/f32/reducemean.json")
    axes = json.loads((CASES / "op/f32/reducemean.json").read_text())["graph"][0]["attrs"]["axes"]["value"]
    x = random_array(f.inputs[0].shape)
    assert (f.inputs[0].name, f.outputs[0].name) == ("0", "1") and f.partitions[0].steps
    assert close(f(x), x.astype(np.float64).mean(tuple(axes)), "f32")
    assert np.array_equal(f(**{"0": x}), f(x))


@pytest.mark.parametrize("path", sorted(CASES.glob("pattern/*/*.json")), ids=lambda p: p.stem)
def test_every_pattern_file_runs(path):
    f = onefold.load(path)
    assert not f.unsupported
    arrays = [random_array(p.shape, p.dtype, seed=i) for i, p in enumerate(f.inputs)]
    fused, single = f(*arrays), onefold.load(path, policy="debug", threads=1)(*arrays)
    for a, b in zip(fused if isinstance(fused, tuple) else [fused], single if isinstance(single, tuple) else [single]):
        assert a.shape == b.shape and np.allclose(a, b, rtol=0.05, atol=0.05, equal_nan=True)


def test_onnx(tmp_path):
    path = tmp_path / "model.onnx"
    save(path, [make_node("ReduceMean", ["x", "axes"], ["m"], keepdims=1), make_node("Sub", ["x", "m"], ["y"])],
         [("x", TensorProto.FLOAT, ["n", 6])], [("y", TensorProto.FLOAT, ["n", 6])], [("axes", np.array([-1]))])
    f = onefold.load(str(path))
    assert [(p.name, p.shape) for p in f.inputs] == [("x", (None, 6))] and f.outputs[0].name == "y"
    for n in (1, 4, 9):
        x = random_array((n, 6), seed=n)
        assert close(f(x=x), x - x.mean(-1, keepdims=True), "f32")
    with pytest.raises(onefold.Error, match='input "x": dim 1 is 6, but an array of shape 2x5 is given'):
        f(random_array((2, 5)))


def test_model_that_changes_after_it_was_loaded(tmp_path):
    path = tmp_path / "model.onnx"
    shape = (TensorProto.FLOAT, ["n"])
    save(path, [make_node("Abs", ["x"], ["y"])], [("x", *shape)], [("y", *shape)])
    f = onefold.load(path)
    save(path, [make_node("Add", ["x", "z"], ["y"])], [("x", *shape), ("z", *shape)], [("y", *shape)])
    with pytest.raises(onefold.Error, match="its inputs or outputs are not those that it was loaded with"):
        f(random_array(3))
    path.unlink()
    with pytest.raises(onefold.Error, match="cannot be opened"):
        f(random_array(4))


def test_axes_that_are_an_input(tmp_path):
    path = tmp_path / "model.onnx"
    save(path, [make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0)],
         [("x", TensorProto.FLOAT, ["a", "b", "c"]), ("axes", TensorProto.INT64, ["k"])], [("y", TensorProto.FLOAT, None)])
    f, x = onefold.load(path), random_array((3, 4, 5))
    for axes in ([0], [1, 2], [-1], [0, 1, 2]):
        assert close(f(x, np.array(axes)), x.astype(np.float64).sum(tuple(axes)), "f32")


def test_views(tmp_path):
    path = tmp_path / "model.onnx"
    save(path, [make_node("Reshape", ["x", "shape"], ["v"]), make_node("Abs", ["v"], ["a"]), make_node("Flatten", ["a"], ["y"]),
                make_node("Identity", ["x"], ["z"])],
         [("x", TensorProto.FLOAT, [4, 6])], [("y", TensorProto.FLOAT, None), ("z", TensorProto.FLOAT, None)],
         [("shape", np.array([2, 3, 4]))])
    f, x = onefold.load(path), random_array((6, 4)).T
    y, z = f(x)
    assert np.array_equal(y, abs(x).reshape(2, 12)) and np.array_equal(z, x)
    out = np.zeros((12, 2), np.float32).T
    f(x, out=(out, None))
    assert np.array_equal(out, abs(x).reshape(2, 12))


def test_unsupported_model_can_be_looked_at(tmp_path):
    path = tmp_path / "model.onnx"
    save(path, [make_node("Abs", ["x"], ["a"]), make_node("Conv", ["a", "w"], ["y"], name="c")],
         [("x", TensorProto.FLOAT, [1, 1, 4, 4]), ("w", TensorProto.FLOAT, [1, 1, 3, 3])], [("y", TensorProto.FLOAT, None)])
    f = onefold.load(path)
    assert [p.supported for p in f.partitions] == [True, False] and f.partitions[0].ops == ("Abs",)
    assert len(f.unsupported) == 1 and 'node 1 (Conv "c"' in f.unsupported[0]
    with pytest.raises(onefold.Error, match="not supported: node 1 .Conv") as e:
        f(random_array((1, 1, 4, 4)), random_array((1, 1, 3, 3)))
    assert e.value.status == "unimplemented"


@pytest.mark.parametrize("name, content, words", [
    ("no.json", None, "no.json: "), ("no.onnx", None, "no.onnx: "), ("bad.json", b"{", "bad.json: "), ("bad.onnx", b"\xff", "bad.onnx: "),
    ("folder.onnx", "", "folder.onnx: is a directory"), ("a\udcffb.json", b"[]", "b.json: "),
])
def test_bad_file(tmp_path, name, content, words):
    path = tmp_path / name
    if content == "":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(onefold.Error) as e:
        onefold.load(path)
    assert words in str(e.value) and e.value.status == "invalid_arguments"


def test_onnx_backend():
    graph = make_graph([make_node("Add", ["x", "y"], ["z"])], "g",
                       [make_tensor_value_info(n, TensorProto.BFLOAT16, ["n"]) for n in "xy"],
                       [make_tensor_value_info("z", TensorProto.BFLOAT16, ["n"])])
    model = make_model(graph, opset_imports=[make_opsetid("", 18)], ir_version=8)
    x = random_array(5, "bf16")
    (z,) = onefold.onnx_backend.prepare(model, "CPU").run([x, x])
    assert z.dtype == BF16 and np.array_equal(z, x + x)
    (named,) = onefold.onnx_backend.run_model(model, {"y": x, "x": x})
    assert np.array_equal(named, z)
    assert onefold.onnx_backend.supports_device("CPU") and not onefold.onnx_backend.supports_device("CUDA:0")
    with pytest.raises(onefold.Error, match="device CUDA"):
        onefold.onnx_backend.prepare(model, "CUDA")
