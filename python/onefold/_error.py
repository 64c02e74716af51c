"""The exception of the package; on its own so that the extension module can import it."""


class Error(RuntimeError):
    """What onefold raises where a graph, a file or an array is refused.

    The message names what is wrong: the op, port or attribute, and the value. `status` is the Graph API's status:
    "invalid_arguments", "invalid_graph", "invalid_graph_op", "invalid_shape", "invalid_data_type", "unimplemented",
    "out_of_memory", "runtime_error".
    """

    status: str

    def __init__(self, message: str, status: str = "runtime_error") -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])
