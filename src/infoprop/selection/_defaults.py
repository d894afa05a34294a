"""Classifiers that selectors take when they are given none: on columns brought to one scale."""

from sklearn import get_config
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from infoprop.svm import OneVsRestSVC


def scaled_machines(is_sparse: bool) -> Pipeline:
    """Return linear machines on standardised columns; those of sparse rows are divided by their maximum.

    Examples
    --------
    >>> [name for name, _ in scaled_machines(is_sparse=False).steps]
    ['standardscaler', 'onevsrestsvc']
    """
    scaler = MaxAbsScaler() if is_sparse else StandardScaler()
    machines = OneVsRestSVC(kernel="linear")
    if get_config()["enable_metadata_routing"]:
        # A row of weight two is to be two rows to both of them; a maximum does not ask how often.
        machines.set_fit_request(sample_weight=True)
        if not is_sparse:
            scaler.set_fit_request(sample_weight=True)
    return make_pipeline(scaler, machines)


def scaled_neighbors(is_sparse: bool) -> Pipeline:
    """Return the nearest neighbour on columns between 0 and 1; sparse ones are divided by their maximum.

    Examples
    --------
    >>> [name for name, _ in scaled_neighbors(is_sparse=True).steps]
    ['maxabsscaler', 'kneighborsclassifier']
    """
    return make_pipeline(MaxAbsScaler() if is_sparse else MinMaxScaler(), KNeighborsClassifier(1))
