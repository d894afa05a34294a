"""What becomes of a finding: the terminal, the table on disk, the report."""

from pathlib import Path

import numpy as np
import polars as pl

from infoprop.cli._data._files import H5AD, tell_files, write_report, write_table
from infoprop.cli._display._feature_table import feature_frame, feature_table
from infoprop.cli._display._prediction_tables import confusion_table, predictions_frame
from infoprop.cli._display._terminal import Terminal
from infoprop.cli._grammar._options import OutputOptions
from infoprop.report import Report
from infoprop.workflow._annotating import write_annotated
from infoprop.workflow._choice import BACKWARD, CREDITED, Choice
from infoprop.workflow._classifier_names import KERNEL_OPTIONS, OPTIONS_OF
from infoprop.workflow._finding import Finding
from infoprop.workflow._judging import Judged
from infoprop.workflow._options import SPLIT, DataOptions, ModelOptions, draws_noise
from infoprop.workflow._result import Analysis


def publish(
    terminal: Terminal,
    analysis: Analysis,
    report: Report,
    output: OutputOptions,
    remark: str | None = None,
    *,
    source: Path | None = None,
) -> None:
    """Show what was found in `source` and a remark on it, and write what was asked for."""
    finding = analysis.finding
    # Files first: the reader of the terminal may stop in the middle.
    if output.output is not None and output.output.suffix.lower() == H5AD and source is not None:
        write_annotated(finding, source, output.output)
    elif output.output is not None:
        frame = _frame(finding)
        if output.chosen_only:
            frame = frame.filter(pl.col("selected"))
        write_table(frame, output.output, is_raw=output.is_raw)
    if output.report is not None:
        write_report(report, output.report)
    if output.is_json:
        terminal.show_json(report.json())
    else:
        _show(terminal, finding, report, output.top)
        summary = report.summary
        for label, markers in finding.markers.items():
            told = ", ".join(f"{name} ({bits:.3g})" for name, bits in markers)
            terminal.result(f"markers of {label}: {told or 'none is worth a bit'}")
        told_last = (
            finding.sentence,
            summary.noise_sentence,
            *summary.search_sentences,
            *summary.nested_sentences,
            *(row.sentence for row in summary.rows or ()),
            _model_words(output),
            remark,
        )
        for words in told_last:
            if words:
                terminal.result(words)
    what = "credits" if finding.credits is not None else "features"
    tell_files(
        terminal.say,
        {what: output.output, "report": output.report, "model": output.model},
        output.model_rows,
    )


def publish_judged(terminal: Terminal, analysis: Analysis, report: Report, output: OutputOptions) -> None:
    """Show what was judged, and write what was asked for."""
    judged, finding = analysis.judged, analysis.finding
    assert judged is not None  # the choice was repeated
    # Files first: the reader of the terminal may stop in the middle.
    if output.output is not None:
        answers = (judged.predicted, judged.true, judged.classes, judged.probabilities)
        frame = predictions_frame(judged.rows, *answers, identifiers=analysis.identifiers)
        write_table(frame, output.output, is_raw=output.is_raw)
    if output.report is not None:
        write_report(report, output.report)
    if output.is_json:
        terminal.show_json(report.json())
    else:
        terminal.show_lead(report.summary)
        terminal.show_table(confusion_table(judged.flow, terminal.width))
        for words in report.summary.error_sentences:
            terminal.result(words)
        if finding.selected is not None:
            show_features(terminal, finding, output.top)
            terminal.result(_choice_words(judged))
        if judged.is_whole and output.model is not None:
            terminal.result(_model_words(output))
    if not judged.is_whole:
        kept = ", and no model is written" if output.model is not None else ""
        terminal.say(f"note: interrupted; {judged.n_done} of {judged.n_folds} folds were judged{kept}")
    model = output.model if judged.is_whole else None
    files = {"predictions": output.output, "report": output.report, "model": model}
    tell_files(terminal.say, files, output.model_rows)


def _model_words(output: OutputOptions) -> str:
    """Whether the model that is kept is the one that the figures are of."""
    if output.model is None:
        return ""
    if output.model_rows == "train":
        return "The model is trained on the training rows alone: the figures are of this model."
    return (
        "The model is trained on all rows; the figures are of one that has not seen the rows that judge it."
    )


def _choice_words(judged: Judged) -> str:
    parts = "the training rows alone" if judged.n_folds == 1 else "the training rows of each fold alone"
    figures = f"The figures above are of classifiers whose features were chosen from {parts}"
    if not judged.is_whole:
        return f"{figures}; the features listed are those that most of these folds chose."
    return f"{figures}; the features listed are those chosen from all rows in the same way."


