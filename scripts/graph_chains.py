"""The chains that scripts/graph_cases writes: each a function that builds a graph over a source of some shape and axes."""
import dataclasses


@dataclasses.dataclass
class Tensor:
    id: int
    type: str
    shape: list


@dataclasses.dataclass
class Op:
    id: int
    kind: str
    srcs: list
    dsts: list
    attributes: dict


class Graph:
    """Ids of tensors and ops are in the order in which they are made, those of casts apart, so that the same chain has the same
    ids with and without them."""
    FIRST_CAST = 100

    def __init__(self, data_type):
        self.outside = data_type
        self.inputs, self.outputs, self.ops = [], [], []
        self.tensors = self.casts = 0

    def tensor(self, shape):
        self.tensors += 1
        return Tensor(self.tensors - 1, "f32", shape)

    def input(self, shape, data_type="f32"):
        tensor = self.tensor(list(shape))
        tensor.type = data_type
        self.inputs.append(tensor)
        return tensor

    def source(self, shape):
        """An input that is cast to f32 where the graph is one of a small type."""
        tensor = self.input(shape, self.outside)
        return tensor if self.outside == "f32" else self.cast(tensor, "f32")

    def cast(self, src, data_type):
        dst = Tensor(self.FIRST_CAST + self.casts, data_type, src.shape)
        self.ops.append(Op(self.FIRST_CAST + self.casts, "TypeCast", [src], [dst], {}))
        self.casts += 1
        return dst

    def add(self, kind, *srcs, shapes=None, **attributes):
        """An op in f32; its dst, or its dsts where `shapes` lists theirs."""
        dsts = [self.tensor(shape) for shape in shapes or [shape_of(kind, srcs, attributes)]]
        op_id = sum(op.kind != "TypeCast" for op in self.ops)
        self.ops.append(Op(op_id, kind, list(srcs), dsts, attributes))
        return dsts if shapes else dsts[0]

    def output(self, *tensors):
        for tensor in tensors:
            self.outputs.append(tensor if self.outside == "f32" else self.cast(tensor, self.outside))


def shape_of(kind, srcs, attributes):
    if kind.startswith("Reduce"):
        axes = [axis % len(srcs[0].shape) for axis in attributes["axes"]]
        sizes = [1 if i in axes else size for i, size in enumerate(srcs[0].shape)]
        return sizes if attributes["keep_dims"] else [size for i, size in enumerate(sizes) if i not in axes]
    shape = list(srcs[0].shape)
    for src in srcs[1:]:
        rank = max(len(shape), len(src.shape))
        pairs = zip([1] * (rank - len(shape)) + shape, [1] * (rank - len(src.shape)) + src.shape)
        shape = [b if a == 1 else a for a, b in pairs]
    return shape


def over(shape, axes):
    """The dims of a tensor that has the reduced dims only, without leading ones: gamma and beta."""
    axes = [axis % len(shape) for axis in axes]
    sizes = [size if i in axes else 1 for i, size in enumerate(shape)]
    return sizes[min(axes):]


def beside(shape, axes):
    """The dims of a tensor that has the kept dims, but dim 0, only: values a channel."""
    axes = [axis % len(shape) for axis in axes]
    return [1 if i in axes or i == 0 else size for i, size in enumerate(shape)]


TRAILING = [([17, 257], [-1]), ([3, 1000], [1]), ([49, 1], [1]), ([2, 5000], [-1]), ([1, 3], [1]), ([6, 5, 49], [1, 2])]
MIDDLE = [([3, 17, 49], [1]), ([2, 257, 3], [1]), ([5, 3, 17, 2], [1, 2])]
LEADING = [([257, 17], [0]), ([1000, 3], [0]), ([49, 257], [0])]
EVERYTHING = [([17, 49], [0, 1])]
ANYWHERE = [TRAILING[0], MIDDLE[0], LEADING[0], *TRAILING[1:], *MIDDLE[1:], *LEADING[1:], *EVERYTHING]
SPATIAL = [([2, 3, 17, 49], [2, 3]), ([1, 17, 1, 257], [2, 3]), ([5, 3, 1, 1], [2, 3])]
BATCH = [([2, 3, 17, 49], [0, 2, 3]), ([17, 5, 1, 3], [0, 2, 3]), ([257, 49, 1, 1], [0, 2, 3])]
DROPPED = [LEADING[0], *LEADING[1:], *EVERYTHING]  # what broadcasts back without keep_dims


