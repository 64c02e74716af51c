"""onefold: graphs of reductions, element-wise and broadcast operations, compiled for the CPU.

    import numpy as np, onefold

    graph = onefold.Graph()
    x = graph.input("x", np.float32)
    graph.output(graph.op("ReduceMean", x, axes=[-1]))
    mean = graph.compile()
    mean(np.ones((2, 3), np.float32))  # array([1., 1.], dtype=float32)

onefold.load() reads .onnx and .json files. onefold.onnxruntime registers the execution provider with ONNX Runtime,
onefold.onnx_backend is a backend of the package onnx.
"""
from ._core import CompiledGraph, Graph, Partition, Port, Tensor, load
from ._core import version as _version
from ._error import Error

Error.__module__ = __name__
__version__ = _version()
__all__ = ["CompiledGraph", "Error", "Graph", "Partition", "Port", "Tensor", "load"]
