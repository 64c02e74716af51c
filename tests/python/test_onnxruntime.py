"""onefold.onnxruntime finds the library, and says what is wrong where it does not. (A stand-in for onnxruntime: the provider itself is
tested where it is built.)
"""
import sys
import types

import pytest

import onefold
import onefold.onnxruntime as ort


class Runtime(types.ModuleType):
    __version__ = "1.23.2"

    def __init__(self, *names):
        super().__init__("onnxruntime")
        self.names, self.registered = names, {}

    def register_execution_provider_library(self, name, path):
        if name in self.registered:
            raise RuntimeError(f"library is already registered under {name}")
        self.registered[name] = path

    def unregister_execution_provider_library(self, name):
        del self.registered[name]

    def get_ep_devices(self):
        return [types.SimpleNamespace(ep_name=name) for name in self.names]


@pytest.fixture
def runtime(monkeypatch):
    made = Runtime("CPUExecutionProvider", ort.NAME)
    monkeypatch.setitem(sys.modules, "onnxruntime", made)
    monkeypatch.delenv(ort.VARIABLE, raising=False)
    return made


@pytest.fixture
def library(tmp_path):
    path = tmp_path / ort.LIBRARY
    path.touch()
    return path


def test_register(runtime, library):
    (device,) = ort.register(library)
    assert device.ep_name == ort.NAME and runtime.registered == {ort.NAME: str(library)}
    with pytest.raises(onefold.Error, match="1.23.2 does not register .*already registered"):
        ort.register(library)
    ort.unregister()
    assert not runtime.registered


def test_environment(runtime, library, monkeypatch):
    monkeypatch.setenv(ort.VARIABLE, str(library))
    assert ort.library() == library and ort.register()
    monkeypatch.setenv(ort.VARIABLE, "/nowhere.so")
    with pytest.raises(onefold.Error, match=f"{ort.VARIABLE}: there is no file /nowhere.so"):
        ort.library()


def test_relative_path_becomes_absolute(runtime, library, monkeypatch):
    monkeypatch.chdir(library.parent)
    assert ort.library(ort.LIBRARY) == library


def test_library_beside_the_package(runtime, library, monkeypatch):
    monkeypatch.setattr(ort, "__file__", str(library.parent / "onnxruntime.py"))
    assert ort.library() == library


@pytest.mark.parametrize("path", ["/nowhere.so", "/"])
def test_no_library(runtime, path):
    with pytest.raises(onefold.Error, match="library: there is no file") as e:
        ort.register(path)
    assert e.value.status == "invalid_arguments" and ort.VARIABLE in str(e.value)


def test_provider_of_another_name(library, monkeypatch):
    runtime = Runtime("CPUExecutionProvider")
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    with pytest.raises(onefold.Error, match="no device for an execution provider named"):
        ort.register(library)
    assert not runtime.registered


def test_runtime_that_is_missing_or_old(library, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(onefold.Error, match="onnxruntime cannot be imported"):
        ort.register(library)
    old = types.ModuleType("onnxruntime")
    old.__version__ = "1.20.0"
    monkeypatch.setitem(sys.modules, "onnxruntime", old)
    with pytest.raises(onefold.Error, match="onnxruntime 1.20.0 takes no execution provider libraries") as e:
        ort.register(library)
    assert e.value.status == "unimplemented"
