"""Runs ONNX models through the program `onefold`, with NumPy arrays in and out."""
import os
import pathlib
import re
import subprocess
import tempfile

import ml_dtypes
import numpy as np
import onnx

# The elements of .npy files: bf16 travels as raw words.
RAW_WORDS = {np.dtype(ml_dtypes.bfloat16): np.dtype("<u2")}
SECONDS = 120
PROBED_OPSET = 18  # any that the program reads


class Failed(Exception):
    """The program did not exit with 0; `code` is its exit code, negative for a signal."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def is_refusal(self):
        """Whether the program said in one line that it does not take this model."""
        return self.code == 2 and self.message.startswith("onefold: error: ") and self.message.count("\n") == 1


class NotAnArray(Exception):
    """A value that no .npy file holds: a sequence, a missing optional, strings."""


def is_array(value):
    """Whether it is an array of numbers of a type that NumPy or ml_dtypes' bfloat16 has."""
    is_one = isinstance(value, (np.ndarray, np.generic)) and value.dtype != object and value.dtype.kind not in "SU"
    return is_one and (value.dtype.kind != "V" or value.dtype in RAW_WORDS)


def written(array):
    """The array as its .npy file has it."""
    if not is_array(array):
        raise NotAnArray(f"a value of {type(array).__name__} is no array of numbers")
    array = np.asarray(array)
    return array.view(RAW_WORDS.get(array.dtype, array.dtype))


def file_name(tensor):
    """How `onefold run` names an output's file."""
    return re.sub(r"[^A-Za-z0-9_.-]", "_", tensor[:200]) + ".npy"


def read(path, elem_type):
    array = np.load(path)
    dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(elem_type))
    return array.view(dtype) if dtype in RAW_WORDS else array


def run(program, model, inputs):
    """The outputs of the model, in its order. `inputs`: arrays by name."""
    with tempfile.TemporaryDirectory(prefix="onefold_") as name:
        folder = pathlib.Path(name)
        (folder / "model.onnx").write_bytes(model.SerializeToString())
        arguments = [program, "run", folder / "model.onnx", "--threads", "1", "--output-dir", folder / "out"]
        for i, (tensor, array) in enumerate(inputs.items()):
            np.save(folder / f"{i}.npy", written(array))
            arguments += ["--input", f"{tensor}={folder / f'{i}.npy'}"]
        ran = subprocess.run(arguments, capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        if ran.returncode != 0:
            raise Failed(ran.returncode, ran.stderr)
        return [read(folder / "out" / file_name(o.name), o.type.tensor_type.elem_type) for o in model.graph.output]


def known_ops(program):
    """The names of the default domain's ops that the program's table has, in any version."""
    names = sorted({schema.name for schema in onnx.defs.get_all_schemas_with_history() if schema.domain == ""})
    probed, known = list(names), set()
    while probed:
        # The program names all ops that it does not know; a node of one that it knows may be wrong, and then comes alone.
        try:
            run(program, probe(probed), {"x": np.ones([1], np.float32)})
            break
        except Failed as e:
            unknown = re.findall(r"node \d+ \((\w+), opset \d+\): onefold has no such op", e.message)
            rejected = re.search(r": node \d+ \((\w+), opset", e.message)
            if unknown or ": not supported: " in e.message:
                return known | set(probed) - set(unknown)
            known.add(rejected.group(1))
            probed.remove(rejected.group(1))
    return known | set(probed)


def probe(ops):
    """A model with a node of each op."""
    x = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    nodes = [onnx.helper.make_node(op, ["x"], [f"y{i}"]) for i, op in enumerate(ops)]
    y = [onnx.helper.make_tensor_value_info(f"y{i}", onnx.TensorProto.FLOAT, None) for i in range(len(ops))]
    graph = onnx.helper.make_graph(nodes, "probe", [x], y)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", PROBED_OPSET)], ir_version=8)


def workers():
    return len(os.sched_getaffinity(0))
