"""The version, where setup.cfg and the code both find it."""

from pathlib import Path

DATA = Path(__file__).parent / "data"  # what the package brings along
__version__ = "0.1.0"
