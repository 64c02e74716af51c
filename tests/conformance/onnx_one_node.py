"""Nodes of each ONNX op, in any version and type, and what they must give by plain NumPy."""
import dataclasses
import math
from typing import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (3, 4)
ROW = (4,)  # of further operands where the version broadcasts

# Small values, whose results are small: in every type of integers too.
CYCLE = (1, 2, 3, 0, 1, 2, -1, 1, 3, -2, 3, 1)


def is_float(elem_type):
    return elem_type in (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)


def dtype_of(elem_type):
    return np.dtype(helper.tensor_dtype_to_np_dtype(elem_type))


def is_signed(elem_type):
    return is_float(elem_type) or dtype_of(elem_type).kind == "i"


def values(elem_type, shape, source=0, positive=False):
    count = math.prod(shape)
    x = np.array([CYCLE[(i + 2 * source) % len(CYCLE)] for i in range(count)], np.float64)
    if elem_type == TensorProto.BOOL:
        x = (x > 1) | positive
    else:
        if is_float(elem_type):
            x *= 0.75
        if positive or not is_signed(elem_type):
            x = abs(x)
        if positive or source > 0:
            x[x == 0] = 1  # what divides
        if source == 0 and not positive:
            x += 3  # never less than what is subtracted
    return x.reshape(shape).astype(dtype_of(elem_type))


@dataclasses.dataclass
class Spec:
    """How a node is made and what it gives. `compute` sees float64, or Python's integers."""

    compute: Callable
    sources: int = 1
    positive: bool = False
    attributes: Callable = lambda version: {}
    constants: Callable = lambda version, elem_type: ()  # inputs behind the sources: arrays, or None for one that is left out
    broadcasts_since: int = 1
    target: Callable = lambda elem_type: elem_type  # the output's type
    source_type: Callable = lambda elem_type: elem_type
    type_of: str = "input"  # which the type in the table is
    shape: tuple = SHAPE  # of source 0


def elementwise(f, **more):
    return Spec(np.vectorize(f, otypes=[object]), **more)


def binary(f):
    return Spec(f, sources=2, broadcasts_since=7)


def nary(f):
    return Spec(lambda *x: f(np.stack(np.broadcast_arrays(*x)), 0), sources=3, broadcasts_since=8)


def reduction(f, change=18, **more):
    """Over axis 1, which is an attribute before version `change`, an input from there on."""
    return Spec(lambda x: f(x, 1),
                attributes=lambda v: {"keepdims": 0} | ({"axes": [1]} if v < change else {}),
                constants=lambda v, _: (np.array([1], np.int64),) if v >= change else (), **more)


def view(shape, **more):
    return Spec(lambda x: x.reshape(shape), **more)


def axes_13(axes):
    return {"attributes": lambda v: {"axes": axes} if v < 13 else {},
            "constants": lambda v, _: (np.array(axes, np.int64),) if v >= 13 else ()}


def in_f64(f, **more):
    return Spec(lambda x: f(x.astype(np.float64)), **more)


def standardized(x, axis):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)


