"""`python -m spacy dx ...`"""
import typer

dx_cli = typer.Typer(name="dx")
