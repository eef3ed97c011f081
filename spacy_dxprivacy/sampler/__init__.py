"""Sentences drawn as a whole: a public law of sentences, weighed by what each word may become."""
