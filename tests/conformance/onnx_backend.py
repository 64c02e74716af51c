"""onefold as a backend of the Python package onnx (onnx.backend.base): each run is one of the program `onefold`.

The program is $ONEFOLD_PROGRAM, or else the first `onefold` on the path.
"""
import os

import onnx.backend.base

import onnx_program

NotAnArray = onnx_program.NotAnArray  # a value that the backend cannot be given


class Refused(Exception):
    """The backend says that it does not take a model."""


class Model(onnx.backend.base.BackendRep):
    def __init__(self, model, program):
        self.model = model
        self.program = program

    def run(self, inputs, **_):
        """The outputs, in the model's order. `inputs`: a list of arrays in the order of the model's inputs."""
        initializers = {tensor.name for tensor in self.model.graph.initializer}
        names = [i.name for i in self.model.graph.input if i.name not in initializers]
        try:
            return tuple(onnx_program.run(self.program, self.model, dict(zip(names, inputs))))
        except onnx_program.Failed as e:
            if e.is_refusal:
                raise Refused(e.message.strip()) from e
            raise


class Backend(onnx.backend.base.Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **_):
        return Model(model, os.environ.get("ONEFOLD_PROGRAM", "onefold"))

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


prepare = Backend.prepare
run_model = Backend.run_model
supports_device = Backend.supports_device
