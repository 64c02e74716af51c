#!/usr/bin/env python3
"""ONNX's own node tests (onnx.backend.test), through the Python package: onnx_backend_test.py [--only REGEX] PROGRAM.

Every case whose ops the program knows is run, by a module in the manner of onnx_backend.py: another one is named by --backend.
Those that cannot pass are named, with the reason, in onnx_backend_excluded.txt, or what --excluded says: `PATTERN | WORDS |
REASON` a line, where the pattern is a regular expression that matches the whole name of a case, and the words one that is
found in the backend's refusal (or in "not an array": the case has values that the backend cannot be given). An excluded case
that passes, or that fails in another way, is an error; so is a pattern that no case needs.
"""
import argparse
import collections
import concurrent.futures
import importlib
import os
import pathlib
import re
import sys
import warnings

import numpy as np
import onnx
import onnx.backend.test.loader
import onnx.backend.test.runner

import onnx_program

EXCLUDED = pathlib.Path(__file__).with_name("onnx_backend_excluded.txt")
NOT_AN_ARRAY, REFUSED = "not an array", "refused"  # failures that may be excluded

Exclusion = collections.namedtuple("Exclusion", "pattern words reason")


def read_exclusions(path):
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [Exclusion(*(part.strip() for part in line.split(" | "))) for line in lines]


def as_array(value):
    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return value


def run_case(backend, case):
    """None where the case passes; else (kind of failure, message)."""
    for inputs, expected in case.data_sets:
        try:
            outputs = backend.prepare(case.model).run([as_array(value) for value in inputs])
        except backend.NotAnArray as e:
            return NOT_AN_ARRAY, str(e)
        except backend.Refused as e:
            return REFUSED, str(e)
        except Exception as e:
            return type(e).__name__, str(e).strip()
        try:
            onnx.backend.test.runner.Runner.assert_similar_outputs(
                [as_array(value) for value in expected], outputs, rtol=case.rtol, atol=case.atol)
        except AssertionError as e:
            return "wrong", str(e)
    return None


def judge(exclusion, failure, excluded):
    """What is wrong with the outcome of a case; None where it is as it must be."""
    if exclusion is None:
        return failure and f"{failure[0]}: {failure[1]}"
    if failure is None:
        return f"passes, but is excluded ({exclusion.reason}); remove it from {excluded.name}"
    kind, message = failure
    right = kind in (NOT_AN_ARRAY, REFUSED) and re.search(exclusion.words, f"{kind}: {message}")
    return None if right else f"is excluded ({exclusion.reason}), but fails otherwise: {kind}: {message}"


def load_cases(program, only):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # what the cases' own computations give
        cases = onnx.backend.test.loader.load_model_tests(kind="node")
    known = onnx_program.known_ops(program)
    chosen = [c for c in cases if {n.op_type for n in c.model.graph.node} <= known
              and all(n.domain in ("", "ai.onnx") for n in c.model.graph.node) and re.search(only, c.name)]
    return len(cases), known, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a regular expression that the names of cases must hold")
    parser.add_argument("--backend", default="onnx_backend", help="a module that can be imported")
    parser.add_argument("--excluded", type=pathlib.Path, default=EXCLUDED)
    parser.add_argument("program")
    arguments = parser.parse_args()
    os.environ["ONEFOLD_PROGRAM"] = os.path.abspath(arguments.program)
    backend = importlib.import_module(arguments.backend)
    exclusions = read_exclusions(arguments.excluded)
    total, known, cases = load_cases(os.environ["ONEFOLD_PROGRAM"], arguments.only)
    with concurrent.futures.ThreadPoolExecutor(onnx_program.workers()) as pool:
        failures = list(pool.map(lambda case: run_case(backend, case), cases))

    wrong, used, counts = [], set(), collections.Counter()
    for case, failure in zip(cases, failures):
        exclusion = next((e for e in exclusions if re.fullmatch(e.pattern, case.name)), None)
        if exclusion:
            used.add(exclusion)
            counts[exclusion.reason] += 1
        if problem := judge(exclusion, failure, arguments.excluded):
            wrong.append(f"{case.name}: {problem}")
    if not arguments.only:
        wrong += [f"{arguments.excluded.name}: no case needs the pattern {e.pattern}" for e in exclusions if e not in used]
    print("\n".join(wrong))
    print(f"onnx {onnx.__version__}: {total} node cases, {len(cases)} of the {len(known)} ops that the program knows: "
          f"{sum(f is None for f in failures)} pass, {sum(counts.values())} are excluded, {len(wrong)} errors")
    for reason, count in counts.most_common():
        print(f"  {count} excluded: {reason}")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
