"""Running text: which columns, which words, and what their counts become."""

import argparse

from infoprop.cli._grammar._reading_options import add_columns_argument
from infoprop.cli._grammar._values import positive_integer
from infoprop.workflow._options import WEIGHTS, DataOptions


def add_text_arguments(group: argparse._ArgumentGroup, *, has_weights: bool = True) -> None:
    """Columns of running text."""
    add_columns_argument(
        group,
        "--text",
        "columns of running text, written like --drop: each word becomes a feature. A word is two or "
        "more letters, digits or underscores, in lower case",
    )
    group.add_argument(
        "--min-df",
        metavar="N",
        type=positive_integer,
        default=DataOptions.min_df,
        help="leave out words that occur in fewer rows (default: %(default)s)",
    )
    group.add_argument(
        "--ngrams",
        metavar="N",
        type=positive_integer,
        default=DataOptions.ngrams,
        help="also count runs of up to N words, such as 'new york' (default: %(default)s)",
    )
    if has_weights:
        group.add_argument(
            "--weights",
            choices=WEIGHTS,
            help="what the number of times a word occurs in a row becomes, learned from training rows. "
            "count: divided by its largest; binary: 1 if it occurs; tfidf: the rarer the word, the more, "
            "rows of length 1; bns: 1 if it occurs, times how well it separates the classes, rows likewise; "
            "shaped: the probability of the class that it separates best (default: tfidf if all features are "
            "words and no subsets are searched, else count)",
        )
