"""The commands of the lab, one file each."""

from ...cli.options import described as described
