"""onefold inside ONNX Runtime: registers the execution provider library, which is onefold's, with an installed onnxruntime.

    import onnxruntime, onefold.onnxruntime

    devices = onefold.onnxruntime.register()
    options = onnxruntime.SessionOptions()
    options.add_provider_for_devices(devices, {})
    session = onnxruntime.InferenceSession("model.onnx", sess_options=options)
"""
from __future__ import annotations

import os
import pathlib
import typing

from ._error import Error

LIBRARY = "libonefold_onnxruntime_ep.so"
VARIABLE = "ONEFOLD_ONNXRUNTIME_EP"  # the environment variable that names the library's file
NAME = "OnefoldExecutionProvider"

__all__ = ["LIBRARY", "NAME", "VARIABLE", "library", "register", "unregister"]


def library(path: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """Where the execution provider library is: `path`, or what ONEFOLD_ONNXRUNTIME_EP names, or beside this package.

    Raises Error where it is none of them.
    """
    folder = pathlib.Path(__file__).resolve().parent
    if path is not None:
        source, candidates = "library", [pathlib.Path(path)]
    elif variable := os.environ.get(VARIABLE):
        source, candidates = VARIABLE, [pathlib.Path(variable)]
    else:
        source, candidates = "the package", [folder / LIBRARY, folder / "lib" / LIBRARY]
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve()
    places = " nor ".join(str(candidate) for candidate in candidates)
    raise Error(f"{source}: there is no file {places}; the argument library or the environment variable {VARIABLE} tells where "
                f"{LIBRARY} is", "invalid_arguments")


def register(library_path: str | os.PathLike[str] | None = None, name: str = NAME) -> list[typing.Any]:
    """Registers the library with onnxruntime, once in a process, and returns the devices to give to
    SessionOptions.add_provider_for_devices().

    Raises Error where the library or onnxruntime is missing, or onnxruntime is too old or refuses it.
    """
    path = library(library_path)
    runtime = _runtime()
    try:
        runtime.register_execution_provider_library(name, str(path))
    except Exception as e:
        raise Error(f"onnxruntime {runtime.__version__} does not register {path}: {e}", "runtime_error") from e
    devices = [device for device in runtime.get_ep_devices() if device.ep_name == name]
    if not devices:
        runtime.unregister_execution_provider_library(name)
        raise Error(f"{path}: has no device for an execution provider named {name}", "runtime_error")
    return devices


def unregister(name: str = NAME) -> None:
    """Takes the library out of onnxruntime again; no session that uses it may be left."""
    _runtime().unregister_execution_provider_library(name)


def _runtime() -> typing.Any:
    try:
        import onnxruntime
    except ImportError as e:
        raise Error(f"the package onnxruntime cannot be imported: {e}", "runtime_error") from e
    if not hasattr(onnxruntime, "register_execution_provider_library"):
        raise Error(f"onnxruntime {onnxruntime.__version__} takes no execution provider libraries; 1.23.1 does",
                    "unimplemented")
    return onnxruntime
