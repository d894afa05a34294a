"""Malformed command lines and files: refused in one sentence, or they work."""

from soak.fuzz import OUTCOMES, run, table


def test_nothing_malformed_ends_in_a_traceback_or_does_not_end(soak_seed):
    counts, failures = run(soak_seed, 600)
    print(f"seed {soak_seed}\n{table(counts)}")
    assert [(number, outcome, words) for number, outcome, words, *_ in failures] == []
    assert sum(counts.values()) == 600
    assert {outcome for _, outcome in counts} <= set(OUTCOMES[:2])
