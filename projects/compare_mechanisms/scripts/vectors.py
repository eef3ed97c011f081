"""Write the first words of the built-in space as word2vec text, unless the file is there."""

import sys
from pathlib import Path

from spacy_dxprivacy import Space


def write(path: Path, most: int) -> None:
    if path.exists():
        return
    space = Space.builtin()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf8") as file:
        file.write(f"{min(most, len(space))} {space.vectors.shape[1]}\n")
        for word, vector in zip(space.words[:most], space.vectors[:most], strict=True):
            file.write(" ".join([word, *(f"{x:.5f}" for x in vector)]) + "\n")


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
