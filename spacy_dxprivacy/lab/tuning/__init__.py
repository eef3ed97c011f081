"""What epsilon does to words: measured on probed words of a public space.

Figures are exact where a mechanism states its probabilities, and simulated where it does not. Every
one is a mean over probed words, so that its uncertainty can be had by drawing the words again (the
bootstrap of Efron 1979). Simulations are seeded: the same question has the same answer, and one
epsilon is compared with another on the same noise. Nothing that is drawn here is released.
"""
