import threading
import time
from collections import deque

import pytest

from infoprop.svm import _workers
from infoprop.svm._workers import Workers, WorkspacePool


@pytest.mark.parametrize("n_threads", [1, 3])
def test_results_come_in_the_order_of_the_items(n_threads):
    with Workers(n_threads) as workers:
        assert workers.map(lambda number: number * number, range(20)) == [n * n for n in range(20)]
        assert workers.map(str, []) == []


@pytest.mark.parametrize("n_threads", [1, 2])
def test_the_largest_items_come_first_and_results_in_order(n_threads):
    begun = []

    def work(number):
        begun.append(number)
        return -number

    with Workers(n_threads) as workers:
        assert workers.map_largest_first(work, [3, 9, 5], [3, 9, 5]) == [-3, -9, -5]
    assert sorted(begun) == [3, 5, 9]
    assert n_threads == 1 or 3 in begun[1:]


def test_one_worker_is_the_caller():
    with Workers(1) as workers:
        assert set(workers.map(lambda _: threading.get_ident(), range(3))) == {threading.get_ident()}


def test_the_caller_is_one_of_the_workers():
    meeting = threading.Barrier(2, timeout=300)
    with Workers(2) as workers:
        threads = workers.map(lambda _: (meeting.wait(), threading.get_ident())[1], range(2))
        assert threading.get_ident() in threads
        assert len(set(threads)) == 2
        assert set(workers.map(lambda _: threading.get_ident(), range(1))) == {threading.get_ident()}


def test_two_may_reach_for_the_last_item(monkeypatch):
    class Slow(deque):
        def popleft(self):
            time.sleep(0.01)
            return super().popleft()

    monkeypatch.setattr(_workers, "deque", Slow)
    with Workers(2) as workers:
        assert workers.map(abs, range(-3, 0)) == [3, 2, 1]


@pytest.mark.parametrize("is_mine", [True, False])
def test_after_an_error_nothing_new_is_begun(is_mine):
    meeting = threading.Barrier(2, timeout=300)
    caller, failed, begun = threading.get_ident(), threading.Event(), []

    def work(number):
        begun.append(number)
        meeting.wait()
        if (threading.get_ident() == caller) == is_mine:
            failed.set()
            raise ZeroDivisionError
        failed.wait(300)
        time.sleep(0.5)

    with pytest.raises(ZeroDivisionError), Workers(2) as workers:
        workers.map(work, range(10))
    assert sorted(begun) == [0, 1]


def test_several_workers_work_at_once():
    meeting = threading.Barrier(2, timeout=300)
    with Workers(2) as workers:
        workers.map(lambda _: meeting.wait(), range(2))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_the_work_reaches_the_caller(n_threads):
    before = set(threading.enumerate())
    workers = Workers(n_threads)
    started = set(threading.enumerate()) - before
    with pytest.raises(ZeroDivisionError), workers:
        workers.map(lambda number: 1 // number, [1, 0, 2])
    # They are told to end and do so soon after.
    for thread in started:
        thread.join(60)
        assert not thread.is_alive()


def test_memory_is_taken_again_and_by_one_at_a_time():
    workspaces = WorkspacePool()
    with workspaces.taken(10) as first, workspaces.taken(5) as second:
        assert first is not second
        assert len(first) >= 10
        assert len(second) >= 5
    with workspaces.taken(3) as third:
        assert third is first
    with workspaces.taken(20) as larger:
        assert len(larger) >= 20


def test_memory_comes_back_from_work_that_failed():
    workspaces = WorkspacePool()
    taken = []

    def fail():
        with workspaces.taken(3) as workspace:
            taken.append(workspace)
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    with workspaces.taken(3) as workspace:
        assert workspace is taken[0]
