"""A model by its folder, its file, its name or the package that holds it. Nothing is fetched."""

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

NEEDED = ("torch", "transformers")
NEEDED_BY_GGUF = ("gguf", "accelerate")
GGUF = ".gguf"
DEVICE = "DX_LM_DEVICE"  # "cpu" (if unset), "cuda", "cuda:1", "mps"
COUNTED = (".safetensors", ".bin", ".json", ".model", ".txt", GGUF)

OPENERS: dict[str, Callable[[], LanguageModel]] = {}
"""Models that are made in Python, by a name that all options then know: of other runtimes, or
small ones for tests."""


def open_model(given: str) -> LanguageModel:
    """given: a folder as Hugging Face models are saved in, a .gguf file, the name of a model that
    was downloaded before (`hf download NAME`), or that of an installed package that holds one .gguf
    file. A model is loaded once a process.

    Raises DxError with one sentence for one that is missing, damaged or of another kind, and where
    the extra `lm` is not installed.
    """
    if given in OPENERS:
        return OPENERS[given]()
    where = _where(given)
    is_file = where is not None and where.suffix.lower() == GGUF
    needed = (*NEEDED, *NEEDED_BY_GGUF) if is_file else NEEDED
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise DxError(Errors.DX154.format(missing=", ".join(missing)))
    return _loaded(given, where, os.environ.get(DEVICE, "cpu"))


def _where(given: str) -> Path | None:
    """The folder or the file; None for a name that may have been downloaded."""
    path = Path(given).expanduser()
    if path.suffix.lower() != GGUF and not path.exists():
        found = _package(given)
        if found is None and (given.count("/") != 1 or given.startswith((".", "/", "~"))):
            raise _not(given, "there is no such folder, file or package")
        if found is None:
            return None
        path = found
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise _not(given, "the folder has no config.json")
    elif not path.exists():
        raise _not(given, "there is no such file")
    elif path.suffix.lower() != GGUF:
        raise _not(given, "it is neither a folder nor a .gguf file")
    else:
        with regular(path).open("rb") as file:
            if file.read(4) != b"GGUF":
                raise _not(given, "it is not a GGUF file, or is damaged")
    return path


def _package(given: str) -> Path | None:
    """The one .gguf file of a package, which is not imported."""
    name = given.replace("-", "_")
    spec = find_spec(name) if name.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        return None
    folders = map(Path, spec.submodule_search_locations)
    files = [file for folder in folders for file in folder.glob("*" + GGUF)]
    if len(files) != 1:
        raise _not(given, f"the package holds {len(files)} .gguf files, and should hold one")
    return files[0]


@lru_cache(maxsize=2)
def _loaded(given: str, where: Path | None, device: str) -> LanguageModel:
    if "transformers" not in sys.modules:  # which reads it once; a model is there, or it is not
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    logging: Any = import_module("transformers.utils.logging")
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(StringIO()):  # bars of what is unpacked
            return _load(given, where, device)
    except DxError:
        raise
    except Exception as error:
        raise _not(given, _why(error)) from None


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
        raise _not(given, "its tokenizer has more tokens than the network")
    if not is_causal(network.eval().to(device)):
        raise _not(given, "it is a model that fills gaps, and no causal one")
    return CausalModel(given, _digest(where, network), network, tokenizer)


def _digest(where: Path | None, network: Any) -> str:
    """Of the file, or of all files of the folder that count; of a name, those of its commit."""
    if where is None:
        return str(getattr(network.config, "_commit_hash", None) or "")
    if where.is_file():
        return digest_of(where)
    files = sorted(f for f in where.iterdir() if f.suffix in COUNTED and f.is_file())
    lines = [f"{digest_of(file)}  {file.name}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _why(error: Exception) -> str:
    """What the user can do something about; not the words of the library, which are long."""
    if isinstance(error, OSError):
        return "its files are missing, cut short or damaged; download it again"
    if isinstance(error, MemoryError):
        return "the memory is too short for it"
    return f"it is damaged, or of a kind that is no causal model ({type(error).__name__})"


def _not(given: str, why: str) -> DxError:
    return DxError(Errors.DX153.format(given=given, why=why))
