"""The backend that onnx_backend_test.py runs: the Python package's (onefold.onnx_backend), which is given arrays only."""
import onefold
import onefold.onnx_backend

import onnx_program

NotAnArray = onnx_program.NotAnArray  # a value that the backend cannot be given
Refused = onefold.Error  # the backend says that it does not take a model


class Model:
    def __init__(self, model):
        self.model = onefold.onnx_backend.prepare(model)

    def run(self, inputs):
        """The outputs, in the model's order. `inputs`: a list of arrays in the order of the model's inputs."""
        for value in inputs:
            if not onnx_program.is_array(value):
                raise NotAnArray(f"a value of {type(value).__name__} is no array of numbers")
        return self.model.run(inputs)


prepare = Model
