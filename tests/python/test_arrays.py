"""Arrays of every type and layout go in and out where they are."""
import ctypes

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from support import BF16, INTEGERS, NUMPY, Provider, close, compiled, random_array

import onefold


@pytest.mark.parametrize("dtype", sorted(NUMPY))
def test_type_goes_in_and_out(dtype):
    x = random_array((3, 5), dtype)
    y = compiled("Reorder", dtype)(x)
    assert y.dtype == x.dtype and np.array_equal(y, x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_sum(dtype):
    x = random_array((4, 300), dtype)
    assert np.array_equal(compiled("ReduceSum", dtype, axes=[1])(x), x.sum(1, dtype=x.dtype))


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64"])
@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2], [-1, 1], [0, 1, 2]])
def test_mean(dtype, axes):
    x = random_array((3, 4, 5), dtype)
    y = compiled("ReduceMean", dtype, axes=axes, keep_dims=True)(x)
    assert close(y, x.astype(np.float64).mean(tuple(axes), keepdims=True), dtype)


def layouts(shape=(4, 6, 5)):
    a, b, c = shape
    yield "row-major", lambda t: random_array(shape, t)
    yield "column-major", lambda t: np.asfortranarray(random_array(shape, t))
    yield "transposed", lambda t: random_array((c, a, b), t).transpose(1, 2, 0)
    yield "every second", lambda t: random_array((a, b, 2 * c), t)[:, :, ::2]
    yield "a slice", lambda t: random_array((a + 2, b + 1, c + 3), t)[1:-1, :b, 2:2 + c]
    yield "broadcast", lambda t: np.broadcast_to(random_array((b, 1), t), shape)
    yield "reversed", lambda t: random_array(shape, t)[::-1, :, ::-1]
    yield "overlapping", lambda t: as_strided(random_array(64, t), shape, [np.dtype(NUMPY[t]).itemsize * s for s in (2, 3, 1)])
    yield "not aligned", lambda t: np.frombuffer(b"\1" + random_array(shape, t).tobytes(), NUMPY[t], offset=1).reshape(shape)


@pytest.mark.parametrize("dtype", ["f32", "s64"])
@pytest.mark.parametrize("name, make", list(layouts()), ids=[name for name, _ in layouts()])
def test_layout(name, make, dtype):
    x = make(dtype)
    before = x.copy()
    assert np.array_equal(compiled("Reorder", dtype)(x), before), name
    assert np.array_equal(compiled("ReduceMax", dtype, axes=[1])(x), before.max(1)), name
    assert np.array_equal(x, before)


def test_read_only_array_is_an_input_and_no_output():
    f, x = compiled("Abs", "f32"), random_array((3, 4))
    x.flags.writeable = False
    assert np.array_equal(f(x), abs(x))
    with pytest.raises(onefold.Error, match='output "y": .*cannot be written'):
        f(-x, out=x)


def test_input_is_read_where_it_is():
    # A tensor of 4 GB that is one element: a copy of it would show.
    x = np.broadcast_to(np.float32(0.5), (1 << 15, 1 << 15))
    assert compiled("ReduceMax", "f32", axes=[0, 1])(x) == 0.5


@pytest.mark.parametrize("shape", [(), (1,), (0,), (2, 0, 3), (1, 1, 1), (1,) * 30])
def test_shape(shape):
    x = random_array(shape)
    y = compiled("Square", "f32")(x)
    assert y.shape == shape and np.array_equal(y, x * x)


def test_reduction_of_nothing():
    assert np.array_equal(compiled("ReduceSum", "f32", axes=[0])(np.ones((0, 3), np.float32)), np.zeros(3, np.float32))


def test_numpy_scalar_is_an_array():
    assert compiled("Add", "f32", "f32")(np.float32(2), np.ones(3, np.float32)).tolist() == [3, 3, 3]


def test_output_has_the_layout_of_its_input():
    x = random_array((3, 5, 4)).transpose(0, 2, 1)
    assert compiled("Exp", "f32")(x).strides == x.strides


@pytest.mark.parametrize("make", [
    lambda: np.zeros((4, 5), np.float32), lambda: np.zeros((5, 4), np.float32).T,
    lambda: np.zeros((4, 5, 3), np.float32)[:, :, 1], lambda: np.zeros((9, 10), np.float32)[1::2, ::2],
])
def test_out(make):
    x, out = random_array((4, 3, 5)), make()
    f = compiled("ReduceSum", "f32", axes=[1])
    assert f(x, out=out) is out
    assert close(out, x.sum(1), "f32")
    assert np.array_equal(out, f(x))
    if out.base is not None and out.base.size > out.size:
        assert np.count_nonzero(out.base) == np.count_nonzero(out)  # nothing beside it is written


