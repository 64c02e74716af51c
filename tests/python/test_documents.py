"""The examples in the documents run: each ```python block in README.md and docs/, and that in the package's docstring."""
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

import onefold

ROOT = pathlib.Path(__file__).resolve().parents[2]


def examples():
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text()
        for block in re.finditer(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            yield pytest.param(block.group(1), id=f"{path.name}:{text.count(chr(10), 0, block.start()) + 1}")
    (code,) = re.findall(r"^ {4}import .*?(?=^\S)", onefold.__doc__, flags=re.DOTALL | re.MULTILINE)
    yield pytest.param(textwrap.dedent(code), id="docstring")


@pytest.mark.parametrize("code", list(examples()))
def test_example(code):
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
