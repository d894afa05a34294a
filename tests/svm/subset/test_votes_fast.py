import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infoprop.svm._decision import with_exact_ties
from infoprop.svm.subset import _votes_fast as fast
from reference.splits import index_of


@given(arrays(float, 4, elements=st.sampled_from([-1.0, 0.0, 1.0, 1.0 + 1e-10, 1.0 - 1e-12, 2.0])))
def test_votes_tie_as_in_the_classifier(outputs):
    splits = index_of([0, 1, 2, 3])
    label = fast.vote(outputs, splits.positive, splits.negative[0])
    assert label == with_exact_ties(outputs[None]).argmax(axis=1)[0]


@pytest.mark.parametrize(("output", "label"), [(0.5, 3), (0.0, 1), (-2.0, 1)])
def test_a_single_machine_votes_by_sign(output, label):
    splits = index_of([0, 1, 2], [1, 3])
    outputs = np.array([9.0, 9.0, 9.0, output])
    assert fast.vote(outputs[3:], splits.positive[3:], splits.negative[1]) == label
