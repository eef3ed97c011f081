"""Sample from a public language model, given the words of the input."""
