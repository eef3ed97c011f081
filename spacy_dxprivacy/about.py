"""The version, for setup.cfg and the code, and the folder of packaged data."""

from pathlib import Path

DATA = Path(__file__).parent / "data"
__version__ = "0.1.0"
