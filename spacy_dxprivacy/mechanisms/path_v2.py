r"""Whole sentences near the clear one, drawn from public language (dx.Path.v2).

Probability P(y_1..y_n | w_1..w_n) = q(y_1..y_n) exp(-beta sum of path(w_i, y_i)) / Z(w_1..w_n)
            q: a public law of sentences (@dx_priors), which never sees the input; path: the length
            of the shortest path on a public graph, whose edges a policy makes longer or shorter
Guarantee   epsilon = 2 beta nats per unit of path, for texts of the same layout that differ in any
            words (metric-dp): the numerators of two texts differ by exp(beta sum path(w_i, v_i)) at
            most, and so do the sums Z. For words alone beta is found as for dx.Path.v1
Use         the default: text that reads like text
Papers      this project, docs/path.md; Chatzikokolakis, Palamidessi, Stronati 2015 (elastic
            metrics); Scott 2002 (forward filtering, backward sampling)
"""
