"""A layer normalization in Python: built, looked at, executed. Cells as of a notebook; runs as a program too."""
# %% A graph: inputs, ops by their names in the Graph API, outputs. Dims that are left open come from the arrays.
import numpy as np

import onefold

graph = onefold.Graph()
x = graph.input("x", np.float32, (None, None, 768))
centred = graph.op("Subtract", x, graph.op("ReduceMean", x, axes=[-1], keep_dims=True))
variance = graph.op("ReduceMean", graph.op("Square", centred), axes=[-1], keep_dims=True)
deviation = graph.op("Sqrt", graph.op("Add", variance, graph.constant(1e-5, np.float32)))
graph.output(graph.op("Divide", centred, deviation), "y")
layer_norm = graph.compile()

# %% Call it. The first call with a layout compiles for it, the next ones execute only.
tokens = np.random.default_rng(0).normal(3, 2, (8, 197, 768)).astype(np.float32)
y = layer_norm(tokens)
print("mean", float(y.mean()), "standard deviation", float(y.std()))
assert abs(y.mean()) < 1e-5 and abs(y.std() - 1) < 1e-4

# %% Into memory of your own, of any strides, and out of it: nothing is copied.
rows = np.zeros((8, 198, 768), np.float32)
layer_norm(tokens.transpose(1, 0, 2)[:100], out=rows[:, 1:101].transpose(1, 0, 2))
assert np.allclose(rows[:, 1:101], y[:, :100], atol=1e-5) and not rows[:, 0].any()

# %% What it is made of: the partitions, and the steps that were chosen for these arrays.
for partition in layer_norm.inspect(tokens):
    print(partition.ops, "->", partition.steps)

# %% bf16: words of 16 bits, which ml_dtypes and PyTorch see as bfloat16.
graph = onefold.Graph()
graph.output(graph.op("ReduceMean", graph.input("x", "bf16"), axes=[1]))
mean = graph.compile()
ones = np.full((4, 1000), 0x3F80, np.uint16)  # 1.0
assert (mean(ones) == 0x3F80).all()

# %% Whatever is refused says what is wrong, and has the Graph API's status.
try:
    layer_norm(tokens[..., :700])
except onefold.Error as error:
    print(error.status, "-", error)
    assert error.status == "invalid_shape"
else:
    raise AssertionError("700 columns were taken for 768")
