"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
import json
import os
import shutil


def edit_plan(change):
    def apply(folder):
        path = os.path.join(folder, "plan.json")
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        change(plan)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file, indent=2)
    return apply


def edit_text(name, change):
    def apply(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        changed = change(text)
        assert changed != text, f"nothing to damage in {path}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed)
    return apply


def move_a_layer(plan):
    first, second = plan["placement"][:2]
    first["layers"] -= 1
    second["layers"] += 1
    second["first_layer"] -= 1


def swap_strides(plan):
    axes = [axis for axis in plan["mesh"] if axis["size"] > 1]
    axes[0]["stride"], axes[-1]["stride"] = axes[-1]["stride"], axes[0]["stride"]


def stretch_a_group(plan):
    group = next(g for g in plan["groups"] if g["name"] == "pipeline")
    group["strides"][0]["stride"] //= 2


def double(path):
    def change(plan):
        part = plan
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] *= 2
    return change


DAMAGES = {
    "layer-on-another-chunk": edit_plan(move_a_layer),
    "axes-in-another-order": edit_plan(swap_strides),
    "group-of-other-ranks": edit_plan(stretch_a_group),
    "more-micro-batches": edit_plan(double(["batch", "micro_batches"])),
    "more-devices": edit_plan(double(["devices"])),
    "larger-vocabulary": edit_plan(double(["model", "padded_vocab"])),
    "unknown-option": edit_text("arguments.txt", lambda t: t + "--pipeline-model-parallel-split-rank\n1\n"),
    "indivisible-batch": edit_text("arguments.txt", lambda t: t + "--global-batch-size\n1\n"),
    "half-the-nodes": edit_text("launch.sh", lambda t: t.replace("--nnodes ", "--nnodes 1")),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"${arguments[@]}"', "")),
}


def make(folders, out):
    """One damaged copy for each kind of damage, of the first folder that has a pipeline."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in folders:
        with open(os.path.join(folder, "plan.json"), encoding="utf-8") as file:
            if json.load(file)["parallel"]["pipeline"] > 1:
                break
    else:
        return []
    made = []
    for name, apply in DAMAGES.items():
        copy = os.path.join(out, name)
        shutil.copytree(folder, copy)
        apply(copy)
        made.append(copy)
    return made
