"""Words of texts: tokens, spelling, mentions, and the vocabulary that holds them."""
