"""Worker processes leave Ctrl-C to their master; a cluster has workers of its own."""

import signal
from contextlib import nullcontext

import pytest
from joblib import Parallel, delayed, parallel_config

from infoprop._core._cluster import cluster_client
from infoprop.cli import main
from infoprop.exceptions import ParameterError
from infoprop.workflow import _workers
from infoprop.workflow._workers import on_cluster, quiet_workers
from reference.cluster import cluster_of


def test_workers_go_on_when_they_are_interrupted():
    with quiet_workers():
        done = Parallel(n_jobs=2)(delayed(signal.raise_signal)(signal.SIGINT) for _ in range(2))
    assert done == [None, None]


def test_whoever_asked_for_another_backend_gets_it():
    with parallel_config("threading"):
        assert isinstance(quiet_workers(), nullcontext)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_does_what_one_process_does(tmp_path, capsys):
    pytest.importorskip("distributed")
    table = tmp_path / "rows.csv"
    rows = [f"{k % 7},{(k * k) % 5},{'yes' if k % 7 > 3 else 'no'}" for k in range(60)]
    table.write_text("\n".join(["a,b,class", *rows]) + "\n")
    command = ["classify", str(table), "--target", "class", "--classifier", "logistic", "--validation", "3"]
    assert main(command) == 0
    here = capsys.readouterr().out
    with cluster_of(2, processes=False) as client:
        address = client.scheduler.address
        with on_cluster(address):
            assert cluster_client() is not None
            assert isinstance(quiet_workers(), nullcontext)
        assert main([*command, "--scheduler", address]) == 0
    assert capsys.readouterr().out == here


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_does_not_answer_is_refused(monkeypatch, capsys):
    pytest.importorskip("distributed")
    monkeypatch.setattr(_workers, "_TIMEOUT", 0.5)
    with pytest.raises(ParameterError, match=r"No Dask scheduler answers at tcp://127.0.0.1:1,"):
        on_cluster("tcp://127.0.0.1:1").__enter__()
    with on_cluster(None):
        assert cluster_client() is None
    assert main(["credit", "absent.csv", "--scheduler", "tcp://127.0.0.1:1"]) == 2
    assert "No Dask scheduler answers" in capsys.readouterr().err
