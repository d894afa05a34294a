import re

import pytest

from infoprop.report._search_figures import path_curve, trace_dots
from infoprop.report._searches import PathStepSummary, PathSummary, TraceStepSummary, TraceSummary


def make_path(sizes, n_chosen=None):
    steps = tuple(
        PathStepSummary(size, size, size / (size + 1), 0.5, 0.05, 0.9, 0.0, 0.2, (), ()) for size in sizes
    )
    return PathSummary(n_chosen, None, None, steps)


def make_trace(values):
    steps = tuple(
        TraceStepSummary(0, "untested", (0,), (value,), value, value, True, False, None) for value in values
    )
    return TraceSummary("converged", len(values), ("a",), steps)


def curve_of(svg):
    points = re.search(r'<path d="M([^"Z]*)" class="curve"', svg)[1]
    return [tuple(map(float, point.split())) for point in points.split("L")]


def ticks_of(svg):
    return [
        int(text.replace(",", ""))
        for text in re.findall(r'text-anchor="(?:middle|end" transform)[^>]*>([\d,]+)<', svg)
    ]


def test_nothing_to_draw_is_no_figure():
    assert path_curve(None) == ""
    assert trace_dots(None) == ""


def test_curve_goes_up_from_few_to_many():
    points = curve_of(path_curve(make_path([5, 4, 3, 2, 1])))
    assert [x for x, _ in points] == [0, 25, 50, 75, 100]
    # Pixels count from the top; the axis ends at one bit.
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    assert points[0][1] == pytest.approx(26 + 206 / 2)


def test_many_features_have_a_logarithmic_axis():
    svg = path_curve(make_path(range(1000, 0, -1)))
    places = dict(zip(range(1, 1001), [x for x, _ in curve_of(svg)], strict=False))
    assert places[10] == pytest.approx(100 / 3, abs=0.2)
    assert ticks_of(svg) == [1, 10, 100, 1000]
    assert ticks_of(path_curve(make_path(range(3000, 0, -1)))) == [1, 10, 100, 1000, 3000]


def test_long_paths_make_short_figures():
    svg = path_curve(make_path(range(20_000, 0, -1)))
    assert len(curve_of(svg)) < 1000
    assert curve_of(svg)[-1][0] == 100
    assert len(svg) < 60_000


@pytest.mark.parametrize("n_chosen", [1, 3, 5])
def test_chosen_size_is_marked(n_chosen):
    svg = path_curve(make_path([5, 4, 3, 2, 1], n_chosen))
    assert f"{n_chosen} chosen" in svg
    assert svg.count('class="chosen"') == 2


def test_size_that_was_not_counted_is_not_marked():
    assert "chosen" not in path_curve(make_path([5, 3, 1], 2))


def test_path_of_one_size_is_a_point():
    svg = path_curve(make_path([3], 3))
    assert curve_of(svg) == [(50.0, pytest.approx(26 + 206 * (1 - 0.75 / 0.8), abs=0.01))]
    assert ticks_of(svg) == [3]


def test_dots_stand_for_subsets_and_the_line_for_the_best_so_far():
    svg = trace_dots(make_trace([0.5, 0.2, 0.8, 0.4]))
    assert svg.count('class="dot"') == 4
    heights = [y for _, y in curve_of(svg)]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] == pytest.approx(26 + 206 * (1 - 0.5 / 0.8), abs=0.01)
    assert heights[-1] == pytest.approx(26)
    assert "subset 3: 0.800 bits" in svg


def test_trace_of_one_subset_is_whole():
    svg = trace_dots(make_trace([0.0]))
    assert svg.count('class="dot"') == 1


def test_long_traces_make_short_figures():
    assert trace_dots(make_trace([0.5] * 10_000)).count('class="dot"') < 1000