def test_out_of_several_outputs():
    graph = onefold.Graph()
    x = graph.input("x")
    graph.output(graph.op("Exp", x), "exp")
    graph.output(graph.op("Abs", x), "abs")
    f, a = graph.compile(), random_array((3, 4))
    out = np.zeros((3, 4), np.float32)
    exp, magnitude = f(a, out=(None, out))
    assert magnitude is out and np.array_equal(out, abs(a)) and close(exp, np.exp(a), "f32")


def test_in_place():
    x = random_array((40, 50))
    expected = abs(x)
    assert compiled("Abs", "f32")(x, out=x) is x
    assert np.array_equal(x, expected)


class TestBf16:
    f = staticmethod(lambda *arrays, **named: compiled("ReduceMean", "bf16", axes=[1])(*arrays, **named))
    x = random_array((3, 40), "bf16")
    expected = x.astype(np.float64).mean(1)

    def test_words(self):
        y = self.f(self.x.view(np.uint16))
        assert y.dtype == np.uint16 and close(y.view(BF16), self.expected, "bf16")

    def test_ml_dtypes(self):
        assert np.array_equal(self.f(self.x), self.f(self.x.view(np.uint16)))

    def test_transposed(self):
        assert np.array_equal(self.f(np.asfortranarray(self.x)), self.f(self.x))

    @pytest.mark.parametrize("dtype", [BF16, np.uint16])
    def test_out(self, dtype):
        out = np.zeros(3, dtype)
        assert self.f(self.x, out=out) is out
        assert np.array_equal(out.view(np.uint16), self.f(self.x))

    def test_words_of_another_type_are_refused(self):
        with pytest.raises(onefold.Error, match="is bf16 in the graph, but ndarray of int16 is given"):
            self.f(self.x.view(np.int16))

    def test_bf16_is_no_other_type(self):
        with pytest.raises(onefold.Error, match="is u16 in the graph, but ndarray of bfloat16 is given"):
            compiled("ReduceMax", "u16", axes=[0])(self.x)

    def test_dlpack(self):
        """A producer whose capsule says bfloat, as that of PyTorch does."""
        assert np.array_equal(self.f(Bfloat16Provider(self.x.view(np.uint16))), self.f(self.x))


class Bfloat16Provider(Provider):
    def __dlpack__(self, **_):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        # DLTensor: data, device (2 x int32), ndim (int32), dtype (code, bits: uint8; lanes: uint16)
        ctypes.c_uint8.from_address(pointer(capsule, b"dltensor") + 8 + 8 + 4).value = 4  # kDLBfloat
        return capsule


class TestDlpack:
    f = staticmethod(lambda *arrays, **named: compiled("ReduceSum", "f32", axes=[0])(*arrays, **named))

    @pytest.mark.parametrize("x", [random_array((6, 8)), random_array((8, 6)).T, random_array((12, 16))[::2, ::2]])
    def test_input(self, x):
        provider = Provider(x)
        assert np.array_equal(self.f(provider), self.f(x)) and provider.exports > 0

    def test_out(self):
        x, out = random_array((6, 8)), Provider(np.zeros(8, np.float32))
        assert self.f(x, out=out) is out
        assert np.array_equal(out.array, self.f(x))

    def test_other_device_is_refused(self):
        class Elsewhere(Provider):
            def __dlpack__(self, **_):
                raise BufferError("the array is on another device")
        with pytest.raises(onefold.Error, match='input "x0": a Elsewhere cannot be read in place'):
            self.f(Elsewhere(random_array((2, 2)), (2, 0)))

    def test_memoryview_and_bytearray(self):
        x = random_array((6, 8))
        assert np.array_equal(self.f(memoryview(x)), self.f(x))
        assert compiled("ReduceMax", "u8", axes=[0])(bytearray(b"azb")) == ord("z")


def test_array_may_go_while_its_result_stays():
    f = compiled("Reorder", "f32")
    results = [f(np.full(1000, i, np.float32)) for i in range(50)]
    assert all((y == i).all() for i, y in enumerate(results))
