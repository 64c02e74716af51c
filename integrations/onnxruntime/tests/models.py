"""Models for the tests and the benchmark: patterns written out, and small networks whose weights are made at random."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

IR_VERSION = 8


class Builder:
    """Grows a graph node by node; each function returns the name of what it gives."""

    def __init__(self, opset, elem_type=TensorProto.FLOAT):
        self.opset = opset
        self.elem_type = elem_type
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []

    def input(self, name, shape, elem_type=None):
        self.inputs.append(helper.make_tensor_value_info(name, elem_type or self.elem_type, shape))
        return name

    def output(self, name, elem_type=None):
        self.outputs.append(helper.make_tensor_value_info(name, elem_type or self.elem_type, None))

    def constant(self, values, dtype=None):
        """`dtype` None: the model's type."""
        array = np.asarray(values, dtype or helper.tensor_dtype_to_np_dtype(self.elem_type))
        self.initializers.append(numpy_helper.from_array(array, f"c{len(self.initializers)}"))
        return self.initializers[-1].name

    def node(self, op, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [f"t{len(self.nodes)}"], name=f"{op}_{len(self.nodes)}", **attributes))
        return self.nodes[-1].output[0]

    def reduce(self, op, x, axes, keepdims=1):
        change = 13 if op == "ReduceSum" else 18
        if self.opset < change:
            return self.node(op, x, axes=axes, keepdims=keepdims)
        return self.node(op, x, self.constant(axes, np.int64), keepdims=keepdims)

    def model(self):
        graph = helper.make_graph(self.nodes, "graph", self.inputs, self.outputs, self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=IR_VERSION)


def layer_norm(b, x, scale, bias, axes=(-1,)):
    centred = b.node("Sub", x, b.reduce("ReduceMean", x, axes))
    variance = b.reduce("ReduceMean", b.node("Pow", centred, b.constant(2)), axes)
    deviation = b.node("Sqrt", b.node("Add", variance, b.constant(1e-5)))
    return b.node("Add", b.node("Mul", b.node("Div", centred, deviation), scale), bias)


def rms_norm(b, x, scale, axes=(-1,)):
    mean_square = b.reduce("ReduceMean", b.node("Mul", x, x), axes)
    factor = b.node("Reciprocal", b.node("Sqrt", b.node("Add", mean_square, b.constant(1e-5))))
    return b.node("Mul", b.node("Mul", x, factor), scale)


def softmax(b, x, axes=(-1,)):
    powers = b.node("Exp", b.node("Sub", x, b.reduce("ReduceMax", x, axes)))
    return b.node("Div", powers, b.reduce("ReduceSum", powers, axes))


def l2_norm(b, x, axes=(-1,)):
    length = b.node("Max", b.reduce("ReduceL2", x, axes), b.constant(1e-6))
    return b.node("Div", x, length)


def pattern(name, shape, opset, elem_type=TensorProto.FLOAT, declared=None):
    """A model of one pattern over the last axis; its input is x, and `declared` the shape that the model says it has."""
    b = Builder(opset, elem_type)
    x = b.input("x", declared or shape)
    rng = np.random.default_rng(7)
    scale, bias = (b.constant(rng.uniform(0.5, 1.5, shape[-1])) for _ in range(2))
    b.output({
        "layer_norm": lambda: layer_norm(b, x, scale, bias),
        "rms_norm": lambda: rms_norm(b, x, scale),
        "softmax": lambda: softmax(b, x),
        "l2_norm": lambda: l2_norm(b, x),
    }[name]())
    return b.model()


PATTERNS = ("layer_norm", "rms_norm", "softmax", "l2_norm")


