"""Every op, in every version and type that ONNX gives it and ONNX Runtime loads, computed by onefold's provider alone."""
import collections
import sys

import onnx_one_node
from onnx import TensorProto

import onefold_provider

OLDEST = 7  # what ONNX Runtime promises to load
NEWEST = 21  # no later version changes an op of ours in more than the types it takes

TYPES = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.BOOL,
         TensorProto.INT8, TensorProto.INT16, TensorProto.INT32, TensorProto.INT64,
         TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64}


def refusal_of_host(message):
    """Whether it is ONNX Runtime that does not load the model, whatever the provider."""
    return "INVALID_GRAPH" in message or "is under development and support for this is limited" in message


def check(part, version):
    """None where it is right; else (is the host's refusal, message)."""
    model = onnx_one_node.make_model([part], version)
    try:
        session = onefold_provider.make_session(model, claim="all", alone=True, optimize=False)
    except Exception as e:
        return refusal_of_host(str(e)), str(e)
    got, = onefold_provider.run(session, part.inputs)
    wrong = onnx_one_node.difference(part.expected, got)
    return wrong and (False, wrong)


def main():
    onefold_provider.register()
    counts, wrong = collections.Counter(), []
    for name in onnx_one_node.SPECS:
        if name == "Constant":  # the host makes an initializer of it
            continue
        for version in sorted({*onnx_one_node.versions(name), OLDEST, NEWEST}):
            if not OLDEST <= version <= NEWEST or version < min(onnx_one_node.versions(name)):
                continue
            for elem_type in sorted(onnx_one_node.allowed_types(name, version) & TYPES):
                part = onnx_one_node.make_part(name, version, elem_type)
                failure = check(part, version)
                counts["right" if failure is None else "not loaded by ONNX Runtime" if failure[0] else "wrong"] += 1
                if failure and not failure[0]:
                    wrong.append(f"{name}, version {version}, {part.node.input[:1]}: {failure[1]}")
    print("\n".join(wrong))
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if wrong or counts["right"] < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
