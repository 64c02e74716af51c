#!/usr/bin/env python3
"""Checks the budgets: files up to 400 lines (with a waiver up to 600), functions under 60 lines.

Waivers stand in waivers.txt, each with its reason. A waiver that is no longer needed is an error too.
"""
import re
import sys

import sources

FILE_LIMIT = 400
FILE_LIMIT_WITH_WAIVER = 600
FUNCTION_LIMIT = 60

LITERALS_AND_COMMENTS = re.compile(
    r'R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"' r'|"(?:\\.|[^"\\\n])*"' r"|(?<![0-9a-zA-Z])'(?:\\.|[^'\\\n])+'"
    r"|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
NOT_A_FUNCTION = re.compile(r"^\s*(?:inline\s+)?(?:namespace|extern|enum|union)\b|^\s*(?:template\s*<.*>\s*)?(?:class|struct)\b[^()]*$|=\s*$",
                            re.DOTALL)


def blank(match):
    """What is no code keeps its lines and loses its text."""
    return re.sub(r"[^\n]", " ", match.group())


def opens_function(head):
    """Whether the text between the last statement and a brace is a function's signature."""
    return ")" in head and not NOT_A_FUNCTION.search(head) and "=" not in re.sub(r"\(.*\)|operator\s*\S+", "", head, flags=re.DOTALL)


def name_of(head):
    match = re.search(r"(operator\s*[^\s(]+|~?\w+(?:::~?\w+)*)\s*\(", head)
    if not match:
        return "?"
    if match.group(1).startswith("TEST"):
        return re.sub(r"\s+", " ", head.strip())
    return match.group(1)


def functions(text):
    """Yields (name, first line, lines) of every function at namespace or class scope."""
    text = LITERALS_AND_COMMENTS.sub(blank, text)
    head_start = 0
    inside = None  # (name, first line, depth) of the function that is open
    depth = 0
    parentheses = 0
    for position, character in enumerate(text):
        if character in "()":
            parentheses += 1 if character == "(" else -1
        elif character == "{":
            head = text[head_start:position]
            if inside is None and parentheses == 0 and opens_function(head):
                first = position - len(head.lstrip())
                inside = (name_of(head), text.count("\n", 0, first) + 1, depth)
            depth += 1
        elif character == "}":
            depth -= 1
            if inside is not None and depth == inside[2]:
                # `member{value}` in a list of initialisers closes a brace too: the body is what comes last.
                rest = text[position + 1:].lstrip()
                if not rest.startswith((",", "{")):
                    yield inside[0], inside[1], text.count("\n", 0, position) + 1 - inside[1] + 1
                    inside = None
        if inside is None and parentheses == 0 and (character in ";{}" or is_access_label(text, position)):
            head_start = position + 1


def is_access_label(text, position):
    return text[position] == ":" and re.search(r"\b(?:public|private|protected)\s*:$", text[max(0, position - 12):position + 1])


def read_waivers():
    """Lines `PATH[:FUNCTION]  REASON`; # starts a comment."""
    waivers = {}
    for line in (sources.ROOT / "tests/style/waivers.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            what, reason = line.split(maxsplit=1)
            waivers[what] = reason
    return waivers


def main():
    waivers = read_waivers()
    used = set()
    problems = []

    def over_budget(key, message):
        used.add(key)
        if key not in waivers:
            problems.append(message)

    for path in sources.source_files():
        text = (sources.ROOT / path).read_text()
        lines = text.count("\n")
        if lines > FILE_LIMIT_WITH_WAIVER:
            problems.append(f"{path}: {lines} lines; even with a waiver the limit is {FILE_LIMIT_WITH_WAIVER}")
        if lines > FILE_LIMIT:
            over_budget(str(path), f"{path}: {lines} lines; the limit is {FILE_LIMIT}")
        for name, line, length in functions(text):
            if length >= FUNCTION_LIMIT:
                over_budget(f"{path}:{name}", f"{path}:{line}: {name} has {length} lines; functions stay under {FUNCTION_LIMIT}")
    problems += [f"tests/style/waivers.txt: {key} needs no waiver" for key in waivers if key not in used]
    print("\n".join(problems) if problems else "all files and functions are within their budgets")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
