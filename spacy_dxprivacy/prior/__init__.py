"""Priors: public language models, which never see the input.

chain.py has the model and carries it to the words of any space; registered.py has what configs name
(@dx_priors); make.py makes a prior from public texts.
"""
