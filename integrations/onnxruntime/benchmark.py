#!/usr/bin/env python3
"""ONNX Runtime's CPU provider against the same with onefold's: benchmark.py [--seconds S] [--threads N] [--claim fast|all] [--only REGEX]

Prints a Markdown table for docs/performance.md. Both sessions of a case run in one process, in turns, on the same inputs, whose
buffers and the outputs' are bound beforehand; the best of each counts. "/ CPU" is the CPU provider's time divided by that with
onefold: above 1, onefold is faster. bf16 has no CPU provider. $ONEFOLD_ONNXRUNTIME_EP is the library; the Python packages are
those of tests/requirements.txt.
"""
import argparse
import math
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).with_name("tests")))

import ml_dtypes
import numpy as np
import onnxruntime
from onnx import TensorProto

import models
import onefold_provider

TYPES = {"f32": (TensorProto.FLOAT, np.float32), "f16": (TensorProto.FLOAT16, np.float16),
         "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16)}

# Those of tests/benchmark.
MEANS = [
    ((64, 512, 28, 28), (0, 1)), ((64, 1024, 14, 14), (1,)), ((64, 2048, 7, 7), (2, 3)), ((1, 512, 56, 56), (1, 2, 3)),
    ((16, 1024), (0,)), ((8, 384, 1024), (2,)), ((8, 384, 1024), (1,)), ((32, 128, 56, 56), (0, 2, 3)),
    ((4096, 4096), (0,)), ((4096, 4096), (1,)), ((16777216,), (0,)), ((1, 16, 32), (2,)),
    ((128, 197, 768), (1,)), ((1000000, 8), (0,)), ((1000000, 8), (1,)), ((64, 3, 224, 224), (1,)),
]
PATTERN_SHAPE = (8, 384, 1024)
NARY_SHAPE = (8, 384, 1024)


def cases():
    """Yields (group, name, type, model, inputs)."""
    rng = np.random.default_rng(5)

    def normal(shape, dtype):
        return rng.standard_normal(shape, np.float32).astype(dtype)

    for name, (elem_type, dtype) in TYPES.items():
        for shape, axes in MEANS:
            label = f"{'x'.join(map(str, shape))}, axes {', '.join(map(str, axes))}"
            yield "ReduceMean", label, name, models.one_node("ReduceMean", [shape], elem_type, axes=axes), {"x0": normal(shape, dtype)}
        for op in ("Mean", "Max"):
            for count in (3, 8):
                inputs = {f"x{i}": normal(NARY_SHAPE, dtype) for i in range(count)}
                yield "n-ary", f"{op} of {count}", name, models.one_node(op, [NARY_SHAPE] * count, elem_type), inputs
        for pattern in models.PATTERNS:
            for opset in (13, 18):
                if opset == 13 and (pattern != "layer_norm" or name == "bf16"):  # the others do not change with the version
                    continue
                model = models.pattern(pattern, PATTERN_SHAPE, opset, elem_type)
                yield "written out", f"{pattern}, opset {opset}", name, model, {"x": normal(PATTERN_SHAPE, dtype)}


class Runner:
    def __init__(self, model, inputs, **options):
        self.session = onefold_provider.make_session(model, **options)
        values = {name: onefold_provider.to_value(array) for name, array in inputs.items()}
        self.output = self.session.run_with_ort_values(None, values)[0]
        self.binding = self.session.io_binding()
        for name, value in values.items():
            self.binding.bind_ortvalue_input(name, value)
        self.binding.bind_ortvalue_output(self.session.get_outputs()[0].name, self.output)
        self.values = values
        self.best = math.inf
        self.repeats = max(1, int(20e-6 / self.sample(1)))

    def sample(self, repeats):
        begin = time.perf_counter()
        for _ in range(repeats):
            self.session.run_with_iobinding(self.binding)
        return (time.perf_counter() - begin) / repeats

    def measure(self):
        self.best = min(self.best, self.sample(self.repeats))


def race(runners, seconds):
    end = time.perf_counter() + seconds * len(runners)
    while time.perf_counter() < end:
        for runner in runners:
            runner.measure()
    return [runner.best for runner in runners]


def largest_difference(runners):
    arrays = [onefold_provider.to_array(runner.output).astype(np.float64) for runner in runners]
    return max(np.max(np.abs(a - arrays[0]) / (1 + np.abs(arrays[0]))) for a in arrays)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.4, help="for each session of a case")
    parser.add_argument("--threads", type=int, default=0, help="of the session; 0: as many as ONNX Runtime takes")
    parser.add_argument("--claim", default="fast", choices=["fast", "all"])
    parser.add_argument("--only", default="", help="a regular expression that `GROUP NAME TYPE` must hold")
    arguments = parser.parse_args()
    onefold_provider.register()
    print(f"ONNX Runtime {onnxruntime.__version__}, claim={arguments.claim}, "
          f"{arguments.threads or 'as many as the machine has'} threads\n")
    print("| what | type | CPU provider, microseconds | with onefold | / CPU |\n| --- | --- | --- | --- | --- |")
    ratios = {}
    for group, name, type_name, model, inputs in cases():
        if not re.search(arguments.only, f"{group} {name} {type_name}"):
            continue
        runners = [Runner(model, inputs, claim=arguments.claim, threads=arguments.threads)]
        if type_name != "bf16":
            runners.append(Runner(model, inputs, claim="none", threads=arguments.threads))
        if largest_difference(runners) > (1e-3 if type_name == "f32" else 2e-2):
            sys.exit(f"{group} {name} {type_name}: the results differ by {largest_difference(runners):.2g}")
        ours, *cpu = race(runners, arguments.seconds)
        shown = f"{cpu[0] * 1e6:.1f} | {ours * 1e6:.1f} | {cpu[0] / ours:.2f}" if cpu else f"none | {ours * 1e6:.1f} | "
        if cpu:
            ratios.setdefault((group, type_name), []).append(cpu[0] / ours)
        print(f"| {group} {name} | {type_name} | {shown} |", flush=True)
    print("\n| group | type | cases | / CPU, geometric mean | least | most |\n| --- | --- | --- | --- | --- | --- |")
    for (group, type_name), values in ratios.items():
        print(f"| {group} | {type_name} | {len(values)} | {geometric_mean(values):.2f} | {min(values):.2f} | {max(values):.2f} |")


if __name__ == "__main__":
    main()
