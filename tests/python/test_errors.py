"""What is refused raises onefold.Error with a status and a sentence; outputs are left as they were."""
import pickle

import numpy as np
import pytest
from support import compiled, random_array

import onefold

X = random_array((2, 3))


def refusal(function, *arguments, **named):
    with pytest.raises(onefold.Error) as e:
        function(*arguments, **named)
    return e.value.status, str(e.value)


CALLS = [
    ((), {}, "invalid_arguments", 'input "x0": is missing'),
    ((X, X, X), {}, "invalid_arguments", "3 arrays are given, but the graph has 2 inputs"),
    ((X,), {"x0": X}, "invalid_arguments", 'input "x0": is given twice'),
    ((X,), {"z": X}, "invalid_arguments", '"z": the graph has no input of that name'),
    ((X, 1.5), {}, "invalid_arguments", 'input "x1": a float cannot be read in place'),
    ((X, [1.0]), {}, "invalid_arguments", 'input "x1": a list cannot be read in place'),
    ((X, None), {}, "invalid_arguments", 'input "x1": a NoneType cannot be read in place'),
    ((X, np.array(["a"])), {}, "invalid_arguments", 'input "x1": a ndarray of <U1 cannot be read in place'),
    ((X, X.astype(">f4")), {}, "invalid_arguments", 'input "x1": a ndarray of >f4 cannot be read in place'),
    ((X, X.astype(np.float64)), {}, "invalid_data_type", 'input "x1": is f32 in the graph, but ndarray of float64 is given'),
    ((X, X.astype(complex)), {}, "invalid_data_type", 'input "x1": is f32 in the graph, but ndarray of complex128 is given'),
    ((X, random_array(4)), {}, "invalid_shape", "op 0 (Add)"),
    ((X, X), {"out": np.zeros((2, 2), np.float32)}, "invalid_shape", "dims 2x3, not 2x2"),
    ((X, X), {"out": np.zeros((2, 3))}, "invalid_data_type", 'output "y": is f32 in the graph, but ndarray of float64 is given'),
    ((X, X), {"out": [X, X]}, "invalid_arguments", "out: 2 arrays are given, but the graph has 1 outputs"),
    ((X, X), {"out": np.zeros((2, 3), np.float32)[::-1]}, "invalid_arguments", 'output "y": has a negative stride'),
    ((X, X), {"out": 3}, "invalid_arguments", 'output "y": a int cannot be written in place'),
]


@pytest.mark.parametrize("arrays, named, status, words", CALLS, ids=[words for *_, words in CALLS])
def test_call(arrays, named, status, words):
    got_status, message = refusal(compiled("Add", "f32", "f32"), *arrays, **named)
    assert got_status == status and words in message


def test_refused_call_leaves_out_untouched():
    out = np.full((2, 3), 7, np.float32)
    f = compiled("Add", "f32", "f32")
    refusal(f, X, random_array(4), out=out)
    refusal(f, X, out=out)
    assert (out == 7).all()


def test_out_that_is_one_element():
    out = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (2, 3), (0, 0), writeable=True)
    assert refusal(compiled("Abs", "f32"), X, out=out) == (
        "invalid_arguments", 'output "y": dim 0 has the stride 0: its elements are one')


def test_overlaps():
    memory = random_array(12)
    x = memory[:6].reshape(2, 3)
    status, message = refusal(compiled("Abs", "f32"), x, out=memory[3:9].reshape(2, 3))
    assert status == "invalid_arguments" and 'output "y": its memory overlaps that of input "x0"' in message
    graph = onefold.Graph()
    tensor = graph.input("x")
    graph.output(graph.op("Exp", tensor), "a")
    graph.output(graph.op("Abs", tensor), "b")
    out = np.zeros((2, 3), np.float32)
    status, message = refusal(graph.compile(), X, out=(out, out))
    assert status == "invalid_arguments" and 'output "b": its memory overlaps that of output "a"' in message


def test_fixed_shape():
    f = compiled("Abs", "f32", shapes=[(2, None)])
    assert f(X).shape == (2, 3)
    assert refusal(f, X.T) == ("invalid_shape", 'input "x0": has the shape 2x? in the graph, not 3x2')


