from infoprop.selection.running import _progress
from infoprop.selection.running._progress import Progress


def test_progress_is_silent_unless_asked_for(capsys):
    with Progress(verbose=0, title="work", total=2) as progress:
        assert list(progress.watch([1, 2])) == [1, 2]
        progress.say("done")
    assert capsys.readouterr() == ("", "")


def test_progress_goes_to_standard_error(capsys):
    with Progress(verbose=1, title="work", total=2) as progress:
        assert list(progress.watch([1, 2])) == [1, 2]
        progress.say("done with [bold] things")
    out, err = capsys.readouterr()
    assert out == ""
    assert "work" in err
    assert "2/2" in err
    assert "done with [bold] things" in err


def test_progress_that_ends_early_has_nothing_left(capsys):
    with Progress(verbose=1, title="work", total=7) as progress:
        progress.advance(5)
        progress.step()
    err = capsys.readouterr().err
    assert "6/6" in err
    assert "0:00:00 left" in err


def test_without_rich_there_are_plain_lines(capsys, monkeypatch):
    monkeypatch.setattr(_progress, "is_installed", lambda name: False)
    with Progress(verbose=1, title="work", total=7) as progress:
        assert list(progress.watch([1, 2])) == [1, 2]
        progress.say("done with [bold] things")
    assert capsys.readouterr() == ("", "work: 7 trainings\ndone with [bold] things\n")