@dataclasses.dataclass
class Chain:
    build: object
    base: tuple
    others: list
    folder: str = "pattern"
    partitions: int = 1
    plain_types: tuple = ("f32", "bf16", "f16")  # none where the f32 graph has casts: it is run as it is
    cast_types: tuple = ("bf16", "f16")

    @property
    def name(self):
        return self.build.__name__

    def graph(self, data_type, shape=None, axes=None):
        graph = Graph(data_type)
        self.build(graph, list(shape or self.base[0]), list(axes or self.base[1]))
        return graph

    def variants(self, is_short):
        return self.others[:3] if is_short else self.others


CHAINS = []


def chain(base, others, **options):
    def register(build):
        CHAINS.append(Chain(build, base, others, **options))
        return build
    return register


ROWS = ([16, 40, 50], [-1])
IMAGE = ([4, 8, 14, 14], [2, 3])


def mean(g, src, axes, keep_dims=True):
    return g.add("ReduceMean", src, axes=axes, keep_dims=keep_dims)


def centred(g, src, axes, keep_dims=True):
    return g.add("Subtract", src, mean(g, src, axes, keep_dims))


def plus_epsilon(g, src):
    return g.add("Add", src, g.input([1]))


def divided_by_root(g, src, square):
    return g.add("Divide", src, g.add("Sqrt", square))


def times_reciprocal_root(g, src, square):
    return g.add("Multiply", src, g.add("Reciprocal", g.add("Sqrt", square)))


def affine(g, src, shape):
    return g.add("Add", g.add("Multiply", src, g.source(shape)), g.source(shape))


# Layer normalization


