"""ONNX Runtime, with all nodes given to onefold's provider, for tests/conformance/onnx_backend_test.py."""
import numpy as np

import onefold_provider

onefold_provider.register()


class Refused(Exception):
    """The provider did not take the model's nodes."""


class NotAnArray(Exception):
    """A value that is no tensor of a type that arrays can have."""


def checked(value):
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype == object:
        raise NotAnArray(f"a value of {type(value).__name__} is no array of numbers")
    if value.dtype.kind == "V" and value.dtype != onefold_provider.BFLOAT16:
        raise NotAnArray(f"NumPy has no type of its own for {value.dtype.name}")
    return value


class Model:
    def __init__(self, model):
        self.names = [i.name for i in model.graph.input]
        try:
            self.session = onefold_provider.make_session(model, claim="all", alone=True, optimize=False)
        except Exception as e:
            raise Refused(str(e)) from e

    def run(self, inputs):
        return tuple(onefold_provider.run(self.session, dict(zip(self.names, map(checked, inputs)))))


def prepare(model):
    return Model(model)
