"""A part of an ONNX model, cut out of its bytes: what lies between some tensors and others.

Takes a model and names of its tensors. Gives a model. Invariant: what is kept is kept to the byte,
each node in its order with the weights it needs; the rest is left out, weights too, so the parts of
a model together take no more memory than the whole. Knows of the format only what it takes to walk
it. Source: onnx.proto3 of the ONNX specification, and the protobuf wire format.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

# Numbers of fields, by message.
_GRAPH = 7  # ModelProto
_NODE, _NAME, _WEIGHTS, _INPUT, _OUTPUT = 1, 2, 5, 11, 12  # GraphProto
_TAKES, _GIVES, _NODE_NAME, _OPERATOR, _ATTRIBUTE = 1, 2, 3, 4, 5  # NodeProto
_SUBGRAPHS = (6, 11)  # AttributeProto
_WEIGHTS_NAME = 8  # TensorProto
_VALUE_NAME, _VALUE_TYPE = 1, 2  # ValueInfoProto
_FLOAT_TENSOR = b"\x0a\x02\x08\x01"
"""A TypeProto: a tensor of float32 of any shape."""
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    name: str
    operator: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    field: memoryview


class Graph:
    """The nodes and tensors of `model`; `outputs`: the names of what it gives.

    Raises `ValueError` when it cannot be walked.
    """

    def __init__(self, model: bytes) -> None:
        self._around: list[memoryview] = []  # the model but for its graph
        self._nodes: list[_Node] = []
        self._given: dict[str, memoryview] = {}  # weights and inputs
        self.outputs: list[str] = []
        for number, value, field in _fields(memoryview(model)):
            if number == _GRAPH:  # one message, even where it is written in several fields
                self._read(value)
            else:
                self._around.append(field)
        self._givers = {name: node for node in self._nodes for name in node.gives if name}

    def has(self, tensor: str) -> bool:
        """Does a node give it?"""
        return tensor in self._givers

    def entering(self, scope: str) -> list[str]:
        """What the nodes whose names begin with `scope` take from the other nodes."""
        inside = [node for node in self._nodes if node.name.startswith(scope)]
        own = {name for node in inside for name in node.gives}
        taken = dict.fromkeys(name for node in inside for name in node.takes)
        return [name for name in taken if name in self._givers and name not in own]

    def drawn(self) -> list[tuple[str, str]]:
        """The tensors of normal noise that the model draws itself, each with one of its shape."""
        nodes = (node for node in self._nodes if node.operator == "RandomNormalLike")
        return [(node.gives[0], node.takes[0]) for node in nodes]

    def beside(self, tensor: str) -> list[str]:
        """What the nodes that follow from `tensor` take from those that do not."""
        follows = {tensor}
        taken = dict[str, None]()
        for node in self._nodes:  # each stands behind those it takes from
            if not follows.isdisjoint(node.takes):
                follows.update(node.gives)
                taken |= dict.fromkeys(node.takes)
        return [name for name in taken if name in self._givers and name not in follows]

    def part(self, outputs: Sequence[str], inputs: Sequence[str] = ()) -> bytes:
        """The model that computes `outputs`, from the tensors `inputs` and its own inputs.

        The `inputs` must be of float32. Raises `ValueError` when a tensor is not there.
        """
        unknown = [name for name in (*outputs, *inputs) if not self.has(name)]
        if unknown:
            raise ValueError(f"the model has no tensor {unknown[0]!r}")
        needed = self._needed(outputs, frozenset(inputs))
        fields = [node.field for node in self._nodes if not needed.isdisjoint(node.gives)]
        fields += [field for name, field in self._given.items() if name in needed]
        kind = _field(_VALUE_TYPE, _FLOAT_TENSOR)
        taken = [_field(_INPUT, _field(_VALUE_NAME, name.encode()) + kind) for name in inputs]
        given = [_field(_OUTPUT, _field(_VALUE_NAME, name.encode())) for name in outputs]
        graph = b"".join([_field(_NAME, b"part"), *fields, *taken, *given])
        return b"".join([*self._around, _field(_GRAPH, graph)])

    def _read(self, graph: memoryview) -> None:
        for number, value, field in _fields(graph):
            if number == _NODE:
                self._nodes.append(_node(value, field))
            elif number == _WEIGHTS:
                self._given[_text(value, _WEIGHTS_NAME)] = field
            elif number == _INPUT:
                self._given[_text(value, _VALUE_NAME)] = field
            elif number == _OUTPUT:
                self.outputs.append(_text(value, _VALUE_NAME))

    def _needed(self, outputs: Sequence[str], inputs: Collection[str]) -> set[str]:
        """The tensors from which `outputs` follow, down to the `inputs`."""
        needed: set[str] = set()
        wanted = list(outputs)
        while wanted:
            name = wanted.pop()
            if name not in needed and name not in inputs:
                needed.add(name)
                wanted += self._givers[name].takes if name in self._givers else ()
        return needed


def _node(message: memoryview, field: memoryview) -> _Node:
    """A node. What graphs inside it (the branches of an `If`) take counts as its own."""
    name, operator, takes, gives = "", "", list[str](), list[str]()
    for number, value, _ in _fields(message):
        if number == _TAKES:
            takes.append(str(value, "utf-8"))
        elif number == _GIVES:
            gives.append(str(value, "utf-8"))
        elif number == _NODE_NAME:
            name = str(value, "utf-8")
        elif number == _OPERATOR:
            operator = str(value, "utf-8")
        elif number == _ATTRIBUTE:
            graphs = (graph for kind, graph, _ in _fields(value) if kind in _SUBGRAPHS)
            inner = (found for graph in graphs for found in _fields(graph))
            takes += [n for kind, v, f in inner if kind == _NODE for n in _node(v, f).takes]
    return _Node(name, operator, tuple(takes), tuple(gives), field)


def _text(message: memoryview, wanted: int) -> str:
    return next(
        (str(value, "utf-8") for number, value, _ in _fields(message) if number == wanted), ""
    )


def _fields(message: memoryview) -> Iterator[tuple[int, memoryview, memoryview]]:
    """Number and value of each field, and the field as it is written. Raises `ValueError`."""
    at = 0
    while at < len(message):
        begin = at
        key, at = _varint(message, at)
        number, wire = divmod(key, 8)
        first = at
        if wire == _VARINT:
            _, at = _varint(message, at)
        elif wire == _LENGTH:
            length, first = _varint(message, at)
            at = first + length
        elif wire in (_FIXED32, _FIXED64):
            at += 4 if wire == _FIXED32 else 8
        else:
            raise ValueError("is not a protocol buffer")
        if at > len(message):
            raise ValueError("is truncated")
        yield number, message[first:at], message[begin:at]


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """The number at `at`, and where it ends."""
    value = shift = 0
    while at < len(message) and shift < 70:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("is truncated")


def _field(number: int, content: bytes) -> bytes:
    """A field that holds bytes."""
    return _number(number * 8 + _LENGTH) + _number(len(content)) + content


def _number(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
