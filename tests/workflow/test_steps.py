from infoprop.workflow._steps import Steps


def test_steps_that_nobody_watches_pass_everything_on():
    steps = Steps()
    steps.begin("reading")
    steps.begin_aside("searching")
    assert list(steps.watch([1, 2, 3], 3, "folds")) == [1, 2, 3]
    assert not steps.is_shown
