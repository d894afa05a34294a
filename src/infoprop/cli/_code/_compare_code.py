"""The Python that repeats `infoprop compare`."""

from sklearn.base import BaseEstimator

from infoprop.cli._code._data_lines import write_reading
from infoprop.cli._code._script import Script, assigned, call
from infoprop.workflow import _contest_names
from infoprop.workflow._contenders import Contest
from infoprop.workflow._options import DataOptions
from infoprop.workflow._peers import BorutaColumns, RankedColumns
from infoprop.workflow._preparation import Problem

_RANKED = '''\
class Ranked(BaseEstimator):
    """Ranks columns once; a feature stands where the best of its columns stands."""

    def __init__(self, score, groups=None, random_state=None):
        self.score = score
        self.groups = groups
        self.random_state = random_state

    def fit(self, X, y):
        numbers = np.unique(y, return_inverse=True)[1]
        scores = self.score({prepared}, numbers, self.random_state)
        order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
        names, first = np.unique(np.array(self.groups)[order], return_index=True)
        self.best_first = names[np.argsort(first)]
        return self

    def support_at(self, size):
        return np.isin(self.groups, self.best_first[:size])
'''

_BORUTA = '''\
class Boruta(BaseEstimator):
    """Keeps the columns that beat shuffled copies."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        forest = RandomForestClassifier(max_depth=5, class_weight="balanced", random_state=self.random_state)
        chooser = BorutaPy(forest, n_estimators="auto", max_iter={max_iter}, random_state=self.random_state)
        self.support_ = chooser.fit({prepared}, np.unique(y, return_inverse=True)[1]).support_
        return self
'''

_SCORES = {
    _contest_names.RFE: """\
def rfe(X, y, seed):
    return -RFE(SVC(kernel="linear"), n_features_to_select=1).fit(X, y).ranking_
""",
    _contest_names.INFORMATION: """\
def mutual_information(X, y, seed):
    is_discrete = {is_discrete}
    return mutual_info_classif(X, y, discrete_features=is_discrete, random_state=seed)
""",
    _contest_names.VARIANCE: """\
def anova_f(X, y, seed):
    return f_classif(X, y)[0]
""",
    _contest_names.PENALTY: '''\
def l1(X, y, seed):
    """How early a column enters as the penalty is relaxed; then by its largest weight."""
    entered = np.zeros(X.shape[1])
    for cost in l1_min_c(X, y, loss="squared_hinge") * np.logspace(0.05, 3.0, 15):
        machine = LinearSVC(penalty="l1", dual=False, C=cost, random_state=seed, max_iter=2000)
        weight = np.abs(machine.fit(X, y).coef_).max(axis=0)
        entered += weight > 0
    return entered + weight / (1.0 + weight.max())
''',
    _contest_names.RELIEF: """\
def relieff(X, y, seed):
    n_neighbors = max(1, min(10, int(np.bincount(y).min()) - 1))
    return ReliefF(n_features_to_select=1, n_neighbors=n_neighbors).fit(X, y).feature_importances_
""",
    _contest_names.REDUNDANCY: """\
def mrmr(X, y, seed):
    frame, classes = DataFrame(X, columns=range(X.shape[1])), Series(y)
    chosen = mrmr_classif(frame, classes, K={n_columns}, n_jobs=1, show_progress=False)
    scores = np.full(X.shape[1], -np.inf)
    scores[chosen] = -np.arange(len(chosen))
    return scores
""",
}
"""Functions as the run has them (`_peers`), without what it needs for the command line alone."""

_IMPORTS = {
    _contest_names.RFE: (("sklearn.feature_selection", "RFE"), ("sklearn.svm", "SVC")),
    _contest_names.INFORMATION: (("sklearn.feature_selection", "mutual_info_classif"),),
    _contest_names.VARIANCE: (("sklearn.feature_selection", "f_classif"),),
    _contest_names.PENALTY: (("sklearn.svm", "LinearSVC"), ("sklearn.svm", "l1_min_c")),
    _contest_names.RELIEF: (("skrebate", "ReliefF"),),
    _contest_names.REDUNDANCY: (("mrmr", "mrmr_classif"), ("pandas", "DataFrame"), ("pandas", "Series")),
    _contest_names.BORUTA: (("boruta", "BorutaPy"), ("sklearn.ensemble", "RandomForestClassifier")),
}

_DEFAULT_FOLDS = 5


def code_for_comparison(data: DataOptions, problem: Problem, contest: Contest) -> str:
    """Return Python that compares the same methods on the same folds.

    At its end `comparison` is what :func:`~infoprop.selection.compare_selectors` found.

    Parameters
    ----------
    data : DataOptions
        Where the data lies and how it is read.
    problem : Problem
        What was learned from.
    contest : Contest
        What was compared, and how.
    """
    script = Script()
    write_reading(script, data, problem)
    script.add(*assigned("model", script.written(contest.estimator)))
    script.known.update(model=contest.estimator)
    _write_peers(script, contest, problem)
    script.add("methods = {")
    for name, method in contest.methods.items():
        lines = f'"{name}": {_method(script, name, method)},'.split("\n")
        script.add(*(f"    {line}" for line in lines))
    script.add("}", *assigned("comparison", _comparing(script, contest)))
    script.add(
        "for choice in comparison:",
        '    print(f"{choice.method:20} {choice.n_features:7.1f} {choice.accuracy:7.1%}")',
    )
    return script.text()


def _write_peers(script: Script, contest: Contest, problem: Problem) -> None:
    """Lines of the preparation, the classes and the functions that methods of others need."""
    peers = {
        name: method
        for name, method in contest.methods.items()
        if isinstance(method, RankedColumns | BorutaColumns)
    }
    if not peers:
        return
    script.imported("sklearn.base", "BaseEstimator")
    preparation = next(iter(peers.values())).preparation
    if preparation is not None:
        script.add(*assigned("preparation", script.written(preparation)))
    told = {
        "prepared": "X" if preparation is None else "clone(preparation).fit_transform(X)",
        "is_discrete": '"auto"' if problem.is_sparse else "[len(np.unique(column)) <= 2 for column in X.T]",
        "n_columns": min(max(contest.sizes) + len(problem.owners) - problem.n_features, len(problem.owners)),
    }
    if preparation is not None:
        script.imported("sklearn.base", "clone")
    if any(isinstance(method, RankedColumns) for method in peers.values()):
        _paragraph(script, _RANKED.format(**told))
    for name, method in peers.items():
        for module, thing in _IMPORTS[name]:
            script.imported(module, thing)
        if isinstance(method, BorutaColumns):
            _paragraph(script, _BORUTA.format(max_iter=method.max_iter, **told))
        else:
            _paragraph(script, _SCORES[name].format(**told))
    script.add("", "")


def _paragraph(script: Script, text: str) -> None:
    script.add("", "", *text.splitlines())


def _method(script: Script, name: str, method: BaseEstimator | None) -> str:
    if isinstance(method, RankedColumns):
        return f"Ranked({name.replace('-', '_')})"
    return "Boruta()" if isinstance(method, BorutaColumns) else script.written(method)


def _comparing(script: Script, contest: Contest) -> str:
    told = ["methods", "X", "y", "estimator=model", f"sizes={list(contest.sizes)}"]
    for name, n_folds in (("validation", contest.n_folds), ("inner_validation", contest.n_inner_folds)):
        if n_folds != _DEFAULT_FOLDS:
            told.append(f"{name}={n_folds}")
    told += ["groups=features", f"random_state={contest.seed}"]
    return call(script.imported("infoprop.selection", "compare_selectors"), told)
