#!/usr/bin/env python3
"""Checks that a library exports what ONNX Runtime looks for, and nothing else: check_exports.py NM LIBRARY"""
import subprocess
import sys

WANTED = {"CreateEpFactories", "ReleaseEpFactory"}


def main():
    nm, library = sys.argv[1:]
    lines = subprocess.run([nm, "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in lines.splitlines()}
    for name in sorted(WANTED - exported):
        print(f"{name} is not exported")
    for name in sorted(exported - WANTED):
        print(f"{name} is exported")
    return 0 if exported == WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
