"""L-BFGS over all weights of a network, compiled whole: a step of a small network takes microseconds.

The direction is ``-H g``, where H, the approximate inverse of the Hessian, follows from the last steps s and
changes y of the gradient by two loops over them (Nocedal 1980); what they do not tell comes from the
curvature of the layers (`_curvature_fast`) or from the last step. A step of length a along d must meet
Wolfe's conditions

    loss(w + a d) <= loss(w) + c1 a g . d,    gradient(w + a d) . d >= c2 g . d.

Invariants: the loss never rises; pairs are kept only where ``s . y > 0``, so that H stays positive definite.

References: J. Nocedal, Updating quasi-Newton matrices with limited storage, Mathematics of Computation 35
(1980), 773-782; J. Nocedal and S. Wright, Numerical Optimization (2006), of Wolfe's conditions.
"""

from typing import NamedTuple

import numpy as np

from infoprop._core._jit import njit, njit_sums
from infoprop.mlp._curvature_fast import invert, measure, measure_first_inputs, precondition
from infoprop.mlp._evaluation_fast import Blocks, copy, evaluate, workspace_for

# Why a run has stopped.
RUNNING = 0
FLAT = 1
STALLED = 2
OVERFITTING = 3

# c1 and c2 of Wolfe's conditions, as usual for quasi-Newton steps; and trials after which a search gives up:
# a length that is halved so often has no digit left to change.
_SUFFICIENT_DECREASE = 1e-4
_SUFFICIENT_FLATTENING = 0.9
_LONGEST_SEARCH = 30
# The layers' curvature is measured on about so many blocks, once in so many steps, and damped by this times
# the root of the length of the gradient.
_BLOCKS_FOR_CURVATURE = 4
_STEPS_FOR_CURVATURE = 5
_DAMPING = 0.02
# A step that gains less than this part of the squared tolerance: a gradient below it would gain no more.
_WORTHLESS = 0.1
# The gain of a step is taken over so many steps: one may be short where the next go on.
_STEPS_FOR_GAIN = 20
# Steps that are remembered.
MEMORY = 10


class State(NamedTuple):
    """Where a minimisation stands; everything it needs to go on."""

    w: np.ndarray  # (n_weights,)
    gradient: np.ndarray  # (n_weights,)
    steps: np.ndarray  # (memory, n_weights), a ring
    changes: np.ndarray  # (memory, n_weights), of the gradient over each step
    curvatures: np.ndarray  # (memory,), step @ change
    best: np.ndarray  # (n_weights,), lowest loss on the validation rows
    curve: np.ndarray  # (max_iter + 1,), training loss
    scores: np.ndarray  # (max_iter + 1,), validation loss
    # Pairs kept, place of the next pair, steps taken, step of the best, evaluations.
    counts: np.ndarray


class Problem(NamedTuple):
    """What is minimised: the mean loss plus ``penalty / 2`` times the sum of squared weights."""

    sizes: np.ndarray  # (n_layers + 1,), widths from inputs to outputs
    activation: int
    loss: int
    penalty: float


class Data(NamedTuple):
    """Rows in one precision: to train on, and to stop by; no rows to stop by if training does not."""

    blocks: Blocks
    validation: Blocks


class Rules(NamedTuple):
    """When to stop."""

    tol: float
    max_iter: int
    patience: int


class Vectors(NamedTuple):
    """Scratch of one minimisation, in the precision of its rows where evaluations write."""

    w: np.ndarray
    gradient: np.ndarray
    trial: np.ndarray
    trial_gradient: np.ndarray
    direction: np.ndarray
    slopes: np.ndarray  # (memory,)


@njit
def vectors_for(n_weights, blocks):
    """Return scratch for a network of so many weights, in the precision of `blocks`."""
    return Vectors(
        np.empty(n_weights, blocks.X.dtype),
        np.empty(n_weights, blocks.X.dtype),
        np.empty(n_weights),
        np.empty(n_weights),
        np.empty(n_weights),
        np.empty(MEMORY),
    )


@njit_sums
def dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@njit
def add_multiple(factor, source, target):
    for i in range(source.size):
        target[i] += factor * source[i]


