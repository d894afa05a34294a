"""``infoprop demo``: the whole way on built-in data."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from infoprop.cli._data._files import check_report
from infoprop.cli._exit_codes import DONE
from infoprop.cli._grammar._options import OutputOptions, add_speech_arguments
from infoprop.cli._grammar._values import path_value
from infoprop.workflow._choice import Choice
from infoprop.workflow._options import ModelOptions

if TYPE_CHECKING:
    from infoprop.workflow import Analysis

NAME = "demo"
SUMMARY = "the whole way on built-in data, in seconds"
DESCRIPTION = """\
Thirteen measurements of 178 wines from three cultivars, and beside each a shuffled copy of itself, which
knows nothing of the wine. See how many bits each of the 26 columns is worth, which are worth keeping, and
read it all on one page.
"""
EXAMPLES = """\
examples:
  infoprop demo
  infoprop demo --report wine.html
"""

SHUFFLED = " (shuffled)"
"""How the name of a worthless copy ends."""

_N_KEPT = 9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The grammar of this command."""
    parser.add_argument(
        "--report",
        metavar="FILE",
        type=path_value,
        default=Path("infoprop-demo.html"),
        help="where the page goes, its numbers beside it as .json (default: %(default)s)",
    )
    add_speech_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the data, train, credit, choose, train again, show."""
    from infoprop.cli._display._terminal import Terminal

    output = OutputOptions(top=0, report=arguments.report, is_quiet=arguments.quiet, is_json=arguments.json)
    check_report(output.report)
    terminal = Terminal(output.is_quiet)
    model = ModelOptions(C=0.1, validation=10)
    with terminal.remarks(), terminal.progress(4) as steps:
        steps.begin("starting")
        # Seconds of imports: only now, with the progress bar in sight.
        from infoprop.cli._data._demo_data import CODE, wine_and_shuffled_copies
        from infoprop.cli._data._requests import request_for
        from infoprop.cli._display._publishing import publish, settings
        from infoprop.workflow._analyse import carry_out

        steps.begin("making the data")
        frame, cultivar = wine_and_shuffled_copies(model.seed, SHUFFLED)
        choice = Choice(count=_N_KEPT)
        analysis = carry_out(frame, cultivar, request_for(None, model, choice), steps)
    report = analysis.report(
        data="wine, with shuffled copies", settings=settings(model, None, choice), code=CODE + analysis.code
    )
    publish(terminal, analysis, report, output, _moral(analysis))
    return DONE


def _moral(analysis: "Analysis") -> str:
    """What the shuffled copies teach."""
    credits, selected = analysis.credits, analysis.finding.selected
    assert credits is not None  # support vector machines have credits
    assert credits.noise is not None
    is_copy = [name.endswith(SHUFFLED) for name in credits.feature_names]
    bits = sum(credits.values[is_copy])
    n_kept = 0 if selected is None else int(selected[is_copy].sum())
    n_above = int(credits.noise.is_above[is_copy].sum())
    return (
        f"The {sum(is_copy)} shuffled copies, which know nothing, got {bits:.2f} bits together, and "
        f"{n_above or 'none'} of them {'are' if n_above > 1 else 'is'} above what chance could earn; "
        f"{n_kept or 'none'} of them {'are' if n_kept > 1 else 'is'} among the {_N_KEPT} kept."
    )
