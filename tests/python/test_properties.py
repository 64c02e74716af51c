"""Random graphs, shapes, types and layouts against NumPy in f64 or in the integers themselves."""
import hypothesis
import hypothesis.strategies as st
import numpy as np
from support import BF16, EPSILON, INTEGERS, NUMPY, compiled, random_array

hypothesis.settings.register_profile("onefold", deadline=None, max_examples=120, derandomize=True, print_blob=True,
                                     database=None)
hypothesis.settings.load_profile("onefold")

FLOATS = ["f32", "f64", "f16", "bf16"]
SHAPES = st.lists(st.integers(0, 7), max_size=5).map(tuple)
NOT_EMPTY = st.lists(st.integers(1, 7), max_size=5).map(tuple)


@st.composite
def arrays(draw, shape, dtype):
    """An array of that shape and type, somehow laid out in a larger one; read-only or not."""
    order = draw(st.permutations(range(len(shape))))
    padding = [draw(st.integers(0, 2)) for _ in shape]
    steps = [draw(st.integers(1, 2)) for _ in shape]
    memory_shape = [shape[d] * steps[d] + padding[d] for d in order]
    memory = random_array(tuple(memory_shape), dtype, draw(st.integers(0, 2**31)))
    array = memory.transpose(np.argsort(order)) if shape else memory
    array = np.asarray(array)[tuple(slice(0, size * step, step) for size, step in zip(shape, steps))]
    hypothesis.assume(array.shape == tuple(shape))
    array = np.asarray(array)
    if draw(st.booleans()):
        array.flags.writeable = False
    return array


@st.composite
def outputs(draw, shape, dtype):
    array = draw(arrays(shape, dtype)).copy(order="K")
    memory = np.zeros([2 * size + 1 for size in array.shape], array.dtype)
    place = memory[tuple(slice(1, None, 2) for _ in array.shape)]
    order = draw(st.permutations(range(len(shape))))
    return draw(st.sampled_from([np.asarray(place), np.zeros([array.shape[d] for d in order], array.dtype).transpose(np.argsort(order))
                                 if shape else np.zeros((), array.dtype)]))


def words(array, dtype):
    return array.view(np.uint16) if dtype == "bf16" else array


def typed(array, dtype):
    return array.view(BF16) if dtype == "bf16" else array


def check_mean(actual, expected, dtype):
    """The library's bound for a mean of magnitudes up to 2, and one rounding to the type."""
    assert actual.shape == expected.shape
    summing = 2 * (4 * EPSILON["f32"] if dtype != "f64" else 32 * EPSILON["f64"])  # NumPy sums f64 in f64 too
    error = np.abs(actual.astype(np.float64) - expected)
    is_right = error <= summing + EPSILON[dtype] * np.abs(expected)
    assert np.all(is_right | (np.isnan(actual) & np.isnan(expected))), (actual, expected)


@hypothesis.given(st.data(), SHAPES, st.sampled_from(FLOATS), st.booleans(), st.booleans())
def test_mean(data, shape, dtype, keep_dims, with_out):
    axes = data.draw(st.sets(st.integers(0, max(len(shape) - 1, 0)), min_size=1) if shape else st.just(set()))
    hypothesis.assume(axes)
    x = data.draw(arrays(shape, dtype))
    f = compiled("ReduceMean", dtype, axes=[a - len(shape) if a % 2 else a for a in axes], keep_dims=keep_dims)
    with np.errstate(all="ignore"):
        exact = x.astype(np.float64).mean(tuple(axes), keepdims=keep_dims) if x.size else np.full(
            np.sum(np.zeros(shape), tuple(axes), keepdims=keep_dims).shape, np.nan)
    exact = np.asarray(exact)
    if with_out:
        out = data.draw(outputs(exact.shape, dtype))
        assert f(x, out=out) is out
        check_mean(out, exact, dtype)
    else:
        check_mean(typed(f(x), dtype), exact, dtype)


@hypothesis.given(st.data(), SHAPES, st.sampled_from(INTEGERS), st.sampled_from(["ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"]))
def test_integer_reduction(data, shape, dtype, kind):
    hypothesis.assume(shape and (0 not in shape or kind in ("ReduceSum", "ReduceProd")))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = data.draw(arrays(shape, dtype))
    reduce = {"ReduceSum": np.add, "ReduceMax": np.maximum, "ReduceMin": np.minimum, "ReduceProd": np.multiply}[kind].reduce
    assert np.array_equal(compiled(kind, dtype, axes=[axis])(x), reduce(x, axis, dtype=NUMPY[dtype]))


@hypothesis.given(st.data(), NOT_EMPTY, st.sampled_from(FLOATS + list(INTEGERS)),
                  st.sampled_from([("Add", np.add), ("Subtract", np.subtract), ("Multiply", np.multiply), ("Maximum", np.maximum)]))
def test_broadcasting(data, shape, dtype, op):
    kind, expected = op
    other = tuple(data.draw(st.sampled_from([1, size])) for size in shape)[data.draw(st.integers(0, len(shape))):]
    a, b = data.draw(arrays(shape, dtype)), data.draw(arrays(other, dtype))
    for x, y in ((a, b), (b, a)):
        result = compiled(kind, dtype, dtype)(words(x, dtype), words(y, dtype))
        exact = expected(x, y)  # one rounding of the exact value, in all these types
        assert np.array_equal(typed(result, dtype), exact) and result.shape == exact.shape


@hypothesis.given(st.data(), SHAPES, st.sampled_from(sorted(NUMPY)), st.sampled_from(sorted(NUMPY)))
def test_cast(data, shape, source, destination):
    hypothesis.assume(source != destination)
    x = data.draw(arrays(shape, source))
    with np.errstate(all="ignore"):
        # Floats that an unsigned type does not hold become 0, NumPy's are any value.
        expected = (np.maximum(x, 0) if source[0] == "f" and destination[0] == "u" else x).astype(NUMPY[destination])
    assert np.array_equal(compiled("TypeCast", source, dst=destination)(x), expected)


@hypothesis.given(st.data(), NOT_EMPTY, st.sampled_from(FLOATS))
def test_chain(data, shape, dtype):
    """A graph of several ops gives what its ops give one by one, rounded once."""
    import onefold
    x = data.draw(arrays(shape, dtype))
    graph = onefold.Graph()
    tensor = graph.input("x", dtype)
    value = graph.op("Multiply", graph.op("Square", tensor), graph.op("Sigmoid", tensor))
    graph.output(graph.op("ReduceMax", value, axes=list(range(len(shape)))) if shape else value)
    wide = x.astype(np.float64)
    exact = wide**2 / (1 + np.exp(-wide))
    exact = np.asarray(exact.max() if shape else exact)
    for policy in ("fusion", "debug"):
        result = typed(graph.compile(policy=policy)(x), dtype).astype(np.float64)
        assert np.all(np.abs(result - exact) <= 12 * EPSILON[dtype] * np.maximum(exact, 2e-2)), (result, exact)
