"""What is done to a release by public knowledge alone; importing this package registers it."""

from . import remap as remap