def softmax(x):
    exponentials = np.exp(x - x.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


def row(values):
    return lambda v, elem_type: tuple(np.array(each, dtype_of(elem_type)) for each in values)


SCALE, BIAS = (1, 2, 3, 0.5), (0, 1, 2, 3)


def total(x, axis):
    return np.sum(x, axis)


def exp_total(x, axis):
    return np.sum(np.exp(x.astype(np.float64)), axis)


def log(x):
    return np.log(x.astype(np.float64))


def softplus(x):
    return math.log1p(math.exp(x))


def cast_to(elem_type, version):
    return {"to": TensorProto.DataType.Name(elem_type) if version < 6 else elem_type}


def quotient(x, y):
    return x / y if x.dtype == np.float64 else np.trunc(x.astype(np.float64) / y.astype(np.float64))


def clip(version, elem_type):
    low, high = (np.array(value, dtype_of(elem_type)) for value in (1, 4))
    return (low, high) if version >= 11 else ()


OTHER = {TensorProto.FLOAT: TensorProto.DOUBLE}  # what is cast from and to; for the rest it is FLOAT


def other(elem_type):
    return OTHER.get(elem_type, TensorProto.FLOAT)


SPECS = {
    "Abs": elementwise(abs),
    "Add": binary(lambda x, y: x + y),
    "Clip": elementwise(lambda x: min(max(x, 1), 4), attributes=lambda v: {"min": 1.0, "max": 4.0} if v < 11 else {},
                        constants=clip),
    "Constant": Spec(None, sources=0),  # its value is an attribute
    "Div": binary(quotient),
    "Elu": elementwise(lambda x: x if x > 0 else 0.5 * math.expm1(x), attributes=lambda v: {"alpha": 0.5}),
    "Exp": elementwise(math.exp),
    "Flatten": view((3, 4)),
    "Gelu": elementwise(lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
    "HardSigmoid": elementwise(lambda x: min(max(0.25 * x + 0.5, 0), 1), attributes=lambda v: {"alpha": 0.25, "beta": 0.5}),
    "HardSwish": elementwise(lambda x: x * min(max(x / 6 + 0.5, 0), 1)),
    "Identity": elementwise(lambda x: x),
    "InstanceNormalization": in_f64(lambda x: standardized(x, 2) * np.reshape(SCALE[:3], (3, 1)) + np.reshape(BIAS[:3], (3, 1)),
                                    constants=row([SCALE[:3], BIAS[:3]]), shape=(1, 3, 4)),
    "LayerNormalization": in_f64(lambda x: standardized(x, 1) * SCALE + BIAS, constants=row([SCALE, BIAS])),
    "LeakyRelu": elementwise(lambda x: 0.25 * x if x < 0 else x, attributes=lambda v: {"alpha": 0.25}),
    "Log": elementwise(math.log, positive=True),
    "LogSoftmax": in_f64(lambda x: np.log(softmax(x))),
    "LpNormalization": in_f64(lambda x: x / np.sqrt((x * x).sum(1, keepdims=True))),
    "Max": nary(np.max),
    "Mean": nary(np.mean),
    "MeanVarianceNormalization": in_f64(lambda x: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-9),
                                        attributes=lambda v: {"axes": [1]}),
    "Min": nary(np.min),
    "Mish": elementwise(lambda x: x * math.tanh(softplus(x))),
    "Mul": binary(lambda x, y: x * y),
    "Neg": elementwise(lambda x: -x),
    "Pow": elementwise(lambda x: x * x, constants=lambda v, elem_type: (np.array(2, dtype_of(elem_type)),),
                       attributes=lambda v: {"broadcast": 1} if v < 7 else {}),
    "RMSNormalization": in_f64(lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5) * SCALE, constants=row([SCALE])),
    "Reciprocal": elementwise(lambda x: 1 / x, positive=True),
    "ReduceL1": reduction(lambda x, axis: total(abs(x), axis)),
    "ReduceL2": reduction(lambda x, axis: np.sqrt(total(x * x, axis).astype(np.float64))),
    "ReduceLogSum": reduction(lambda x, axis: log(total(x, axis)), positive=True),
    "ReduceLogSumExp": reduction(lambda x, axis: log(exp_total(x, axis))),
    "ReduceMax": reduction(np.max),
    "ReduceMean": reduction(lambda x, axis: total(x, axis).astype(np.float64) / x.shape[axis]),
    "ReduceMin": reduction(np.min),
    "ReduceProd": reduction(np.prod, positive=True),
    "ReduceSum": reduction(total, change=13),
    "ReduceSumSquare": reduction(lambda x, axis: total(x * x, axis)),
    "Relu": elementwise(lambda x: max(x, 0)),
    "Reshape": view((2, 6), attributes=lambda v: {"shape": [2, 6]} if v < 5 else {},
                    constants=lambda v, _: (np.array([2, -1], np.int64),) if v >= 5 else ()),
    "Round": elementwise(round),
    "Sigmoid": elementwise(lambda x: 1 / (1 + math.exp(-x))),
    "Softmax": in_f64(softmax),
    "Softplus": elementwise(softplus),
    "Sqrt": elementwise(math.sqrt, positive=True),
    "Squeeze": view((3, 4)),
    "Sub": binary(lambda x, y: x - y),
    "Sum": nary(np.sum),
    "Tanh": elementwise(math.tanh),
    "Unsqueeze": view((1, 3, 4), **axes_13([0])),
    "Cast from": elementwise(lambda x: x, target=other),
    "Cast to": elementwise(lambda x: x, source_type=other, type_of="output"),
}


