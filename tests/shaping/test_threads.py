import numpy as np
import pytest

from infoprop.shaping._threads import blocks, map_blocks


@pytest.mark.parametrize("sizes", [[3], [1, 1, 1, 1], [50, 1, 50, 1], [0, 0, 7, 0], list(range(30))])
@pytest.mark.parametrize("block_entries", [1, 5, 1000])
def test_blocks_cover_all_columns_once(sizes, block_entries):
    starts = np.cumsum([0, *sizes])
    ranges = blocks(starts, block_entries)
    assert [column for first, last in ranges for column in range(first, last)] == list(range(len(sizes)))
    assert all(starts[last - 1] - starts[first] <= 2 * block_entries for first, last in ranges)


@pytest.mark.parametrize("n_jobs", [None, 1, 3])
def test_results_come_in_the_order_of_the_blocks(n_jobs):
    ranges = [(0, 2), (2, 3), (3, 7)]
    assert map_blocks(lambda first, last: (last, first), ranges, n_jobs) == [(2, 0), (3, 2), (7, 3)]
