"""Algorithm 3 of MOI (2004) in plain lists and dictionaries, line by line, for one run."""


def directed_search(score, order, n_select, keep=()):
    """Return the subsets asked about (sorted tuples), the best one, and why the search ended.

    `score` gives a dictionary of credits and the information of a sorted tuple of features.
    """
    order = [f for f in order if f in keep] + [f for f in order if f not in keep]
    current = tuple(sorted(order[:n_select]))
    untested = order[n_select:]
    last_credit = {}
    asked = []
    best, best_information = None, None
    reset = 0
    while True:
        credits, information = score(current)
        asked.append(current)
        for feature in current:
            last_credit[feature] = round(credits[feature], 12)
        if best is None or round(information, 12) > best_information:
            best, best_information = current, round(information, 12)
            reset = 0
        free = [f for f in order if f in current and f not in keep]
        unused = [f for f in order if f not in current]
        if not free or not unused:
            return asked, best, "converged"
        worst = free[0]
        for feature in free:
            if last_credit[feature] <= last_credit[worst]:
                worst = feature
        if untested:
            following = swapped(current, worst, untested.pop(0))
        else:
            top = unused[0]
            for feature in unused:
                if last_credit[feature] > last_credit[top]:
                    top = feature
            if last_credit[top] > last_credit[worst]:
                following = swapped(current, worst, top)
            elif current == best:
                return asked, best, "converged"
            else:
                following = best
                reset = reset + 1
                if reset == 2:
                    return asked, best, "returned"
        if len(asked) == 4 * (len(order) - n_select + 1):
            return asked, best, "bound"
        current = following


def swapped(subset, old, new):
    return tuple(sorted(new if feature == old else feature for feature in subset))
