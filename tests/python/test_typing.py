"""The package's types: its sources and the examples pass mypy, and what is wrong does not."""
import pathlib
import subprocess
import sys

import pytest

import onefold

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(onefold.__file__).parent


def mypy(tmp_path, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", f"--cache-dir={tmp_path}", *arguments]
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={"MYPYPATH": str(PACKAGE.parent)})
    return ran.stdout + ran.stderr


def test_package(tmp_path):
    # ONNX Runtime need not be there.
    assert mypy(tmp_path, "--disable-error-code=import-not-found", "-p", "onefold") == ""


def test_examples(tmp_path):
    assert mypy(tmp_path, *(ROOT / "examples").glob("python_*.py")) == ""


@pytest.mark.parametrize("line, words", [
    ("onefold.Graph().input(3)", 'Argument 1 to "input" of "Graph" has incompatible type "int"'),
    ("onefold.load('x.json', theads=2)", 'Unexpected keyword argument "theads"'),
    ("onefold.Error('x').code", '"Error" has no attribute "code"'),
    ("onefold.Graph().compile().partitions[0].steps[0]", "is not indexable"),  # None where nothing is compiled
])
def test_mistake(tmp_path, line, words):
    source = tmp_path / "mistake.py"
    source.write_text(f"import onefold\n{line}\n")
    assert words in mypy(tmp_path, source)