def _show(terminal: Terminal, finding: Finding, report: Report, top: int) -> None:
    if finding.credits is not None:
        terminal.show(report.summary, top, _q_by_name(finding))
        return
    terminal.show_lead(report.summary)
    show_features(terminal, finding, top)


def show_features(terminal: Terminal, finding: Finding, top: int) -> None:
    """List features that have no credits: those chosen, then the others."""
    order = finding.order.tolist()
    shown = order[:top] if top else order
    terminal.show_table(feature_table(finding, shown, terminal.width))
    if len(shown) < len(order):
        terminal.result(f"and {len(order) - len(shown):,} more (--top 0 shows all)", style="dim")


def _frame(finding: Finding) -> pl.DataFrame:
    """Features as a table, best first."""
    if finding.credits is None:
        return feature_frame(finding)
    frame: pl.DataFrame = finding.credits.to_frame("polars")
    if finding.selected is not None:
        frame = frame.with_columns(pl.Series("selected", np.asarray(finding.selected)))
    if finding.places is not None:
        frame = frame.with_columns(pl.Series("place", np.asarray(finding.places)))
    if finding.markers:
        known = [(str(label), dict(markers)) for label, markers in finding.markers.items()]
        told = [", ".join(label for label, markers in known if name in markers) for name in finding.names]
        frame = frame.with_columns(pl.Series("marker_of", told))
    if finding.n_folds_chosen is not None:
        frame = frame.with_columns(pl.Series("folds", finding.n_folds_chosen))
    if finding.q_values is not None:
        frame = frame.with_columns(pl.Series("q_value", finding.q_values))
    if finding.chosen_credits is None:
        return frame.sort("rank")
    # Those chosen first, by what they are worth without the others.
    alone = dict(
        zip(finding.chosen_credits.feature_names, finding.chosen_credits.values.tolist(), strict=True)
    )
    worth = [alone.get(name) for name in frame["feature"].to_list()]
    frame = frame.with_columns(pl.Series("credit_alone", worth, dtype=pl.Float64))
    return frame.sort("credit_alone", "rank", descending=[True, False], nulls_last=True)


def _q_by_name(finding: Finding) -> dict[str, float] | None:
    if finding.q_values is None:
        return None
    return dict(zip(finding.names, finding.q_values.tolist(), strict=True))


def settings(model: ModelOptions, data: DataOptions | None, choice: Choice | None) -> dict[str, object]:
    """What the run was told, in the words of the command line."""
    told: dict[str, object] = {"classifier": model.classifier}
    if model.learner != model.classifier:
        told["member"] = model.member
    for name in OPTIONS_OF[model.learner]:
        if name not in KERNEL_OPTIONS or model.kernel in KERNEL_OPTIONS[name]:
            told[name] = _value_words(getattr(model, name))
    if told.pop("class_weight", None) is not None:
        told["class weight"] = model.class_weight
    is_credited = (model.learner if choice is None else model.classifier) in CREDITED
    if is_credited and (choice is None or choice.method != BACKWARD):
        told["sharing"] = model.credit_sharing
        told["shuffled labels"] = f"{model.n_null} times" if draws_noise(model) else "no"
    elif model.sharing is not None:
        told["sharing"] = model.sharing
    told["validation"] = _validation_words(model.validation)
    if model.validation != SPLIT:
        told["seed"] = model.seed
    told["scaling"] = "yes" if data is None or data.is_scaled else "no"
    if data is not None and data.impute is not None:
        told["imputation"] = data.impute
    if data is not None and data.text:
        runs = f", runs of up to {data.ngrams} words" if data.ngrams > 1 else ""
        told["running text"] = f"{', '.join(data.text)}: words of {data.min_df} or more rows{runs}"
    if data is not None and data.drop:
        told["left out"] = ", ".join(data.drop)
    if choice is not None:
        told["chosen"] = choice
        if choice.keep:
            told["always kept"] = ", ".join(choice.keep)
        if choice.time_limit is not None:
            told["time limit"] = f"{choice.time_limit:g} seconds"
    return told


def _value_words(value: object) -> object:
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return f"{value:g}" if isinstance(value, float) else value


def _validation_words(validation: float | int | str) -> str:
    if validation == SPLIT:
        return "the test rows of the split column"
    if isinstance(validation, int):
        return f"{validation} folds"
    return f"{validation:.3g} of the rows held out"
