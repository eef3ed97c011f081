"""Priors: public language models, which never see the input.

chain.py has the model and maps it to the words of any space; pairs.py reads and writes it;
registered.py has the registered priors (@dx_priors); make.py makes a prior from public texts.
"""
