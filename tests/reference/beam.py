"""Forward search with a beam, by sets and sorting."""


def plain_forward_search(worth, n_groups, beam_width, n_features_to_select, keep):
    """Best subset, its value and why the search ends; `worth` maps frozen sets to values.

    Python sorts stably, so that of equal subsets the one made first comes first.
    """
    largest = n_groups if n_features_to_select is None else min(n_features_to_select, n_groups)
    level = [frozenset(keep)] if keep else [frozenset({group}) for group in range(n_groups)]
    chosen, best = None, -1.0
    while True:
        beam = sorted(level, key=lambda subset: -worth[subset])[:beam_width]
        if worth[beam[0]] <= best:
            return chosen, best, "converged"
        chosen, best = beam[0], worth[beam[0]]
        if best >= 1.0:
            return chosen, best, "perfect"
        if len(chosen) >= largest:
            return chosen, best, "exhausted" if len(chosen) >= n_groups else "n_features_to_select"
        grown = [subset | {group} for subset in beam for group in range(n_groups) if group not in subset]
        level = list(dict.fromkeys(grown))
