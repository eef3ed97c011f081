"""This package in the hands of others: texts and tables in Python, presidio, services."""
