"""On paper: no sheet is half empty, and no label is cut."""

import numpy as np
import pytest

from infoprop.report import Report
from reference.paper import filled_shares

HALF = 0.5

CUT = """
const faults = [];
const say = (what, one) => faults.push(`${what}: ${one.textContent.slice(0, 60)}`);
for (const one of document.querySelectorAll("main th, main td, main dd, main dt, main h1, main p")) {
  const isClipped = one.checkVisibility() && getComputedStyle(one).overflowX !== "visible";
  if (isClipped && one.scrollWidth > one.clientWidth + 1) say("cell", one);
}
for (const one of document.querySelectorAll("svg[role] text")) {
  if (!one.checkVisibility()) continue;
  const inner = one.getBoundingClientRect();
  const frame = one.closest("svg").getBoundingClientRect();
  if (inner.right > frame.right + 1 || inner.left < frame.left - 1) say("word", one);
}
for (const one of document.querySelectorAll("main table")) {
  if (one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1) say("table", one);
}
return faults;
"""
"""Words and tables that are cut off, as the page stands now."""


def report_of(credits_of, n_features, n_chosen, labels):
    """A page after a choice, with everything that is long in it."""
    random = np.random.default_rng(0)
    table = random.integers(0, 3, (len(labels), len(labels))) + 20 * np.eye(len(labels), dtype=int)
    names = [f"word_freq_feature_{number}" for number in range(n_features)]
    alone = credits_of(table.T, labels, names[:n_chosen], power=6)
    return Report.from_credits(
        credits_of(table, labels, names, power=6),
        selected=np.arange(n_features) < n_chosen,
        retrained=alone.flow,
        chosen_credits=alone,
        judged_on="choice",
        data="table.csv",
        settings={"classifier": "svm", "C": 1},
        code="print('again')\n" * 8,
    )


@pytest.mark.parametrize(
    ("n_features", "n_chosen", "n_classes"), [(13, 8, 3), (2_000, 800, 2), (200, 60, 26)]
)
def test_no_sheet_is_half_empty_and_no_label_is_cut(
    browser, credits_of, tmp_path, n_features, n_chosen, n_classes
):
    labels = [f"{chr(65 + number)}-class" for number in range(n_classes)]
    report = report_of(credits_of, n_features, n_chosen, labels)
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.get(report.write_html(tmp_path / "report.html").as_uri())
    shares = filled_shares(browser)
    assert len(shares) > 2
    # The last sheet ends where the report does.
    assert min(shares[:-1]) > HALF, shares
    sheet = {"width": 718, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sheet)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    faults = browser.execute_script(CUT)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert faults == []
