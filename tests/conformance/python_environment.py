#!/usr/bin/env python3
"""A virtual environment with what requirements.txt names: python_environment.py [--also FILE] FOLDER [SCRIPT [ARGUMENTS...]]

Makes it, once, and runs the script in it. Where it cannot be made, for want of a network say, one line that begins with
"skipped: " tells why, the script is not run, and the exit code is 0. --also names another list of requirements.
"""
import os
import pathlib
import shutil
import subprocess
import sys

REQUIREMENTS = pathlib.Path(__file__).with_name("requirements.txt")


def make(folder, requirements):
    """None, or why it cannot be made."""
    done = folder / "installed"
    wanted = "".join(path.read_text() for path in requirements) + f"{sys.version}\n"
    if done.exists() and done.read_text() == wanted:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    commands = (
        [sys.executable, "-m", "venv", folder],
        [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--only-binary=:all:", "--retries=1", "--timeout=20",
         *(f"--requirement={path}" for path in requirements)],
    )
    for command in commands:
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            lines = (run.stderr or run.stdout).strip().splitlines() or ["no message"]
            return f"{' '.join(map(str, command[:4]))} failed: {lines[-1]}"
    done.write_text(wanted)
    return None


def main():
    arguments, requirements = sys.argv[1:], [REQUIREMENTS]
    if arguments[0] == "--also":
        requirements.append(pathlib.Path(arguments[1]))
        arguments = arguments[2:]
    folder, script = pathlib.Path(arguments[0]).absolute(), arguments[1:]
    if reason := make(folder, requirements):
        print(f"skipped: {reason}")
        return 0
    if script:
        os.execv(folder / "bin" / "python", [folder / "bin" / "python", *script])
    return 0


if __name__ == "__main__":
    sys.exit(main())
