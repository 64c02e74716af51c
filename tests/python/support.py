"""What the tests of the Python package share."""
import ml_dtypes
import numpy as np

import onefold

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = ("f32", "f64", "f16")
INTEGERS = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "s8": np.int8, "u8": np.uint8, "s16": np.int16,
         "u16": np.uint16, "s32": np.int32, "u32": np.uint32, "s64": np.int64, "u64": np.uint64, "boolean": np.bool_}
EPSILON = {"f16": 2**-11, "f32": 2**-24, "f64": 2**-53, "bf16": 2**-8}


def compiled(kind, *dtypes, shapes=None, dst=None, policy="fusion", threads=0, **attributes):
    """A graph of one op, its inputs x0, x1, ..."""
    graph = onefold.Graph()
    inputs = [graph.input(f"x{i}", dtype, shapes and shapes[i]) for i, dtype in enumerate(dtypes)]
    graph.output(graph.op(kind, *inputs, dtype=dst, **attributes), "y")
    return graph.compile(policy=policy, threads=threads)


def random_array(shape, dtype="f32", seed=0):
    random = np.random.default_rng(seed)
    if dtype == "boolean":
        return random.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return random.integers(0 if dtype[0] == "u" else -50, 50, shape).astype(NUMPY[dtype])
    values = random.uniform(-2, 2, shape)
    return values.astype(BF16 if dtype == "bf16" else NUMPY[dtype])


def close(actual, expected, dtype):
    """Within a few units of rounding of values around 1."""
    error = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    return bool(np.all(error <= 8 * EPSILON[dtype] * np.maximum(1, np.abs(expected.astype(np.float64)))))


class Provider:
    """An array that has DLPack and nothing else, as those of other frameworks."""

    def __init__(self, array, device=(1, 0)):
        self.array = array
        self.device = device
        self.exports = 0

    def __dlpack__(self, **arguments):
        self.exports += 1
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.device
