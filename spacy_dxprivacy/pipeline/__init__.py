"""The spaCy component: settings, fit, stages, receipts, serialization."""
