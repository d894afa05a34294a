"""MLPClassifier: the networks as a scikit-learn classifier."""

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from infoprop._core._typing import FloatArray, LabelArray
from infoprop._core._weights import check_two_classes, check_weights
from infoprop.mlp._checking import checked_rows
from infoprop.mlp._network import OUTPUTS, Network, class_outputs, forward
from infoprop.mlp._propagation import Layer, propagated_shares
from infoprop.mlp._rows import Rows
from infoprop.mlp._starts import Starts
from infoprop.mlp._trainer import Trained


class MLPClassifier(ClassifierMixin, BaseEstimator):
    r"""A small multilayer perceptron, trained by a compiled quasi-Newton method.

    Layers :math:`O^{l+1} = \phi(O^l W^l + b^l)` with one output unit for each class, also for two classes.
    With :math:`s_i` the weights of the rows and :math:`S` their sum, training minimises

    .. math:: \tfrac1S \sum_i s_i \, \ell(y_i, O_i) + \tfrac{\alpha}{2 S} \sum_l \|W^l\|^2

    where :math:`\ell` is half the summed squares of logistic outputs against 0 and 1 ("squared_error"), or
    minus the logarithm of the softmax output of the row's class ("cross_entropy").

    Parameters
    ----------
    hidden_layer_sizes : int or tuple of int, default=(10,)
        Units in each hidden layer.
    activation : {"tanh", "logistic", "relu"}, default="tanh"
        Of the hidden layers.
    loss : {"cross_entropy", "squared_error"}, default="cross_entropy"
        The MOI paper minimises "squared_error".
    alpha : float, default=1e-4
        Penalty on the squared weights, as in :class:`sklearn.neural_network.MLPClassifier`.
    n_starts : int, default=1
        Number of random networks to train; the best is kept. Best is the lowest loss on rows that are held
        out, see `validation`.
    max_iter : int, default=1000
        Largest number of steps of a training.
    tol : float, default=1e-4
        Training ends when no entry of the gradient is larger, when twenty steps have gained, in the mean, no
        more than this part of the loss each, or when a step gains less than ``tol ** 2 / 10``.
    early_stopping : bool, default=False
        Hold rows out, stop when the loss on them has not fallen for ten steps, and go back to where it was
        lowest.
    validation : float or None, default=0.1
        Fraction of the rows of each class that is held out if there is early stopping or more than one start.
        None holds out none and ranks the starts by what they minimise.
    warm_start : bool, default=False
        Let the first start go on from the last network if its shape and the classes are the same.
    retrain : {"warm", "cold"}, default="warm"
        How a search trains the network after it has moved to other columns: from the weights it had, or anew.
        It does not affect `fit`.
    random_state : int, RandomState or None, default=None
        Draws initial weights and the rows that are held out.
    n_jobs : int or None, default=None
        Starts trained at once, in threads. Results do not depend on it.
    verbose : int, default=0
        Print a line for each start.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coefs_ : list of arrays of shape (n_in, n_out)
    intercepts_ : list of arrays of shape (n_out,)
    loss_ : float
        What training minimises, at the network.
    loss_curve_ : list of float
        The same after each step, from the start on.
    validation_scores_ : list of float
        Loss on the rows held out, step by step; only with early stopping.
    n_iter_ : int
    n_layers_ : int
        Counting inputs and outputs.
    n_outputs_ : int
    out_activation_ : {"logistic", "softmax"}
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)

    See Also
    --------
    infoprop.credit.credit_features : what each feature contributes, in bits.

    References
    ----------
    V. Sindhwani, S. Rakshit, D. Deodhare, D. Erdogmus, J. C. Principe, P. Niyogi, "Feature selection in MLPs
    and SVMs based on maximum output information", IEEE Transactions on Neural Networks 15 (4), 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from infoprop.mlp import MLPClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> network = MLPClassifier((3,), alpha=0.1, random_state=0).fit(X, y)
    >>> [W.shape for W in network.coefs_], network.predict(X[:3]).tolist()
    ([(4, 3), (3, 3)], [0, 0, 0])
    """

    def __init__(
        self,
        hidden_layer_sizes: int | tuple[int, ...] = (10,),
        *,
        activation: str = "tanh",
        loss: str = "cross_entropy",
        alpha: float = 1e-4,
        n_starts: int = 1,
        max_iter: int = 1000,
        tol: float = 1e-4,
        early_stopping: bool = False,
        validation: float | None = 0.1,
        warm_start: bool = False,
        retrain: str = "warm",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.loss = loss
        self.alpha = alpha
        self.n_starts = n_starts
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation = validation
        self.warm_start = warm_start
        self.retrain = retrain
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "MLPClassifier":
        """Train the network.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Columns should be of similar size, as after a scaler. Sparse rows are trained as dense ones.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
            A row of weight two counts as two rows, one of weight zero as none.

        Returns
        -------
        MLPClassifier
        """
        rows, classes = self._checked(X, y, sample_weight)
        trained = Starts.of(self).train(rows, classes.size, self._previous(classes))
        self.classes_ = classes
        self._keep(trained)
        return self

    def _check_trainable(self, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Raise what fit would raise before any work; sets nothing but what scikit-learn notes of X."""
        self._checked(X, y, sample_weight)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> tuple[Rows, LabelArray]:
        """Rows to train on, with numbers for labels, and the classes; refuses what can not be trained."""
        Starts.of(self).check()
        X, y = checked_rows(self, X, y)
        X = X.toarray() if sparse.issparse(X) else X
        if sample_weight is None:
            weights = np.ones(X.shape[0])
        else:
            weights = check_weights(sample_weight, X.shape[0])
            used = np.flatnonzero(weights)
            X, y, weights = X[used], y[used], weights[used]
        classes, labels = np.unique(y, return_inverse=True)
        check_two_classes(classes, "MLPClassifier")
        return Rows(X, labels, weights), classes

    def _previous(self, classes: LabelArray) -> Network | None:
        """Return the last network if this training is to go on from it."""
        if not (self.warm_start and hasattr(self, "coefs_") and np.array_equal(self.classes_, classes)):
            return None
        return self._network()

    def _network(self) -> Network:
        return Network(tuple(self.coefs_), tuple(self.intercepts_), self.activation, OUTPUTS[self.loss])

    def _keep(self, trained: Trained) -> None:
        network = trained.network
        self.coefs_ = list(network.coefs)
        self.intercepts_ = list(network.intercepts)
        self.out_activation_ = network.output
        self.n_layers_ = len(network.sizes)
        self.n_outputs_ = network.sizes[-1]
        self.loss_ = trained.loss
        self.loss_curve_ = trained.loss_curve.tolist()
        self.validation_scores_ = trained.validation_curve.tolist()
        self.n_iter_ = trained.n_iter
        if not trained.converged:
            warnings.warn(
                f"The network stopped at max_iter={self.max_iter} before reaching tol={self.tol}. Scale the "
                "features, raise alpha, or raise max_iter.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
            Outputs of the network. Logistic outputs need not sum to one and are divided by their sum.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        network = self._network()
        outputs = class_outputs(network, forward(network, X)[-1])
        if network.output == "logistic":
            # Outputs that all vanish tell no class from another.
            outputs += np.finfo(np.float64).tiny
            outputs /= outputs.sum(axis=1, keepdims=True)
        return outputs

    def predict(self, X: Any) -> LabelArray:
        """Class of each row: that of the largest output, of equals the first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def credit_shares(self, X: Any, sample_weight: Any = None) -> FloatArray:
        """Shares of the features in each class indicator, by covariance through the layers (equation 8).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows over which covariances are taken.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        array of shape (n_classes, n_features)
            See :func:`propagated_shares`.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        activations = [self.activation] * (self.n_layers_ - 2) + [self.out_activation_]
        layers = [Layer(*layer) for layer in zip(self.coefs_, self.intercepts_, activations, strict=True)]
        return propagated_shares(layers, X, sample_weight)
