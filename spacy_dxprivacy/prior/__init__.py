"""Priors: public language models, which never see the input.

`chain` has the model and maps it to the words of any space; `contexts` adds contexts of two words.
`builtin` loads the models of the package, and `saved` those of a folder. `make` makes a prior from
public texts, and `registered` has the registered priors (@dx_priors).
"""
