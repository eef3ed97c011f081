"""Integrations: Python containers, Arrow tables, presidio, other pipelines, HTTP services."""
