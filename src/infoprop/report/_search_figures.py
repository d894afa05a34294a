"""Figures of a search: what every size, subset or generation delivers."""

from infoprop.report._markup import Markup
from infoprop.report._plane import (
    Plane,
    axes,
    axis_end,
    band,
    curve,
    dot,
    figure,
    mark,
    pointer,
    share_ends,
    stretched,
    thinned,
)
from infoprop.report._searches import PathSummary, TraceSummary
from infoprop.report._subset_searches import SCORE_LABELS, BeamSummary, EvolutionSummary
from infoprop.report._words import bits, percent


def path_plane(path: PathSummary) -> Plane:
    """The plane that the curve of an elimination is drawn on."""
    sizes = [float(step.n_features) for step in path.steps]
    return Plane.of_sizes(sizes, axis_end(max(step.information + step.standard_error for step in path.steps)))


def path_curve(path: PathSummary | None) -> Markup:
    """Information against the number of features, with one standard error and the chosen size marked."""
    if path is None:
        return Markup("")
    steps = path.steps[::-1]
    sizes = [float(step.n_features) for step in steps]
    plane = path_plane(path)
    lower, middle, upper = (
        plane.points(sizes, [step.information + sign * step.standard_error for step in steps])
        for sign in (-1, 0, 1)
    )
    return figure(
        "Information delivered against the number of features",
        axes(plane, "features"),
        stretched(band(upper, lower), curve(middle)),
        *(
            mark(
                plane,
                float(step.n_features),
                step.information,
                f"{step.n_features:,} chosen",
                f"{step.n_features:,} chosen: {bits(step.information)} bits",
            )
            for step in steps
            if step.n_features == path.n_chosen
        ),
        pointer(),
    )


def trace_dots(trace: TraceSummary | None) -> Markup:
    """Information of every subset that was asked about, in order, and the best so far."""
    if trace is None:
        return Markup("")
    values = [step.information for step in trace.steps]
    plane = Plane(1.0, float(max(len(values), 2)), axis_end(max(values)))
    best_so_far, points = 0.0, []
    for number, value in enumerate(values, start=1):
        if value > best_so_far or number in (1, len(values)):
            points.append((plane.across(number), plane.down(best_so_far)))
            best_so_far = max(best_so_far, value)
            points.append((plane.across(number), plane.down(best_so_far)))
    shown = thinned([plane.across(number) for number in range(1, len(values) + 1)])
    return figure(
        "Information of the subsets in the order they were asked about",
        axes(plane, "subsets asked about"),
        stretched(curve(points[1:])),
        *(dot(plane, k + 1, values[k], f"subset {k + 1}: {bits(values[k])} bits") for k in shown),
    )


def beam_curve(beam: BeamSummary | None) -> Markup:
    """Accuracy of the best subset of every size, those kept beside it, and the chosen one marked."""
    if beam is None:
        return Markup("")
    sizes = [float(level.n_features) for level in beam.levels]
    best = [level.accuracy for level in beam.levels]
    most, least = share_ends([subset.accuracy for level in beam.levels for subset in level.kept])
    plane = Plane.of_sizes(sizes, most, least)
    title, word = SCORE_LABELS[beam.scoring]
    return figure(
        f"{title}, against the number of features",
        axes(plane, "features", word),
        stretched(curve(plane.points(sizes, best))),
        *(
            dot(plane, float(level.n_features), subset.accuracy, percent(subset.accuracy))
            for level in beam.levels
            for subset in level.kept
        ),
        *(
            mark(
                plane,
                float(level.n_features),
                level.accuracy,
                f"{level.n_features:,} chosen",
                f"{level.n_features:,} chosen: {percent(level.accuracy)} {word}",
            )
            for level in beam.levels
            if level is beam.best
        ),
    )


def evolution_curves(evolution: EvolutionSummary | None) -> Markup:
    """Fitness of the best genome of every generation, and the mean of all."""
    if evolution is None:
        return Markup("")
    generations = evolution.generations
    numbers = [float(number) for number in range(len(generations))]
    best = [generation.best_fitness for generation in generations]
    mean = [generation.mean_fitness for generation in generations]
    most, least = share_ends([*best, *mean])
    plane = Plane(0.0, max(float(len(generations) - 1), 1.0), most, least)
    title, word = SCORE_LABELS[evolution.scoring]
    return figure(
        f"{title}, by the best genome and on average, in every generation",
        axes(plane, "generations", word),
        stretched(curve(plane.points(numbers, mean), "curve mean"), curve(plane.points(numbers, best))),
        *(
            dot(plane, numbers[k], best[k], f"generation {k}: {percent(best[k])} {word}")
            for k in thinned([plane.across(number) for number in numbers])
        ),
    )
