import io

from rich.console import Console
from rich.progress import Progress

from infoprop.cli._progress import TimeLeft


def test_time_left_is_known_from_the_first_item_on():
    progress = Progress(console=Console(file=io.StringIO()))
    number = progress.add_task("folds", total=4, has_rhythm=True)
    (task,) = progress.tasks
    assert TimeLeft().render(task).plain == "-:--:-- left"
    progress.advance(number)
    task.start_time -= 10
    assert TimeLeft().render(task).plain == "0:00:30 left"
