"""The grammar of a choice of features, shared by the commands that choose."""

import argparse

from infoprop.cli._grammar._values import (
    column_names,
    generation_count,
    init_value,
    part_value,
    path_value,
    positive_integer,
    positive_number,
    size_value,
    step_value,
    subset_count,
)
from infoprop.workflow import _choice
from infoprop.workflow._choice import METHODS_OF, SCORINGS, Choice

METHOD_HELP = f"""\
How features are chosen (--method):
  credit    One training with all features, credited as `infoprop credit` does; the best are kept. Fastest.
  backward  Drop the feature that earns the least, train again, credit anew, and so on. Knows what every
            size delivers on the way, so it can pick the size itself (-k auto). The usual second step.
  directed  Hold the number of features, and replace the one that earns the least by others until no swap
            promises more. Tries many subsets of one size: thorough, and slow.
  angle     One training; keep the features along whose axes the decision turns near the margin. Counts no
            errors, so no judging rows take part in the choice.
  forward   Add the feature that makes the classifier right most often, from the --beam best subsets at a
            time, until no larger subset is better. Finds the number of features; -k N bounds it.
  genetic   Breed subsets by how often the classifier is right on them. Finds the number of features.
  stability Eliminate in many halves of the rows; keep what the halves agree about, at an estimated false
            discovery rate (--fdr). May keep nothing.
  knockoffs Eliminate columns together with knockoffs of them, which know nothing of the class; keep what
            outlives its knockoff, at a false discovery rate (--fdr). May keep nothing.
  With --classifier pairwise, forward and genetic search features for every pair of classes.

{_choice.combinations_help()}"""


def add_choice_arguments(parser: argparse.ArgumentParser, *, has_auto: bool, has_checkpoint: bool) -> None:
    """Method, size and search.

    `has_auto` says that there is a choice even if no method is named; otherwise all features are kept. A
    checkpoint is for those who search once.
    """
    default = "credit with -k, --threshold or --per-class, else auto" if has_auto else "all features"
    group = parser.add_argument_group("choice of features")
    group.add_argument(
        "--method",
        choices=(*((_choice.FRONT,) if has_auto else ()), *_choice.METHODS),
        help=f"how features are chosen, see above (default: {default})",
    )
    choice = group.add_mutually_exclusive_group()
    choice.add_argument(
        "-k",
        "--k",
        metavar="N",
        type=size_value,
        help="keep the N best: a whole number, or a fraction of all; with --method backward also auto: as "
        "many as --rule says; with --method forward at most N (default: as many as it takes); --method auto "
        "finds the number if there is none",
    )
    choice.add_argument(
        "--threshold",
        metavar="BITS",
        type=positive_number,
        help="keep features worth at least this much (--method credit)",
    )
    add_marker_argument(group)
    group.add_argument(
        "--keep",
        metavar="COLS",
        action="extend",
        type=column_names,
        default=[],
        help="features that are always kept, separated by commas; may be given again",
    )
    group.add_argument(
        "--fdr",
        metavar="RATE",
        type=part_value,
        help="stability and knockoffs: largest false discovery rate (default: 0.1)",
    )
    _add_size_arguments(group)
    searching = parser.add_argument_group("search")
    _add_search_arguments(searching)
    _add_breeding_arguments(searching)
    searching.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=positive_number,
        help="of all but credit and angle: end the search after this many seconds, with the best so far; "
        "with --nested, each search",
    )
    if has_checkpoint:
        searching.add_argument(
            "--checkpoint",
            metavar="FILE",
            type=path_value,
            help="of all but credit and angle: write the search to FILE as it goes; the same command goes on "
            "from there",
        )


def add_marker_argument(group: argparse._ArgumentGroup) -> None:
    """Markers of every class."""
    group.add_argument(
        "--per-class",
        metavar="N",
        type=positive_integer,
        help="by credits: N markers for every class, the features that tell the most about it; a choice "
        "keeps them beside the best of all (-k, --threshold)",
    )


def _add_size_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--rule",
        choices=_choice.RULES,
        help="backward with -k auto: the smallest size that delivers the most; the smallest within one "
        "standard error of that; the smallest within --tolerance of it (default: best)",
    )
    group.add_argument(
        "--tolerance",
        metavar="X",
        type=part_value,
        help="part of the most that may be given up for fewer features, with --rule tolerance "
        "(default: 0.01)",
    )


def _add_search_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--step",
        metavar="N",
        type=step_value,
        help="backward: features dropped at a time: a number, a fraction of those left, or halving, which "
        "drops half while there are many and then one by one (default: 1)",
    )
    group.add_argument(
        "--criterion",
        choices=[word for words in _choice.CRITERIA.values() for word in words],
        help="backward: information (bits earned) or margin (plain SVM-RFE, every class alike); angle: angle "
        "or separation (distance between classes along the feature) (default: the first)",
    )
    group.add_argument(
        "--init",
        metavar="HOW",
        type=init_value,
        help="directed: order in which features are tried, the first N being the start: credits (of one "
        "training), random, or names separated by commas (default: credits); genetic: the first generation, "
        "random or around what a forward search finds: forward (default: random)",
    )
    group.add_argument(
        "--max-trainings",
        metavar="N",
        type=positive_integer,
        help="directed: end after this many subsets (default: 4 (features - N + 1))",
    )


def _add_breeding_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--beam", metavar="N", type=subset_count, help="forward: subsets grown at a time (default: 5)"
    )
    group.add_argument(
        "--scoring",
        choices=SCORINGS,
        help="forward and genetic: what subsets are judged by, the rows named right, their mean over the "
        "classes, the information that the predictions deliver, or the area under the ROC curve "
        "(default: accuracy)",
    )
    group.add_argument(
        "--population",
        metavar="N",
        type=subset_count,
        help="genetic: subsets in a generation (default: 30)",
    )
    group.add_argument(
        "--generations", metavar="N", type=generation_count, help="genetic: generations (default: 30)"
    )


def choice_of(arguments: argparse.Namespace) -> Choice:
    """Typed options out of the parsed words, checked against each other and against the classifier."""
    is_sized = any(getattr(arguments, name, None) is not None for name in ("k", "threshold", "per_class"))
    choice = Choice(
        count=arguments.k,
        method=arguments.method or (_choice.CREDIT if is_sized else _choice.FRONT),
        keep=tuple(arguments.keep),
        **{name: getattr(arguments, name, None) for name in METHODS_OF},
    )
    choice.check(arguments.classifier)
    return choice
