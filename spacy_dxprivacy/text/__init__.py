"""Tokens, normal form, spelling, mentions and languages of texts; identifiers of users."""
