"""Random layouts, legal and illegal mixed, near the edges of the rules.

`draws(count, seed)` gives the same layouts for the same seed. Each begins as a layout that every rule allows
and is then changed in none, one, or several places that rules look at. `Draw.dpl()` is its text for dplc; each
target has its own function from a `Draw` to the framework's arguments, which never goes through dplc, so that
illegal ones can be judged too and agreement means something. The models are small: memory never decides.
"""
import random

from drawn_layout import Draw  # noqa: F401  part of what this module offers
from layout_changes import CHANGES
from legal_layouts import legal


def draw(r, index, only=None, more=None):
    """One layout; `only` restricts the changes to these names, `more` are changes of one target alone."""
    d = legal(r)
    d.index = index
    changes = CHANGES | (more or {})
    names = sorted(only or changes)
    chosen = r.sample(names, min(len(names), r.choice([0, 1, 1, 1, 2, 2, 3])))
    for name in chosen:
        changes[name](r, d)
    d.hidden = d.heads * (d.hidden // d.heads)  # head_dim is whole: it is hidden / heads
    d.dense_layers = min(d.dense_layers, d.layers - 1)  # a model with experts has a layer with experts
    d.changes = tuple(chosen)
    return d


def draws(count, seed, only=None, more=None):
    """`count` layouts, the same for the same seed; one more draw leaves those before it as they are."""
    return [draw(random.Random(f"{seed}/{index}"), index, only, more) for index in range(count)]