def encoder(opset=13, width=64, heads=4, elem_type=TensorProto.FLOAT):
    """A block of a BERT-like encoder with all norms and softmax written out; batch and length of x are open."""
    b = Builder(opset, elem_type)
    rng = np.random.default_rng(11)
    x = b.input("x", ["batch", "length", width])

    def dense(y, columns):
        rows = width if y is not hidden else 2 * width
        weights = b.constant(rng.normal(0, rows ** -0.5, (rows, columns)))
        return b.node("Add", b.node("MatMul", y, weights), b.constant(rng.normal(0, 0.1, columns)))

    def per_head(y, order):
        shape = b.constant([0, 0, heads, width // heads], np.int64)
        return b.node("Transpose", b.node("Reshape", y, shape), perm=order)

    def norm(y):
        return layer_norm(b, y, b.constant(rng.uniform(0.5, 1.5, width)), b.constant(rng.normal(0, 0.1, width)))

    hidden = None
    query, value = (per_head(dense(x, width), [0, 2, 1, 3]) for _ in range(2))
    key = per_head(dense(x, width), [0, 2, 3, 1])
    scores = b.node("Div", b.node("MatMul", query, key), b.constant((width // heads) ** 0.5))
    context = b.node("Transpose", b.node("MatMul", softmax(b, scores), value), perm=[0, 2, 1, 3])
    joined = b.node("Reshape", context, b.constant([0, 0, width], np.int64))
    attended = norm(b.node("Add", x, dense(joined, width)))
    hidden = b.node("Relu", dense(attended, 2 * width))
    b.output(norm(b.node("Add", attended, dense(hidden, width))))
    return b.model()


def convolution_net(opset=18):
    """Convolutions, squeeze-and-excitation by hand, a mean over the image and a classifier; the batch is open."""
    b = Builder(opset)
    rng = np.random.default_rng(13)
    x = b.input("x", ["batch", 3, 16, 16])

    def convolution(y, channels_in, channels, size):
        weights = b.constant(rng.normal(0, (channels_in * size * size) ** -0.5, (channels, channels_in, size, size)))
        return b.node("Conv", y, weights, b.constant(rng.normal(0, 0.1, channels)), pads=[size // 2] * 4)

    y = b.node("Relu", convolution(x, 3, 8, 3))
    gate = b.node("Sigmoid", convolution(b.reduce("ReduceMean", y, [2, 3]), 8, 8, 1))
    y = b.node("Relu", convolution(b.node("Mul", y, gate), 8, 12, 3))
    pooled = b.reduce("ReduceMean", y, [2, 3], keepdims=0)
    b.output(softmax(b, b.node("MatMul", pooled, b.constant(rng.normal(0, 1, (12, 5)))), [1]))
    return b.model()


def branches():
    """If with a reduction in each branch, over a tensor from outside of it."""
    def branch(op):
        b = Builder(18)
        b.output(b.reduce(op, b.node("Mul", "doubled", "doubled"), [1]))
        return helper.make_graph(b.nodes, op, [], b.outputs, b.initializers)

    b = Builder(18)
    x = b.input("x", ["rows", 5])
    flag = b.input("flag", [], TensorProto.BOOL)
    b.nodes.append(helper.make_node("Add", [x, x], ["doubled"]))
    b.output(b.node("If", flag, then_branch=branch("ReduceMean"), else_branch=branch("ReduceMax")))
    return b.model()


def one_node(op, shapes, elem_type=TensorProto.FLOAT, opset=18, axes=None, **attributes):
    """A model of one node, whose inputs are x0, x1, ...; `axes`: a constant, or "input" for an input of that name."""
    b = Builder(opset, elem_type)
    inputs = [b.input(f"x{i}", shape) for i, shape in enumerate(shapes)]
    if axes == "input":
        inputs.append(b.input("axes", ["count"], TensorProto.INT64))
    elif axes is not None and opset >= (13 if op == "ReduceSum" else 18):
        inputs.append(b.constant(axes, np.int64))
    elif axes is not None:
        attributes["axes"] = axes
    b.output(b.node(op, *inputs, **attributes))
    return b.model()
