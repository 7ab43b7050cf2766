"""The tools are scripts, not a package: they are imported from their own folder."""

from __future__ import annotations

import sys
from pathlib import Path

EYE = Path(__file__).parents[2] / "tools" / "eye"

if str(EYE) not in sys.path:
    sys.path.insert(0, str(EYE))
