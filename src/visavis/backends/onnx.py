"""Sessions of onnxruntime, opened the one way that suits a shared, small machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from visavis.flow.errors import BackendMissing, BundleError


def open_session(backend: str, model: Path, *, threads: int) -> Any:
    """An `InferenceSession` of a file, on the CPU. Raises `BackendMissing`, `BundleError`."""
    try:
        return session_of(str(model), threads=threads)
    except ImportError as error:
        raise BackendMissing(backend, "onnxruntime", "local") from error
    except Exception as error:
        raise BundleError(
            model, "is not a model that onnxruntime can read", "pull it again"
        ) from error


def session_of(model: str | bytes, *, threads: int) -> Any:
    """An `InferenceSession` of a path or of a model's bytes. Raises what onnxruntime raises.

    No memory arena (it never gives memory back) and no spinning: idle workers of a pool that
    spin take the core that another model needs.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session._model_bytes = None  # else they are kept for a fallback to other hardware
    return session
