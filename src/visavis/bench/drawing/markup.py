"""Text and numbers as they may stand in the report's HTML.

Invariant: whatever a user or a model said, what comes out is text, never markup, and can be
written as UTF-8.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable

LONGEST = 400
CONTROLS = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\t\n"}
CONTROLS |= {0x7F: 0x2421} | dict.fromkeys(range(128, 160), 65533)


def text(value: object, longest: int | None = LONGEST) -> str:
    """Escaped for an element or a quoted attribute; controls shown as pictures; cut when long."""
    plain = str(value)
    if longest is not None and len(plain) > longest:
        plain = plain[: longest - 1] + "…"
    plain = plain.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be written
    return html.escape(plain.translate(CONTROLS), quote=True)


def element(tag: str, content: str = "", **attributes: object) -> str:
    """An element around markup; `class_` is `class`, `_` is `-`, None leaves an attribute out."""
    return f"<{tag}{_attributes(attributes)}>{content}</{tag}>"


def joined(parts: Iterable[str]) -> str:
    return "".join(parts)


def seconds(value_s: float) -> str:
    """12.3 s, or 2 min 05 s."""
    if value_s < 60:
        return f"{value_s:.1f} s"
    minutes, rest = divmod(round(value_s), 60)
    return f"{minutes} min {rest:02d} s"


def figure(value: float, unit: str) -> str:
    """As many digits as one can use."""
    if math.isnan(value):
        return "–"
    return f"{value:.1f}".removesuffix(".0") if unit == "%" else f"{value:.0f}"


def _attributes(attributes: dict[str, object]) -> str:
    return "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value, None)}"'
        for name, value in attributes.items()
        if value is not None
    )
