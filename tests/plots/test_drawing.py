import sys
from importlib import import_module

import pytest

import infoprop
from infoprop.exceptions import MissingDependencyError
from infoprop.plots import CreditsDisplay, InformationFlowDisplay
from infoprop.plots._drawing import class_colours, literal


@pytest.mark.parametrize("display", [CreditsDisplay, InformationFlowDisplay])
def test_missing_matplotlib_names_the_extra(display, credits_of, monkeypatch):
    shown = display(credits_of(4))
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(MissingDependencyError, match=r"infoprop\[plots\]"):
        shown.plot()


def test_package_imports_without_matplotlib(monkeypatch):
    # Importing anew also replaces the attribute of the parent package.
    monkeypatch.setattr(infoprop, "plots", infoprop.plots)
    for name in [name for name in sys.modules if name.startswith("infoprop.plots")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert import_module("infoprop.plots").CreditsDisplay is not CreditsDisplay


def test_colours_follow_the_readers_cycle(pyplot):
    with pyplot.rc_context({"axes.prop_cycle": pyplot.cycler(color=["red", "blue"])}):
        assert class_colours(3) == ["red", "blue", "red"]


def test_dollars_are_no_formula():
    assert literal("US$ and $x_1$") == r"US\$ and \$x_1\$"
