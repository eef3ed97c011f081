"""Load a causal language model from a folder, a file, a name or a package, without a network."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

from ..errors import DxError, Errors
from ..io.files.digests import digest_of
from ..io.files.limits import regular
from .model import LanguageModel

GGUF = ".gguf"
DEVICE = "DX_LM_DEVICE"  # "cpu" (if unset), "cuda", "cuda:1", "mps"
COUNTED = (".safetensors", ".bin", ".json", ".model", ".txt", GGUF)

# Models that are made in Python (other runtimes, small ones for tests), by a name for all options.
OPENERS: dict[str, Callable[[], LanguageModel]] = {}


def open_model(given: str) -> LanguageModel:
    """Return a model, which is loaded once a process.

    given: a folder of a Hugging Face model, a .gguf file, the name of a model that was downloaded
    before (`hf download NAME`), or of an installed package that holds one .gguf file. A model that
    is missing, damaged or of another kind raises DxError, and so does a missing extra `lm`.
    """
    if given in OPENERS:
        return OPENERS[given]()
    where = _path_of(given)
    needed = ["torch", "transformers"]
    if where is not None and where.suffix.lower() == GGUF:
        needed += ["gguf", "accelerate"]
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise DxError(Errors.DX154.format(missing=", ".join(missing)))
    return _loaded(given, where, os.environ.get(DEVICE, "cpu"))


def _path_of(given: str) -> Path | None:
    """Return the folder or file; None for a name that may have been downloaded."""
    path = Path(given).expanduser()
    if not path.exists() and path.suffix.lower() != GGUF:
        packaged = _packaged(given)
        if packaged is None and given.count("/") == 1 and not given.startswith((".", "/", "~")):
            return None
        path = packaged or path
    if not (path / "config.json").is_file() and not _is_gguf(path):
        expected = "a folder with config.json, a GGUF file, or a package that holds one such file"
        raise _unusable(given, f"expected {expected}")
    return path


def _is_gguf(path: Path) -> bool:
    if path.suffix.lower() != GGUF or not path.exists():
        return False
    with regular(path).open("rb") as file:
        return file.read(4) == b"GGUF"


def _packaged(given: str) -> Path | None:
    name = given.replace("-", "_")
    spec = find_spec(name) if name.isidentifier() else None
    folders = map(Path, (spec and spec.submodule_search_locations) or ())
    files = [file for folder in folders for file in folder.glob("*" + GGUF)]
    return files[0] if len(files) == 1 else None


@lru_cache(maxsize=2)
def _loaded(given: str, where: Path | None, device: str) -> LanguageModel:
    if "transformers" not in sys.modules:  # it reads this variable once
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging: Any = import_module("transformers.utils.logging")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # progress bars
            return _load(given, where, device)
    except DxError:
        raise
    except OSError:
        why = "its files are missing, cut short or damaged; download it again"
    except MemoryError:
        why = "there is too little memory for it"
    except Exception as error:
        why = f"it is damaged, or of a kind that is no causal model ({type(error).__name__})"
    raise _unusable(given, why)


def _load(given: str, where: Path | None, device: str) -> LanguageModel:
    from .transformer import CausalModel, is_causal

    torch, transformers = import_module("torch"), import_module("transformers")
    try:
        torch.zeros(1, device=device)
    except Exception:
        raise DxError(Errors.DX155.format(device=device, name=DEVICE)) from None
    source, more = given if where is None else str(where), dict[str, str]()
    if where is not None and where.is_file():
        source, more = str(where.parent), {"gguf_file": where.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, local_files_only=True, **more)
    network: Any = transformers.AutoModelForCausalLM.from_pretrained(
        source, local_files_only=True, dtype=torch.float32, **more
    )
    if len(tokenizer) > network.get_input_embeddings().weight.shape[0]:
        raise _unusable(given, "its tokenizer has more tokens than its network")
    if not is_causal(network.eval().to(device)):
        raise _unusable(given, "it is a masked language model, not a causal one")
    return CausalModel(given, _digest(where, network), network, tokenizer)


def _digest(where: Path | None, network: Any) -> str:
    """Return the digest of the file, or of the folder's model files; of a name, its commit."""
    if where is None:
        return str(getattr(network.config, "_commit_hash", None) or "")
    if where.is_file():
        return digest_of(where)
    files = sorted(f for f in where.iterdir() if f.suffix in COUNTED and f.is_file())
    lines = [f"{digest_of(file)}  {file.name}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _unusable(given: str, why: str) -> DxError:
    return DxError(Errors.DX153.format(given=given, why=why))
