import json

from infoprop.report import Report, ReportSummary


def test_report_is_made_of_its_summary(credits):
    report = Report.from_credits(credits, title="Wine")
    assert report == Report(ReportSummary.from_credits(credits, title="Wine"))
    assert report.summary.title == "Wine"


def test_title_follows_the_data(credits):
    assert Report.from_credits(credits).summary.title == "What every feature is worth"
    assert Report.from_credits(credits, data="x.csv").summary.title == "x.csv: what every feature is worth"


def test_files_hold_the_text(credits, tmp_path):
    report = Report.from_credits(credits, data="wein, größer.csv")
    assert report.write_html(tmp_path / "a.html").read_text(encoding="utf-8") == report.html()
    assert report.write_markdown(str(tmp_path / "a.md")).read_text(encoding="utf-8") == report.markdown()
    written = report.write_json(tmp_path / "a.json")
    assert json.loads(written.read_text(encoding="utf-8"))["run"]["data"] == "wein, größer.csv"
    assert b"\r" not in written.read_bytes()
