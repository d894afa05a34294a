from infoprop._core import _memory
from infoprop._core._memory import fits_in_memory, memory_limit, memory_words


def test_a_megabyte_fits_and_the_whole_memory_does_not():
    assert fits_in_memory(1 << 20)
    assert not fits_in_memory(memory_limit())
    assert memory_words().endswith(" GB")


def test_a_container_may_have_less_than_its_machine(monkeypatch, tmp_path):
    group = tmp_path / "memory.max"
    monkeypatch.setattr(_memory, "_CONTROL_GROUPS", (str(group), str(tmp_path / "absent")))
    machine = _memory._machine_memory()
    for text, limit in (("max\n", machine), ("1000000\n", 1_000_000), (f"{2**62}\n", machine)):
        group.write_text(text)
        assert memory_limit.__wrapped__() == limit


def test_a_system_that_does_not_say_has_a_bound_all_the_same(monkeypatch):
    def fail(_):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(_memory.os, "sysconf", fail)
    assert _memory._machine_memory() == _memory._UNKNOWN