@dataclasses.dataclass
class Part:
    """A node, what it reads and what it gives; names begin with its type's."""

    node: onnx.NodeProto
    source_type: int
    target: int
    inputs: dict
    constants: dict
    expected: np.ndarray


def make_part(name, version, elem_type):
    op, spec = name.split()[0], SPECS[name]
    source_type, target = spec.source_type(elem_type), spec.target(elem_type)
    prefix = TensorProto.DataType.Name(elem_type)
    shapes = [spec.shape if i == 0 or version < spec.broadcasts_since else ROW for i in range(spec.sources)]
    # A source that is cast has values of what it is cast to.
    arrays = [values(elem_type, shape, i, spec.positive).astype(dtype_of(source_type)) for i, shape in enumerate(shapes)]
    inputs = {f"{prefix}_x{i}": array for i, array in enumerate(arrays)}
    constants = {f"{prefix}_c{i}": array for i, array in enumerate(spec.constants(version, elem_type))}
    attributes = cast_to(target, version) if op == "Cast" else spec.attributes(version)
    if op == "Constant":
        expected = values(elem_type, SHAPE)
        attributes = {"value": numpy_helper.from_array(expected, "value")}
    else:
        expected = np.asarray(spec.compute(*(a.astype(np.float64) if is_float(source_type) else a.astype(object) for a in arrays)))
        if not is_float(target) and target != TensorProto.BOOL:
            expected = np.trunc(expected.astype(np.float64))
        expected = expected.astype(np.float64).astype(dtype_of(target))
    node = helper.make_node(op, [*inputs, *constants], [f"{prefix}_y"], **attributes)
    return Part(node, source_type, target, inputs, constants, expected)


def make_model(parts, version):
    """A model of nodes that have nothing to do with each other."""
    inputs = [helper.make_tensor_value_info(n, p.source_type, a.shape) for p in parts for n, a in p.inputs.items()]
    outputs = [helper.make_tensor_value_info(p.node.output[0], p.target, p.expected.shape) for p in parts]
    constants = [numpy_helper.from_array(a, n) for p in parts for n, a in p.constants.items()]
    graph = helper.make_graph([p.node for p in parts], "parts", inputs, outputs, initializer=constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)


def allowed_types(name, version):
    """The element types that ONNX's own schema lets the op have in that version."""
    op, spec = name.split()[0], SPECS[name]
    schema = onnx.defs.get_schema(op, version)
    ports = schema.inputs if schema.inputs and spec.type_of == "input" else schema.outputs
    allowed = next(c.allowed_type_strs for c in schema.type_constraints if c.type_param_str == ports[0].type_str)
    by_name = {f"tensor({name.lower()})": number for name, number in TensorProto.DataType.items()}
    return {by_name[a] for a in allowed if a in by_name}


def versions(name):
    schemas = onnx.defs.get_all_schemas_with_history()
    return sorted(s.since_version for s in schemas if s.name == name.split()[0] and s.domain == "")


def difference(expected, got):
    """What is wrong with an output; None where it is right."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype} of {got.shape}, not {expected.dtype} of {expected.shape}"
    if expected.dtype.kind in "iub":
        return None if np.array_equal(got, expected) else f"{got.tolist()}, not {expected.tolist()}"
    rtol = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}[expected.dtype.name]
    close = np.allclose(got.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=rtol)
    return None if close else f"{got.tolist()}, not {expected.tolist()}"
