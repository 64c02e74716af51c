"""onefold as a backend of the package onnx (onnx.backend.base): prepare(model).run(inputs)."""
from __future__ import annotations

import pathlib
import tempfile
import typing

import onnx
import onnx.backend.base

from ._core import CompiledGraph, load
from ._error import Error

__all__ = ["Backend", "Model", "prepare", "run_model", "supports_device"]


class Model(onnx.backend.base.BackendRep):
    """A model that is ready to run."""

    def __init__(self, model: onnx.ModelProto) -> None:
        # Models with open dims are read again for the arrays that they are called with: the file stays.
        self._folder = tempfile.TemporaryDirectory(prefix="onefold_")
        path = pathlib.Path(self._folder.name) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        self._types = [o.type.tensor_type.elem_type for o in model.graph.output]
        self.graph: CompiledGraph = load(path)

    def run(self, inputs: typing.Any, **_: typing.Any) -> tuple[typing.Any, ...]:
        """The outputs, in the model's order. `inputs`: arrays in the order of the model's inputs, or by name; one array for a
        model with one input.
        """
        if isinstance(inputs, dict):
            results = self.graph(**inputs)
        else:
            results = self.graph(*(inputs if isinstance(inputs, (list, tuple)) else [inputs]))
        results = results if isinstance(results, tuple) else (results,)
        return tuple(self._typed(result, elem_type) for result, elem_type in zip(results, self._types))

    def _typed(self, result: typing.Any, elem_type: int) -> typing.Any:
        if elem_type != onnx.TensorProto.BFLOAT16:
            return result
        return result.view(onnx.helper.tensor_dtype_to_np_dtype(elem_type))


class Backend(onnx.backend.base.Backend):
    """onnx.backend.base.Backend for the CPU."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: typing.Any) -> Model:
        """Reads the model; what it has that onefold does not raises Error when it is run."""
        if not cls.supports_device(device):
            raise Error(f"device {device}: onefold computes on the CPU", "invalid_arguments")
        return Model(model)

    @classmethod
    def run_model(cls, model: onnx.ModelProto, inputs: typing.Any, device: str = "CPU", **_: typing.Any) -> tuple[typing.Any, ...]:
        return cls.prepare(model, device).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device.split(":")[0] == "CPU"


prepare = Backend.prepare
run_model = Backend.run_model
supports_device = Backend.supports_device
