"""From noisy vectors to rows: rules over indexes. All of it is post-processing."""

# The module of each registered name; it is imported when the name is asked for.
MODULES = {
    "dx.Nearest.v1": "nearest",
    "dx.RankSampling.v1": "rank_sampling",
    "dx.Vickrey.v1": "nearest",
}
