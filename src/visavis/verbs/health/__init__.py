"""What `visavis doctor` looks at: the machine, its devices, the libraries, the models.

Each function gives checks and changes nothing. `everything` is what the verb prints.
"""

from __future__ import annotations

from visavis.config import Config
from visavis.verbs.health import devices, libraries, machine, models
from visavis.verbs.health.check import Check, as_rows

__all__ = ["Check", "as_rows", "everything"]


def everything(config: Config, *, thorough: bool = False) -> list[Check]:
    """All checks. `thorough` hashes every model file again."""
    return [
        *machine.checks(config),
        *devices.checks(),
        *libraries.checks(models.libraries_of(config)),
        *models.checks(config, thorough=thorough),
    ]