@njit
def largest(a):
    top = 0.0
    for i in range(a.size):
        top = max(top, abs(a[i]))
    return top


@njit
def objective(w, gradient, problem, blocks, workspace, vectors):
    """Return the penalised loss at `w` and write its gradient; the rows' precision is used in between."""
    copy(w, vectors.w)
    loss = evaluate(
        vectors.w, vectors.gradient, problem.sizes, problem.activation, problem.loss, blocks, workspace, True
    )
    copy(vectors.gradient, gradient)
    offset = 0
    squares = 0.0
    for layer in range(problem.sizes.size - 1):
        end = offset + problem.sizes[layer] * problem.sizes[layer + 1]
        squares += dot(w[offset:end], w[offset:end])
        add_multiple(problem.penalty, w[offset:end], gradient[offset:end])
        offset = end + problem.sizes[layer + 1]
    return loss + 0.5 * problem.penalty * squares


@njit
def validation_loss(w, problem, blocks, workspace, vectors):
    """Return the mean loss on rows that are not trained on, without the penalty."""
    copy(w, vectors.w)
    return evaluate(
        vectors.w, vectors.gradient, problem.sizes, problem.activation, problem.loss, blocks, workspace, False
    )


@njit
def descend(state, problem, rules, data, curvature, n_steps):
    """Take at most `n_steps` steps in one precision; return the status.

    Without curvature (None) what deals with it is not even compiled: Numba leaves out such branches.
    """
    w, gradient, counts = state.w, state.gradient, state.counts
    blocks, validation = data.blocks, data.validation
    # Arrays are made here, not given: a small network is trained in little more time than arguments take.
    workspace, vectors = workspace_for(problem.sizes, blocks), vectors_for(w.size, blocks)
    loss = objective(w, gradient, problem, blocks, workspace, vectors)
    counts[4] += 1
    has_validation = validation.X.shape[0] > 0
    state.curve[counts[2]] = loss
    if counts[2] == 0:
        copy(w, state.best)
        if has_validation:
            state.scores[0] = validation_loss(w, problem, validation, workspace, vectors)
    stride = max(1, blocks.X.shape[0] // _BLOCKS_FOR_CURVATURE)
    if curvature is not None and counts[2] == 0:
        measure_first_inputs(blocks, curvature, stride)
    for _ in range(n_steps):
        if not largest(gradient) > rules.tol or is_plateau(state, rules.tol):
            return FLAT
        if counts[2] >= rules.max_iter:
            return RUNNING
        if curvature is not None and counts[2] % _STEPS_FOR_CURVATURE == 0:
            copy(w, vectors.w)
            measure(vectors.w, problem, blocks, workspace, curvature, stride)
            damping = max(_DAMPING * dot(gradient, gradient) ** 0.25, problem.penalty)
            invert(w, problem.sizes, curvature, damping)
        lbfgs_direction(state, vectors, problem.sizes, curvature)
        new_loss = search(loss, state, problem, blocks, workspace, vectors)
        if not new_loss < loss:
            if counts[0] == 0:
                return STALLED
            # The remembered curvature misled; the plain gradient gets its chance.
            counts[0] = 0
            continue
        remember(state, vectors)
        copy(vectors.trial, w)
        copy(vectors.trial_gradient, gradient)
        gain = loss - new_loss
        loss = new_loss
        counts[2] += 1
        state.curve[counts[2]] = loss
        if (
            has_validation
            and note_validation(state, problem, validation, workspace, vectors) > rules.patience
        ):
            return OVERFITTING
        if gain <= _WORTHLESS * rules.tol * rules.tol:
            return FLAT
    return FLAT if not largest(gradient) > rules.tol or is_plateau(state, rules.tol) else RUNNING


@njit
def is_plateau(state, tol):
    """Whether the last steps have gained, in the mean, no more than `tol` of the loss each."""
    now = state.counts[2]
    if now < _STEPS_FOR_GAIN:
        return False
    gain = state.curve[now - _STEPS_FOR_GAIN] - state.curve[now]
    return gain <= _STEPS_FOR_GAIN * tol * state.curve[now]


@njit
def note_validation(state, problem, validation, workspace, vectors):
    """Score the new weights; return the number of steps since the best."""
    counts = state.counts
    score = validation_loss(state.w, problem, validation, workspace, vectors)
    state.scores[counts[2]] = score
    if score < state.scores[counts[3]]:
        counts[3] = counts[2]
        copy(state.w, state.best)
    return counts[2] - counts[3]


@njit
def lbfgs_direction(state, vectors, sizes, curvature):
    """Write minus the approximate inverse Hessian times the gradient into `vectors.direction`.

    What the remembered steps do not tell comes from the layers' curvature if it is known, in the size that
    the last step asks for; else from the last step alone.
    """
    d = vectors.direction
    n_kept, place = state.counts[0], state.counts[1]
    memory = state.steps.shape[0]
    copy(state.gradient, d)
    for back in range(1, n_kept + 1):
        i = (place - back) % memory
        vectors.slopes[i] = dot(state.steps[i], d) / state.curvatures[i]
        add_multiple(-vectors.slopes[i], state.changes[i], d)
    if curvature is not None:
        precondition(d, sizes, curvature)
        if n_kept > 0:
            last = (place - 1) % memory
            # The trial point is not in use yet: it can hold a vector.
            copy(state.changes[last], vectors.trial)
            precondition(vectors.trial, sizes, curvature)
            d *= state.curvatures[last] / dot(state.changes[last], vectors.trial)
    elif n_kept > 0:
        last = (place - 1) % memory
        d *= state.curvatures[last] / dot(state.changes[last], state.changes[last])
    else:
        d *= min(1.0, 1.0 / np.sqrt(dot(d, d)))
    for back in range(n_kept, 0, -1):
        i = (place - back) % memory
        add_multiple(vectors.slopes[i] - dot(state.changes[i], d) / state.curvatures[i], state.steps[i], d)
    for i in range(d.size):
        d[i] = -d[i]


@njit
def search(loss, state, problem, blocks, workspace, vectors):
    """Find a step along the direction that meets Wolfe's two conditions; return the loss there.

    `vectors.trial` and `vectors.trial_gradient` are left at the point found. A loss that is not lower than
    the given one says that none was found: at the latest where rounding hides what there is to gain.
    """
    slope = dot(state.gradient, vectors.direction)
    rounding = np.finfo(blocks.X.dtype).eps
    if not slope < 0:
        return loss
    low, high = 0.0, np.inf
    length = 1.0
    new_loss = loss
    for _ in range(_LONGEST_SEARCH):
        copy(state.w, vectors.trial)
        add_multiple(length, vectors.direction, vectors.trial)
        new_loss = objective(vectors.trial, vectors.trial_gradient, problem, blocks, workspace, vectors)
        state.counts[4] += 1
        if not new_loss <= loss + _SUFFICIENT_DECREASE * length * slope:
            high = length
            # The minimum of the parabola through both losses and the slope at the start, kept off the ends.
            excess = new_loss - loss - length * slope
            parabola = -0.5 * slope * length * length / excess if np.isfinite(excess) and excess > 0 else 0.0
            length = min(max(parabola, low + 0.1 * (high - low)), low + 0.5 * (high - low))
            if -length * slope < rounding * loss:
                return loss
            continue
        if dot(vectors.trial_gradient, vectors.direction) >= _SUFFICIENT_FLATTENING * slope:
            return new_loss
        low = length
        length = 2.0 * length if high == np.inf else 0.5 * (low + high)
    return new_loss


@njit
def remember(state, vectors):
    """Keep the pair (step, change of the gradient) if it tells of positive curvature."""
    counts = state.counts
    place = counts[1]
    step, change = state.steps[place], state.changes[place]
    for i in range(step.size):
        step[i] = vectors.trial[i] - state.w[i]
        change[i] = vectors.trial_gradient[i] - state.gradient[i]
    curvature = dot(step, change)
    if curvature > 1e-12 * np.sqrt(dot(step, step) * dot(change, change)):
        state.curvatures[place] = curvature
        counts[1] = (place + 1) % state.steps.shape[0]
        counts[0] = min(counts[0] + 1, state.steps.shape[0])
