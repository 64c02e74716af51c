#!/usr/bin/env python3
"""Checks that the library exports the functions that the C header declares, and nothing else."""
import argparse
import pathlib
import re
import subprocess
import sys


def declared(header):
    text = re.sub(r"//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", "", pathlib.Path(header).read_text(), flags=re.DOTALL | re.MULTILINE)
    return set(re.findall(r"\bONEFOLD_API\b[^;(]*?\b(\w+)\s*\(", text))


def exported(library, nm):
    output = subprocess.run([nm, "--dynamic", "--defined-only", "--format=posix", library], capture_output=True, text=True,
                            check=True).stdout
    return {line.split()[0] for line in output.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("header")
    parser.add_argument("--nm", default="nm")
    arguments = parser.parse_args()
    in_header = declared(arguments.header)
    in_library = exported(arguments.library, arguments.nm)
    for name in sorted(in_header - in_library):
        print(f"declared in the header but not exported: {name}")
    for name in sorted(in_library - in_header):
        print(f"exported but not declared in the header: {name}")
    print(f"{len(in_header)} functions declared, {len(in_library)} symbols exported")
    return 0 if in_header and in_header == in_library else 1


if __name__ == "__main__":
    sys.exit(main())
