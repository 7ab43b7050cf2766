"""An import contract: each foreign library has its places, and appears nowhere else.

Takes, in pyproject.toml, `everywhere` (libraries free to all) and `places` (`module: library,
library`, for the module and all within it; `*` = any library). A library that no place names
breaks the contract as much as one that is out of place, so a new dependency must find its place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class ForeignContract(Contract):
    """Third-party imports only where `places` allows them."""

    type_name = "foreign"
    everywhere = fields.SetField(subfield=fields.StringField())
    places = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Looks at every direct import of every module."""
        # What is declared as a field holds its value by now.
        everywhere: Any = self.everywhere
        strays = sorted(set(_strays(graph, _places(self.places), set(everywhere))))
        return ContractCheck(kept=not strays, metadata={"strays": strays})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """One line a stray."""
        for module, library in check.metadata["strays"]:
            output.print_error(f"{module} may not import {library}")


def _places(lines: Any) -> dict[str, set[str]]:
    pairs = (line.split(":") for line in lines)
    return {module.strip(): set(names.replace(" ", "").split(",")) for module, names in pairs}


def _strays(
    graph: ImportGraph, places: dict[str, set[str]], everywhere: set[str]
) -> Iterator[tuple[str, str]]:
    ours = {module.partition(".")[0] for module in places}
    free = ours | everywhere | set(sys.stdlib_module_names)
    for module in graph.modules:
        if module.partition(".")[0] not in ours:
            continue
        allowed = set().union(*(names for at, names in places.items() if _within(module, at)))
        for imported in graph.find_modules_directly_imported_by(module):
            library = imported.partition(".")[0]
            if library not in free and library not in allowed and "*" not in allowed:
                yield module, library


def _within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")
