#!/usr/bin/env python3
"""Checks that every source file is as clang-format leaves it; --fix formats them.

Versions of clang-format disagree, so the check runs with version 14 only and is skipped (exit code 77) otherwise.
"""
import argparse
import re
import shutil
import subprocess
import sys

import sources

SKIPPED = 77


def find_clang_format(named):
    for name in [named] if named else ["clang-format-14", "clang-format"]:
        path = shutil.which(name)
        if path and re.search(r"version 14\.", subprocess.run([path, "--version"], capture_output=True, text=True).stdout):
            return path
    return None


def is_formatted(clang_format, path):
    formatted = subprocess.run([clang_format, "--style=file", str(path)], cwd=sources.ROOT, capture_output=True, check=True)
    return formatted.stdout == (sources.ROOT / path).read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--clang-format")
    arguments = parser.parse_args()
    clang_format = find_clang_format(arguments.clang_format)
    if not clang_format:
        print("skipped: there is no clang-format 14")
        return SKIPPED
    if arguments.fix:
        files = [str(path) for path in sources.source_files()]
        return subprocess.run([clang_format, "--style=file", "-i", *files], cwd=sources.ROOT).returncode
    wrong = [path for path in sources.source_files() if not is_formatted(clang_format, path)]
    for path in wrong:
        print(f"{path}: not as clang-format leaves it; `make format` puts it right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
