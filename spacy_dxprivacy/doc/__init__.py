"""What becomes of a Doc: the words in place of others, how they are spelled, the receipt."""
