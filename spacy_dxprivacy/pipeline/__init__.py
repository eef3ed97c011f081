"""The spaCy component: settings, fit, draw, write, persist."""