@chain(ROWS, ANYWHERE)
def layer_norm_pow(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Pow", difference, beta=2.0), axes)
    g.output(affine(g, divided_by_root(g, difference, plus_epsilon(g, variance)), over(shape, axes)))


@chain(ROWS, ANYWHERE)
def layer_norm_multiply(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Multiply", difference, difference), axes)
    g.output(affine(g, times_reciprocal_root(g, difference, plus_epsilon(g, variance)), over(shape, axes)))


@chain(ROWS, ANYWHERE)
def layer_norm_squared_difference(g, shape, axes):
    x = g.source(shape)
    average = mean(g, x, axes)
    variance = mean(g, g.add("SquaredDifference", x, average), axes)
    root = g.add("Sqrt", plus_epsilon(g, variance))
    g.output(affine(g, g.add("Divide", g.add("Subtract", x, average), root), over(shape, axes)))


@chain(ROWS, ANYWHERE)
def layer_norm_power_of_minus_half(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Square", difference), axes)
    factor = g.add("Pow", plus_epsilon(g, variance), beta=-0.5)
    g.output(affine(g, g.add("Multiply", difference, factor), over(shape, axes)))


@chain(ROWS, ANYWHERE)
def layer_norm_not_affine(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Square", difference), axes)
    g.output(divided_by_root(g, difference, plus_epsilon(g, variance)))


@chain(ROWS, ANYWHERE)
def residual_layer_norm(g, shape, axes):
    total = g.add("Add", g.source(shape), g.source(shape))
    difference = centred(g, total, axes)
    variance = mean(g, g.add("Pow", difference, beta=2.0), axes)
    y = affine(g, divided_by_root(g, difference, plus_epsilon(g, variance)), over(shape, axes))
    g.output(y, total)


# RMS normalization


@chain(ROWS, ANYWHERE)
def rms_norm_pow(g, shape, axes):
    x = g.source(shape)
    square = mean(g, g.add("Pow", x, beta=2.0), axes)
    normalized = times_reciprocal_root(g, x, plus_epsilon(g, square))
    g.output(g.add("Multiply", g.source(over(shape, axes)), normalized))


@chain(ROWS, ANYWHERE)
def rms_norm_multiply(g, shape, axes):
    x = g.source(shape)
    square = mean(g, g.add("Multiply", x, x), axes)
    normalized = divided_by_root(g, x, plus_epsilon(g, square))
    g.output(g.add("Multiply", normalized, g.source(over(shape, axes))))


@chain(ROWS, ANYWHERE, plain_types=("f32",))
def rms_norm_gamma_behind_cast(g, shape, axes):
    """As language models have it: normalized in f32, scaled in the model's type."""
    x = g.source(shape)
    square = mean(g, g.add("Square", x), axes)
    normalized = g.add("Multiply", x, g.add("Pow", plus_epsilon(g, square), beta=-0.5))
    gamma = g.input(over(shape, axes), g.outside)
    if g.outside == "f32":
        return g.output(g.add("Multiply", gamma, normalized))
    dst = g.add("Multiply", gamma, g.cast(normalized, g.outside))
    dst.type = g.outside
    g.outputs.append(dst)


# Softmax


@chain(ROWS, ANYWHERE)
def softmax_by_hand(g, shape, axes):
    x = g.source(shape)
    exponentials = g.add("Exp", g.add("Subtract", x, g.add("ReduceMax", x, axes=axes, keep_dims=True)))
    g.output(g.add("Divide", exponentials, g.add("ReduceSum", exponentials, axes=axes, keep_dims=True)))


@chain(ROWS, ANYWHERE)
def log_softmax_by_hand(g, shape, axes):
    x = g.source(shape)
    below = g.add("Subtract", x, g.add("ReduceMax", x, axes=axes, keep_dims=True))
    total = g.add("ReduceSum", g.add("Exp", below), axes=axes, keep_dims=True)
    g.output(g.add("Subtract", below, g.add("Log", total)))


@chain(ROWS, ANYWHERE, plain_types=("f32", "bf16"))  # f16 holds no small probabilities
def log_of_softmax(g, shape, axes):
    x = g.source(shape)
    exponentials = g.add("Exp", g.add("Subtract", x, g.add("ReduceMax", x, axes=axes, keep_dims=True)))
    total = g.add("ReduceSum", exponentials, axes=axes, keep_dims=True)
    g.output(g.add("Log", g.add("Divide", exponentials, total)))


@chain(([2, 3, 17, 49], [-1]), [([2, 5, 1, 257], [-1]), ([1, 3, 49, 17], [-1]), ([3, 2, 17, 1000], [-1])])
def softmax_scaled_and_masked(g, shape, axes):
    x = g.source(shape)
    scores = g.add("Add", g.add("Multiply", x, g.source([])), g.source([shape[0], 1, *shape[2:]]))
    exponentials = g.add("Exp", g.add("Subtract", scores, g.add("ReduceMax", scores, axes=axes, keep_dims=True)))
    g.output(g.add("Divide", exponentials, g.add("ReduceSum", exponentials, axes=axes, keep_dims=True)))


# Norms and moments


@chain(ROWS, ANYWHERE, plain_types=("f32", "bf16"))
def l2_normalization(g, shape, axes):
    x = g.source(shape)
    square = g.add("ReduceSum", g.add("Square", x), axes=axes, keep_dims=True)
    g.output(divided_by_root(g, x, plus_epsilon(g, square)))


@chain(ROWS, ANYWHERE)
def l2_normalization_with_maximum(g, shape, axes):
    x = g.source(shape)
    norm = g.add("ReduceL2", x, axes=axes, keep_dims=True)
    g.output(g.add("Divide", x, g.add("Maximum", norm, g.input([1]))))


@chain(ROWS, ANYWHERE)
def l2_normalization_with_clamp(g, shape, axes):
    x = g.source(shape)
    norm = g.add("ReduceL2", x, axes=axes, keep_dims=True)
    g.output(g.add("Divide", x, g.add("Clamp", norm, min=1e-6, max=1e30)))


@chain(ROWS, ANYWHERE, cast_types=())
def variance_with_mean(g, shape, axes):
    x = g.source(shape)
    average = mean(g, x, axes)
    g.output(mean(g, g.add("Square", g.add("Subtract", x, average)), axes), average)


@chain(ROWS, ANYWHERE)
def standardization(g, shape, axes):
    x = g.source(shape)
    average = mean(g, x, axes)
    difference = g.add("Subtract", x, average)
    variance = mean(g, g.add("Square", difference), axes)
    g.output(divided_by_root(g, difference, plus_epsilon(g, variance)), average, variance)


@chain(([50, 40], [0]), DROPPED)
def standardization_without_keep_dims(g, shape, axes):
    x = g.source(shape)
    difference = centred(g, x, axes, keep_dims=False)
    variance = mean(g, g.add("Square", difference), axes, keep_dims=False)
    g.output(divided_by_root(g, difference, plus_epsilon(g, variance)))


@chain(ROWS, ANYWHERE)
def min_max_scaling(g, shape, axes):
    x = g.source(shape)
    lowest = g.add("ReduceMin", x, axes=axes, keep_dims=True)
    extent = g.add("Subtract", g.add("ReduceMax", x, axes=axes, keep_dims=True), lowest)
    g.output(g.add("Divide", g.add("Subtract", x, lowest), plus_epsilon(g, extent)))


# Of images and sequences


@chain(IMAGE, SPATIAL)
def instance_norm(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Multiply", difference, difference), axes)
    g.output(affine(g, divided_by_root(g, difference, plus_epsilon(g, variance)), beside(shape, axes)))


@chain((IMAGE[0], [0, 2, 3]), BATCH)
def batch_statistics_norm(g, shape, axes):
    difference = centred(g, g.source(shape), axes)
    variance = mean(g, g.add("Square", difference), axes)
    g.output(affine(g, divided_by_root(g, difference, plus_epsilon(g, variance)), beside(shape, axes)))


@chain(IMAGE, SPATIAL)
def squeeze_and_excite(g, shape, axes):
    x = g.source(shape)
    gate = g.add("Sigmoid", affine(g, mean(g, x, axes), beside(shape, axes)))
    g.output(g.add("Multiply", x, gate))


@chain(([4, 30, 20], [1]), [([3, 17, 49], [1]), ([2, 257, 3], [1]), ([5, 1, 17], [1]), ([2, 1000, 3], [1])])
def masked_mean_pooling(g, shape, axes):
    x = g.source(shape)
    mask = g.source([*shape[:2], 1])
    total = g.add("ReduceSum", g.add("Multiply", x, mask), axes=axes, keep_dims=False)
    g.output(g.add("Divide", total, g.add("ReduceSum", g.add("Abs", mask), axes=axes, keep_dims=False)))


def mean_of_unmasked(g, shape, axes, mask_type):
    x = g.source(shape)
    mask = g.cast(g.input([*shape[:2], 1], mask_type), "f32")
    total = g.add("ReduceSum", g.add("Multiply", x, mask), axes=axes, keep_dims=False)
    count = g.add("ReduceSum", g.add("Abs", mask), axes=axes, keep_dims=False)
    g.output(g.add("Divide", total, g.add("Clamp", count, min=1e-9, max=3e38)))


TOKENS = ([4, 30, 20], [1])
OTHER_TOKENS = [([3, 17, 49], [1]), ([2, 257, 3], [1]), ([5, 1, 17], [1]), ([2, 1000, 3], [1])]


@chain(TOKENS, OTHER_TOKENS, plain_types=())
def masked_mean_pooling_s64(g, shape, axes):
    mean_of_unmasked(g, shape, axes, "s64")


@chain(TOKENS, OTHER_TOKENS, plain_types=())
def masked_mean_pooling_s32(g, shape, axes):
    mean_of_unmasked(g, shape, axes, "s32")


@chain(TOKENS, OTHER_TOKENS, plain_types=())
def masked_mean_pooling_boolean(g, shape, axes):
    mean_of_unmasked(g, shape, axes, "boolean")


@chain(([2, 3, 17, 49], [-1]), [([2, 5, 1, 257], [-1]), ([1, 3, 49, 17], [-1]), ([3, 2, 17, 1000], [-1])],
       plain_types=())
def softmax_masked_by_boolean(g, shape, axes):
    """What is masked out is lowered by a large number."""
    x = g.source(shape)
    mask = g.cast(g.input([shape[0], 1, *shape[2:]], "boolean"), "f32")
    scores = g.add("Add", x, g.add("Multiply", mask, g.input([1])))
    exponentials = g.add("Exp", g.add("Subtract", scores, g.add("ReduceMax", scores, axes=axes, keep_dims=True)))
    g.output(g.add("Divide", exponentials, g.add("ReduceSum", exponentials, axes=axes, keep_dims=True)))


@chain(ROWS, ANYWHERE, plain_types=())
def dynamic_quantization(g, shape, axes):
    """Each row into s8, by a scale of its own."""
    x = g.source(shape)
    largest = g.add("ReduceMax", g.add("Abs", x), axes=axes, keep_dims=True)
    scale = g.add("Divide", plus_epsilon(g, largest), g.input([1]))
    quotient = g.add("Clamp", g.add("Round", g.add("Divide", x, scale)), min=-127.0, max=127.0)
    g.outputs.append(g.cast(quotient, "s8"))
    g.output(scale)


@chain(ROWS, ANYWHERE, plain_types=("f32", "bf16"))
def gelu_with_cube_and_mean(g, shape, axes):
    """The approximation by tanh as language models write it."""
    x = g.source(shape)
    inner = g.add("Add", x, g.add("Multiply", g.add("Pow", x, beta=3.0), g.input([])))
    gate = g.add("Add", g.add("Tanh", g.add("Multiply", inner, g.input([]))), g.input([1]))
    y = g.add("Multiply", x, gate)
    g.output(y, mean(g, y, axes))


# The Graph specification's own normalizations


def softmax_op(g, kind, shape, axes):
    x = g.input(shape, g.outside)
    dst = g.add(kind, x, axis=axes[0])
    dst.type = g.outside
    g.outputs.append(dst)


@chain(ROWS, [v for v in ANYWHERE if len(v[1]) == 1], folder="op")
def softmax(g, shape, axes):
    softmax_op(g, "SoftMax", shape, axes)


@chain(ROWS, [v for v in ANYWHERE if len(v[1]) == 1], folder="op")
def logsoftmax(g, shape, axes):
    softmax_op(g, "LogSoftmax", shape, axes)


TAILS = [*TRAILING, *EVERYTHING, ([2, 3, 17, 49], [1, 2, 3])]


@chain(ROWS, TAILS, folder="op")
def layernorm(g, shape, axes):
    tail = over(shape, axes)
    dst = g.add("LayerNorm", g.input(shape, g.outside), g.input(tail), g.input(tail), begin_norm_axis=axes[0],
                epsilon=1e-5, keep_stats=False, use_affine=True)
    dst.type = g.outside
    g.outputs.append(dst)


@chain(ROWS, TAILS, folder="op")
def layernorm_statistics(g, shape, axes):
    kept = shape[:axes[0] % len(shape)]
    dsts = g.add("LayerNorm", g.input(shape, g.outside), shapes=[shape, kept, kept], begin_norm_axis=axes[0],
                 epsilon=1e-5, keep_stats=True, use_affine=False)
    dsts[0].type = g.outside
    g.outputs += dsts


@chain(ROWS, TAILS, folder="op")
def rmsnorm(g, shape, axes):
    dst = g.add("RMSNorm", g.input(shape, g.outside), g.input(over(shape, axes)), begin_norm_axis=axes[0], epsilon=1e-5)
    dst.type = g.outside
    g.outputs.append(dst)
