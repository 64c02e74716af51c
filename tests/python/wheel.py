#!/usr/bin/env python3
"""Whether `pip install .` gives a package that works by itself: wheel.py FOLDER

Builds and installs into a virtual environment in FOLDER; the build tree is kept for the next time. The installed package must
load no library but its own and those that every Linux has, and compute. CC and CXX in the environment are the compilers; where
CMAKE_CXX_COMPILER_LAUNCHER names no compiler cache that has the kernels already, those for one ISA have to do.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ON_EVERY_LINUX = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libz|ld-linux-x86-64)\.so\.\d+")
PROGRAM = """
import pathlib, sys
import numpy as np, onefold

package = pathlib.Path(onefold.__file__).parent
assert package.is_relative_to(sys.prefix), package
assert onefold.__version__ == sys.argv[1], onefold.__version__
assert "class CompiledGraph" in (package / "_core.pyi").read_text() and (package / "py.typed").exists()

x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
graph = onefold.Graph()
graph.output(graph.op("ReduceMean", graph.input("x"), axes=[0, 2]))
assert np.array_equal(graph.compile()(x), x.mean((0, 2)))

mean = onefold.load(sys.argv[2])
x = np.ones(mean.inputs[0].shape, np.float32)
assert (mean(x) == 1).all()

outside = {line.split()[-1] for line in open("/proc/self/maps") if "/lib" in line}
assert {p for p in outside if "libonefold" in p or "libtbb" in p} <= {str(p) for p in package.glob("lib/*")}, outside
"""


def run(*command, **options):
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, **options)


def needed_by(file):
    listed = subprocess.run(["readelf", "--dynamic", "--wide", file], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listed)


def check_libraries(package):
    files = [*package.glob("*.so"), *package.glob("lib/*")]
    assert any(file.name.startswith("libonefold.so") for file in files), files
    carried = {file.name for file in files}
    for file in files:
        foreign = [name for name in needed_by(file) if name not in carried and not ON_EVERY_LINUX.fullmatch(name)]
        assert not foreign, f"{file} needs {foreign}, which the wheel does not carry"


def settings(folder):
    if os.environ.get("CMAKE_CXX_COMPILER_LAUNCHER"):
        return []
    return [f"--config-settings=build-dir={folder}/{{wheel_tag}}",
            "--config-settings=cmake.define.CMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC"]


def main():
    folder = pathlib.Path(sys.argv[1]).absolute()
    for name in ("PYTHONPATH", "LD_LIBRARY_PATH"):  # where nothing else is to be found
        os.environ.pop(name, None)
    shutil.rmtree(folder / "environment", ignore_errors=True)
    run(sys.executable, "-m", "venv", folder / "environment")
    python = folder / "environment" / "bin" / "python"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", *settings(folder), ROOT)
    package = next((folder / "environment" / "lib").glob("python*/site-packages/onefold"))
    check_libraries(package)
    version = re.search(r"project\(onefold VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    run(python, "-I", "-c", PROGRAM, version, ROOT / "benchdnn_cases/op/f32/reducemean.json", cwd=folder)
    size = sum(file.stat().st_size for file in package.rglob("*") if file.is_file())
    print(f"the installed package has {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
