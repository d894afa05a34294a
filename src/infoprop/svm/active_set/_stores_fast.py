"""What the active-set core asks a store, whichever it is: the Gram store or the feature store.

The column ``K_Fi`` of a row i and the free set, one gradient ``K_i beta - y_i + b``, all of them, the
residuals of the free set, prices (bounded rows that violate the KKT conditions of `_core_fast`), and to
follow a change of beta. Invariant: after `follow` all answers belong to the machine's beta. A kernel store
(`_kernel_store`) hands its rows over as a Gram store. Bodies are chosen by type while compiling.

Reference: J. Nocedal and S. Wright, Numerical Optimization (2006), section 16.5.
"""

from infoprop._core._by_type import chosen_by_type
from infoprop.svm.active_set import _feature_store_fast as feature
from infoprop.svm.active_set import _gram_store_fast as gram
from infoprop.svm.active_set._feature_store_fast import FeatureStore
from infoprop.svm.active_set._gram_store_fast import GramStore


@chosen_by_type({GramStore: gram.gram_column, FeatureStore: feature.gram_column})
def gram_column(store, machine, i, scratch):
    """Write the kernel of row i with the rows of the free set into z; returns that with itself."""


@chosen_by_type({GramStore: gram.gradient, FeatureStore: feature.gradient})
def gradient(store, machine, i):
    """``K_i beta - y_i + b`` of one row."""


@chosen_by_type({GramStore: gram.all_gradients, FeatureStore: feature.all_gradients})
def all_gradients(store, machine, scratch):
    """Write ``K beta - y`` of all training rows, without b, into keys."""


@chosen_by_type({GramStore: gram.read_residual, FeatureStore: feature.read_residual})
def read_residual(store, machine):
    """Write ``K beta - y + b`` of the free set into its residuals."""


@chosen_by_type({GramStore: gram.follow, FeatureStore: feature.follow})
def follow(store, machine, rows, moved, count):
    """Let the store follow ``beta_i += moved_i`` of the first `count` of `rows`."""


@chosen_by_type({GramStore: gram.price, FeatureStore: feature.price})
def price(store, machine, scratch):
    """Write rows that violate the optimality conditions, the worst first; returns how many."""
