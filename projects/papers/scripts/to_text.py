"""Write word2vec's binary format (GoogleNews) as text, which `spacy init vectors` reads."""

import gzip
import sys

import numpy as np


def main(source, target):
    with gzip.open(source) as file, open(target, "w", encoding="utf8") as text:
        n, d = map(int, file.readline().split())
        text.write(f"{n} {d}\n")
        for _ in range(n):
            word = bytearray()
            while (letter := file.read(1)) != b" ":
                word += letter
            vector = np.frombuffer(file.read(4 * d), dtype="<f4")
            name = word.decode("utf8", errors="replace").strip()
            text.write(" ".join([name, *(f"{x:.6g}" for x in vector)]) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
