"""Layouts that dplc refuses for a target, each by another rule, and what the framework says of them."""
import tempfile

import draw
from agreement import ask


def layout(index, changes, **base):
    """A layout that both take, changed."""
    d = draw.Draw(index=index, batch=64)
    for name, value in {**base, **changes}.items():
        setattr(d, name, value)
    d.changes = tuple(changes)
    return d


def run(target, framework, entries, dplc):
    """The number of entries that are not as they should be. An entry is the rule, the layout, the first words of the
    framework's refusal, or None where it has nothing to say, and a function that gives its refusal or None."""
    wrong = spoken = 0
    with tempfile.TemporaryDirectory() as folder:
        for rule, d, words, refusal in entries:
            ours, theirs = ask(dplc, target, d.dpl(), folder, rule), refusal(d)
            spoken += words is not None
            fits = theirs is None if words is None else theirs is not None and theirs.startswith(words)
            if ours.codes != [rule] or not fits:
                wrong += 1
                print(f"FAILED   {rule}: dplc {ours.codes} {ours.messages}, {framework}: {theirs}")
    print(f"-- {len(entries)} refused layouts, {spoken} of them by {framework} itself and the rest without a "
          f"counterpart, {wrong} not as they should", flush=True)
    return wrong
