"""A model is cut in two, and the two say together what it says."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.backends import toy_onnx as toy
from visavis.backends.graph import Graph

MODEL = toy.model(
    toy.takes("x"),
    toy.takes("unused"),
    toy.gives("y"),
    toy.weights("two", np.array([2], np.float32)),
    toy.weights("three", np.array([3], np.float32)),
    toy.node("Mul", "x two", "a", "/first/Mul"),
    toy.node("Add", "a three", "b", "/second/Add"),
    toy.node("Mul", "b two", "y", "/second/Mul"),
    toy.node("Sub", "a x", "side", "/third/Sub"),
)
X = np.arange(6, dtype=np.float32).reshape(1, 2, 3)


def run(model: bytes, **feed: Any) -> list[Any]:
    pytest.importorskip("onnxruntime")
    from visavis.backends.onnx import session_of

    session = session_of(model, threads=1)
    assert {given.name for given in session.get_inputs()} == feed.keys()
    return session.run(None, feed)  # type: ignore[no-any-return]


def test_what_enters_a_scope_is_found() -> None:
    graph = Graph(MODEL)
    assert graph.outputs == ["y"]
    assert graph.entering("/second/") == ["a"]
    assert graph.entering("/first/") == []
    assert graph.entering("/nowhere/") == []
    assert graph.has("side")
    assert not graph.has("two")


def test_what_it_draws_is_found_and_what_stands_beside_that() -> None:
    model = toy.model(
        toy.takes("x"),
        toy.gives("y"),
        toy.weights("two", np.array([2], np.float32)),
        toy.node("Mul", "x two", "a"),
        toy.node("Mul", "a two", "b"),
        toy.node("RandomNormalLike", "a", "noise"),
        toy.node("Mul", "noise b", "c"),
        toy.node("Add", "c a", "d"),
        toy.node("Add", "d two", "y"),
    )
    graph = Graph(model)
    assert Graph(MODEL).drawn() == []
    assert graph.drawn() == [("noise", "a")]
    assert graph.beside("noise") == ["b", "a"]
    b, a = run(graph.part(["b", "a"]), x=X)
    (y,) = run(graph.part(["y"], ["b", "a", "noise"]), b=b, a=a, noise=X)
    assert np.array_equal(y, X * 4 * X + 2 * X + 2)


def test_the_parts_say_together_what_the_whole_says() -> None:
    graph = Graph(MODEL)
    (a,) = run(graph.part(["a"]), x=X)
    (y,) = run(graph.part(["y"], ["a"]), a=a)
    assert np.array_equal(y, run(MODEL, x=X, unused=X)[0])


def test_a_part_may_give_what_was_inside() -> None:
    a, side = run(Graph(MODEL).part(["a", "side"]), x=X)
    assert np.array_equal(a - X, side)


def test_a_part_keeps_the_weights_it_needs_and_no_others() -> None:
    graph = Graph(MODEL)
    first, second = graph.part(["a"]), graph.part(["y"], ["a"])
    assert (b"two" in first, b"three" in first) == (True, False)
    assert (b"two" in second, b"three" in second) == (True, True)


def test_what_a_branch_takes_from_outside_is_kept() -> None:
    then = b"".join([toy.field(2, "then"), toy.node("Neg", "a", "t"), toy.gives("t")])
    other = b"".join([toy.field(2, "other"), toy.node("Abs", "a", "e"), toy.gives("e")])
    model = toy.model(
        toy.takes("x"),
        toy.gives("y"),
        toy.weights("yes", np.array(True)),
        toy.node("Mul", "x x", "a"),
        toy.node("If", "yes", "y", then_branch=then, else_branch=other),
    )
    assert np.array_equal(run(Graph(model).part(["y"]), x=X)[0], -X * X)


@pytest.mark.parametrize(("outputs", "inputs"), [(["z"], []), (["y"], ["z"]), (["two"], [])])
def test_a_tensor_that_is_not_there_is_named(outputs: list[str], inputs: list[str]) -> None:
    with pytest.raises(ValueError, match="no tensor"):
        Graph(MODEL).part(outputs, inputs)


@given(cut=st.integers(1, len(MODEL) - 1))
def test_a_cut_model_is_refused(cut: int) -> None:
    # Behind the fields before the graph it is a model with an empty graph.
    whole = len(MODEL) - len(MODEL[MODEL.index(b"\x3a") :])
    try:
        graph = Graph(MODEL[:cut])
    except ValueError:
        return
    assert cut <= whole
    assert graph.outputs == []


@given(st.binary(max_size=60))
def test_any_bytes_are_a_graph_or_a_value_error(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert Graph(data).entering("") == []
