#!/usr/bin/env python3
"""Compiles and runs the examples in the documents: each ```cpp block with a main() in README.md and docs/, and the example in
the comment on top of graph.hpp. An example fails if it does not compile, warnings as errors, or does not exit with 0.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "include/onefold/graph.hpp"
WRAPPED = """#include <onefold/graph.hpp>
namespace onefold::graph {{
static std::vector<float> example() {{
{code}
    return y;
}}
}}
int main() {{ return onefold::graph::example() == std::vector<float>{{2, 5}} ? 0 : 1; }}
"""


def examples():
    """Yields (where, source text)."""
    comment = re.match(r"(?:///[^\n]*\n)+", HEADER.read_text()).group()
    code = "\n".join(re.findall(r"^///(     .*)$", comment, flags=re.MULTILINE))
    yield HEADER.name, WRAPPED.format(code=code)
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text() if path.exists() else ""
        for block in re.finditer(r"^```cpp\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            if "int main(" in block.group(1):
                yield f"{path.name}:{text.count(chr(10), 0, block.start()) + 1}", block.group(1)


def run(command, where, what):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if result.returncode != 0:
        print(f"{where}: {what} (exit code {result.returncode})\n{result.stdout}{result.stderr}")
    return result.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--library", required=True, help="libonefold.so")
    parser.add_argument("flags", nargs="*", help="more flags, after --")
    arguments = parser.parse_args()
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", f"-I{ROOT / 'include'}",
             *arguments.flags]
    link = [arguments.library, f"-Wl,-rpath,{pathlib.Path(arguments.library).parent}"]
    count, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = f"{folder}/example.cpp", f"{folder}/example"
        for where, text in examples():
            pathlib.Path(source).write_text(text)
            count += 1
            failed += not (run([arguments.compiler, *flags, source, "-o", program, *link], where, "does not compile")
                           and run([program], where, "does not run"))
    print(f"{count} examples, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