def make_graph():
    graph = onefold.Graph()
    return graph, graph.input("x", "f32", (2, 3))


@pytest.mark.parametrize("arguments, named, status, words", [
    (("Nothing",), {}, "invalid_graph_op", 'there is no op kind "Nothing"'),
    (("ReduceMean",), {"axs": [1]}, "invalid_arguments", 'there is no attribute "axs"'),
    (("ReduceMean",), {"axes": [1.5]}, "invalid_arguments", "attribute axes takes a value of type s64[], not [1.5]"),
    (("ReduceMean",), {"axes": "1"}, "invalid_arguments", "attribute axes takes a value of type s64[], not '1'"),
    (("ReduceMean",), {"axes": [2**70]}, "invalid_arguments", "attribute axes takes a value of type s64[]"),
    (("Elu",), {"alpha": "x"}, "invalid_arguments", "attribute alpha takes a value of type f32, not 'x'"),
    (("Add",), {}, "invalid_graph_op", "op 0 (Add)"),
    (("ReduceMean",), {}, "invalid_graph_op", "op 0 (ReduceMean)"),
    (("ReduceMean",), {"axes": [2]}, "invalid_arguments", "op 0 (ReduceMean): axis 2 is not in [-2, 1]"),
    (("ReduceMean",), {"axes": [1], "dims": (5,)}, "invalid_shape", "op 0 (ReduceMean): dst is given the dims 5, but has 2"),
    (("Abs",), {"dtype": "f64"}, "invalid_graph_op", "op 0 (Abs)"),
    (("Abs",), {"dtype": "f33"}, "invalid_data_type", "f33: is no element type"),
])
def test_op(arguments, named, status, words):
    graph, x = make_graph()
    got_status, message = refusal(graph.op, *arguments, x, **named)
    assert got_status == status and words in message
    graph.output(graph.op("Abs", x))  # the graph is as it was
    assert np.array_equal(graph.compile()(X), abs(X))


def test_graph():
    graph, x = make_graph()
    assert refusal(graph.compile) == ("invalid_graph", "the graph has no output")
    assert refusal(graph.input, "x") == ("invalid_arguments", '"x": another tensor of the graph has that name')
    assert refusal(graph.input, "y", "f32", (-2,))[0] == "invalid_arguments"
    assert refusal(graph.input, "y", "f32", (2**40, 2**40))[0] == "invalid_shape"
    assert refusal(graph.input, "y", object)[0] == "invalid_data_type"
    other, _ = make_graph()
    assert refusal(other.op, "Abs", x) == ("invalid_arguments", "op of kind Abs: input 0 is no tensor of this graph")
    assert refusal(other.output, x)[0] == "invalid_arguments"
    graph.output(graph.op("MatMul", x, x))
    status, message = refusal(graph.compile)
    assert status == "unimplemented" and message == "not supported: op 0 (MatMul)"
    assert refusal(compiled, "Abs", "f32", policy="fast")[0] == "invalid_arguments"


def test_axes_tensor_that_does_not_fit():
    graph = onefold.Graph()
    x, axes = graph.input("x"), graph.input("axes", "s64")
    graph.output(graph.op("ReduceMean", x, axes))
    f = graph.compile()
    status, message = refusal(f, X, np.array([2]))
    assert status == "invalid_arguments" and "axis 2 is not in [-2, 1]" in message
    assert refusal(f, X, np.array([0, 0]))[0] == "invalid_arguments"
    assert np.array_equal(f(X, np.array([1])), compiled("ReduceMean", "f32", axes=[1])(X))


def test_result_that_no_memory_holds():
    huge = np.broadcast_to(np.float32(1), (1 << 30, 1 << 28))
    with pytest.raises((MemoryError, onefold.Error)):
        compiled("Abs", "f32")(huge)


def test_error_is_one_class_with_a_status():
    error = onefold.Error("a sentence", "invalid_shape")
    assert isinstance(error, RuntimeError) and str(error) == "a sentence"
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == "a sentence" and copy.status == "invalid_shape"
