"""Tokens, normal form, spelling, mentions, language and coverage of texts; users."""
