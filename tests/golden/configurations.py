"""What is recorded: the texts and configurations of configurations.json.

After a rename of a registered name, change it there and record again, in one commit.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_DATA = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf8"))

SEED = 7
TEXTS: dict[str, str] = _DATA["texts"]
# A public space of 160 words with random vectors, for what takes long on the built-in one.
TINY_WORDS: list[str] = _DATA["tiny_words"].split()
TINY_DIMS = 12


@dataclass(frozen=True)
class Configuration:
    """Texts through a pipeline.

    Attributes:
        settings: Of the sanitizer. The value "<key>" stands for the file of a key.
        texts: Their names.
        factory: Of the sanitizer.
        before: Factories of the components before it.
        tiny: On the tiny space, as the vectors of the pipeline, instead of the built-in one.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    texts: tuple[str, ...] = ("TICKET", "TALK")
    factory: str = "dx_sanitizer"
    before: tuple[str, ...] = ()
    lang: str = "en"
    tiny: bool = False


@dataclass(frozen=True)
class CommandConfiguration:
    """A file through `dx sanitize`.

    Attributes:
        source: The name of a file of the folder inputs.
        target: The name of the output.
        options: "<config>" stands for the file of a spaCy config with `pipeline`, "<key>" for the
            file of a key, "<model>" for the folder of a saved pipeline.
        pipeline: For these two.
    """

    source: str
    target: str
    options: str = ""
    pipeline: dict[str, Any] = field(default_factory=dict)


CONFIGURATIONS: dict[str, Any] = {
    name: CommandConfiguration(**row) if "source" in row else Configuration(**row)
    for name, row in _DATA["configurations"].items()
}
