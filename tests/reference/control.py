"""Error control written as its formulas say, one number after another."""


def expected_false_positives(ranks, exponent, cutoff=0.05):
    """Estimated false positives by integrated path stability, from ranks of shape (2B, p)."""
    n_searches, p = len(ranks), len(ranks[0])
    B = n_searches / 2

    def chance(k):
        terms = k**2 / p + 3 * (B - 1) * k**4 / p**3 + (B - 1) * (B - 2) * k**6 / p**5
        return terms / B**2

    def integral(K):
        total = sum(1 / k for k in range(1, K + 1))
        return sum(chance(k) / k for k in range(1, K + 1)) / total

    K = max([1, *(K for K in range(1, p + 1) if integral(K) <= cutoff)])
    total = sum(1 / k for k in range(1, K + 1))
    answers = []
    for j in range(p):
        score = 0.0
        for k in range(1, K + 1):
            share = sum(rank[j] <= k for rank in ranks) / n_searches
            score += (1 / k / total) * ((2 * share - 1) ** exponent if share > 0.5 else 0.0)
        answers.append(integral(K) / max(score, integral(K) / p))
    return answers


def q_values(false_positives):
    """Least estimated rate over all larger choices that still hold each feature."""
    return [
        min(1.0, min(t / sum(other <= t for other in false_positives) for t in false_positives if t >= own))
        for own in false_positives
    ]


def knockoff_threshold(W, level, n_knockoffs=1):
    """Smallest t > 0 with an estimated false discovery rate, by knockoff+, of at most `level`."""
    for t in sorted({abs(w) for w in W if w != 0}):
        if (1 + sum(w <= -t for w in W)) / (n_knockoffs * max(1, sum(w >= t for w in W))) <= level:
            return t
    return float("inf")


def e_values(draws, level, n_knockoffs=1):
    """E-values of several draws, each with half of the level."""
    p = len(draws[0])
    found = [0.0] * p
    for W in draws:
        T = knockoff_threshold(W, level / 2, n_knockoffs)
        for j in range(p):
            found[j] += n_knockoffs * p * (W[j] >= T) / (1 + sum(w <= -T for w in W)) / len(draws)
    return found


def chosen_by_e_values(values, level):
    """Numbers of the features that e-BH chooses."""
    p, order = len(values), sorted(range(len(values)), key=lambda j: -values[j])
    sizes = [k for k in range(1, p + 1) if values[order[k - 1]] >= p / (level * k)]
    return sorted(order[: max(sizes)]) if sizes else []
