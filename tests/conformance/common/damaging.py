"""Damaged copies of emitted folders, which a judge has to refuse: that it accepts means something."""
import json
import os
import shutil
import sys


def edit_text(name, change):
    """change(text) gives the new text."""
    def apply(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = change(text)
        assert changed != text, f"nothing to damage in {path}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
    return apply


def edit_json(name, change):
    """change(content) works in place."""
    def apply(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        change(content)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
    return apply


def put(path, value):
    """Sets what stands at a path of keys; a callable gets the old value."""
    def change(content):
        part = content
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value(part.get(path[-1])) if callable(value) else value
    return change


def swap_strides(plan):
    """The outermost and the innermost axis of plan.json change places."""
    axes = [axis for axis in plan["mesh"] if axis["size"] > 1]
    axes[0]["stride"], axes[-1]["stride"] = axes[-1]["stride"], axes[0]["stride"]


def copies(folders, fits, damages, out):
    """One damaged copy for each kind of damage, of the first folder that fits: a judge that is shown none finds nothing."""
    shutil.rmtree(out, ignore_errors=True)
    folder = next(filter(fits, folders), None)
    if folder is None:
        sys.exit("FAILED   no folder has everything that is damaged: a plan has to have it")
    made = []
    for name, apply in damages.items():
        copy = os.path.join(out, name)
        shutil.copytree(folder, copy)
        apply(copy)
        made.append(copy)
    return made
