"""Seeded releases, receipts and files, compared byte by byte with recorded ones."""
