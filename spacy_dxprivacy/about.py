"""The version, for setup.cfg and the code, and the packaged data."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
__version__ = "0.1.0"


def table(name: str) -> dict[str, str]:
    """Return the lines "key: value" of a file of data, without comments."""
    lines = (DATA / f"{name}.txt").read_text(encoding="utf8").splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("# "))
