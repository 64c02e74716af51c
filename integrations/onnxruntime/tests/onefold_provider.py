"""Sessions of ONNX Runtime with onefold's execution provider, and arrays of any type in and out of them.

The library is $ONEFOLD_ONNXRUNTIME_EP.
"""
import collections
import ctypes
import json
import os
import tempfile

import ml_dtypes
import numpy as np
import onnx
import onnxruntime

LIBRARY = os.path.abspath(os.environ["ONEFOLD_ONNXRUNTIME_EP"])
NAME = "OnefoldExecutionProvider"
REGISTRATION = "onefold"
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
ERRORS_ONLY = 4  # what tests make fail on purpose is not logged


def register():
    onnxruntime.set_default_logger_severity(ERRORS_ONLY)
    onnxruntime.register_execution_provider_library(REGISTRATION, LIBRARY)


def unregister():
    onnxruntime.unregister_execution_provider_library(REGISTRATION)


def devices():
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == NAME]


def make_session(model, *, claim=None, alone=False, threads=0, optimize=True, profile=None):
    """A session with the provider; without it where `claim` is "none". `alone`: fails if anything is left to the CPU provider."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if alone:
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = profile
    if claim != "none":
        options.add_provider_for_devices(devices(), {"claim": claim} if claim else {})
        return onnxruntime.InferenceSession(model.SerializeToString(), options)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def to_value(array):
    array = np.ascontiguousarray(array).reshape(np.shape(array))  # a scalar stays one
    if array.dtype == BFLOAT16:
        words = array.view(np.uint16)
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(words, onnx.TensorProto.BFLOAT16)
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def to_array(value):
    if value.element_type() == onnx.TensorProto.BFLOAT16:
        count = int(np.prod(value.shape(), dtype=np.int64))
        words = ctypes.string_at(value.data_ptr(), 2 * count) if count else b""
        return np.frombuffer(words, BFLOAT16).reshape(value.shape())
    return value.numpy()


def run(session, inputs):
    """The outputs, in the model's order. `inputs`: arrays by name."""
    values = {name: to_value(array) for name, array in inputs.items()}
    return [to_array(value) for value in session.run_with_ort_values(None, values)]


def nodes_by_provider(model, inputs, **options):
    """How many nodes each provider ran; the groups that onefold took count as one each."""
    with tempfile.TemporaryDirectory(prefix="onefold_") as folder:
        session = make_session(model, profile=os.path.join(folder, "profile"), **options)
        run(session, inputs)
        with open(session.end_profiling()) as file:
            events = json.load(file)
    return collections.Counter(event["args"]["provider"] for event in events if event.get("name", "").endswith("_kernel_time"))
