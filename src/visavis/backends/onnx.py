"""Sessions of onnxruntime, opened the one way that suits a shared, small machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from visavis.flow.errors import BackendMissing, BundleError


def open_session(backend: str, model: Path, *, threads: int) -> Any:
    """An `InferenceSession` on the CPU. Raises `BackendMissing`, `BundleError`.

    No memory arena (it never gives memory back) and no spinning: idle workers of a pool that
    spin take the core that another model needs.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise BackendMissing(backend, "onnxruntime", "local") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise BundleError(
            model, "is not a model that onnxruntime can read", "pull it again"
        ) from error
