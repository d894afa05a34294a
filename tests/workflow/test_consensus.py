"""Markers of every class, and features on which outer folds agree."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from infoprop.exceptions import InfopropError
from infoprop.selection import CreditSelector
from infoprop.workflow import analyse

X, Y = load_wine(return_X_y=True, as_frame=True)


def test_every_class_has_its_markers():
    found = analyse(X, Y, per_class=2, n_null=0)
    assert found.selector is None
    for number, label in enumerate(found.credits.classes.tolist()):
        best = np.sort(found.credits.by_class[number])[::-1][:2]
        assert [bits for _, bits in found.markers[label]] == best.tolist()


def test_a_choice_keeps_them():
    found = analyse(X, Y, method="credit", per_class=2, n_null=0)
    assert set(found.chosen) == {name for markers in found.markers.values() for name, _ in markers}
    more = analyse(X, Y, method="credit", n_features_to_select=1, per_class=2, n_null=0)
    assert set(more.chosen) == {*found.chosen, more.credits.top(1)[0][0]}
    assert len(more.selector.at(3).get_feature_names_out()) == 3


def test_of_two_classes_one_list_is_enough():
    selector = CreditSelector(per_class=3, random_state=0).fit(X[Y < 2], Y[Y < 2])
    assert selector.n_features_ == 3
    one, other = selector.credits_.markers(3).values()
    assert one == other


@pytest.mark.parametrize("keep", [None, ["ash"]])
def test_what_is_always_kept_stays(keep):
    chosen = CreditSelector(per_class=1, keep=keep, random_state=0).fit(X, Y).get_feature_names_out()
    assert ("ash" in chosen) == (keep is not None)


def test_folds_agree_on_features():
    found = analyse(X, Y, method="credit", n_features_to_select=4, nested=3, consensus=3, n_null=0)
    counts = found.nested[0].supports.sum(axis=0)
    assert found.chosen == tuple(np.array(found.finding.names)[counts == 3])
    assert found.finding.n_folds_chosen.tolist() == counts.tolist()
    assert f"{len(found.chosen)} features were chosen in at least 3 of 3" in found.finding.sentence
    assert found.model().n_features_in_ == len(found.chosen)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"method": "backward", "per_class": 2, "n_features_to_select": 2}, "goes with credits"),
        ({"method": "credit", "n_features_to_select": 2, "consensus": 2}, "counts outer folds"),
        ({"method": "credit", "n_features_to_select": 2, "nested": 3, "consensus": 4}, "between 1 and the 3"),
        ({"method": "credit", "per_class": 0}, "per_class"),
    ],
)
def test_what_does_not_go_together_is_refused_before_any_work(told, words):
    with pytest.raises(InfopropError, match=words):
        analyse(X, Y, **told)
