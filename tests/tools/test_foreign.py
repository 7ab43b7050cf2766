from __future__ import annotations

import pytest
from grimp import ImportGraph

from tools.foreign import ForeignContract

PLACES = ["app.edge: av, click", "app.engines: *"]


def check(importer: str, imported: str) -> list[tuple[str, str]]:
    graph = ImportGraph()
    for module in ("app", "app.edge", "app.edge.file", "app.edgeless", "app.engines", "app.core"):
        graph.add_module(module)
    graph.add_module(imported, is_squashed=True)
    graph.add_import(importer=importer, imported=imported)
    contract = ForeignContract(
        name="test",
        session_options={"root_packages": ["app"]},
        contract_options={"everywhere": ["numpy"], "places": PLACES},
    )
    found = contract.check(graph, verbose=False)
    strays: list[tuple[str, str]] = found.metadata["strays"]
    assert found.kept == (not strays)
    return strays


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("app.edge", "av"),
        ("app.edge.file", "click"),
        ("app.engines", "whatever"),
        ("app.core", "numpy"),
        ("app.core", "threading"),
    ],
)
def test_a_library_in_its_place_is_welcome(importer: str, imported: str) -> None:
    assert check(importer, imported) == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [("app.core", "av"), ("app.edgeless", "av"), ("app", "click"), ("app.edge", "torch")],
)
def test_a_library_out_of_its_place_is_named(importer: str, imported: str) -> None:
    assert check(importer, imported) == [(importer, imported)]
