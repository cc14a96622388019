"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
import json
import os
import shutil


def edit_json(name, change):
    def apply(folder):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        change(content)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
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


def put(path, value):
    def change(content):
        part = content
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value(part.get(path[-1])) if callable(value) else value
    return change


def swap_strides(plan):
    axes = [axis for axis in plan["mesh"] if axis["size"] > 1]
    axes[0]["stride"], axes[-1]["stride"] = axes[-1]["stride"], axes[0]["stride"]


CONFIG, PLAN = "ds_config.json", "plan.json"
DAMAGES = {
    "another-batch": edit_json(CONFIG, put(["train_batch_size"], lambda batch: batch * 2)),
    "gradients-sharded-in-stages": edit_json(CONFIG, put(["zero_optimization", "stage"], 2)),
    "misspelt-setting": edit_json(CONFIG, put(["zero_optimization", "overlapcomm"], True)),
    "misspelt-key-at-top": edit_json(CONFIG, put(["gradent_clipping"], 1.0)),
    "key-twice": edit_text(CONFIG, lambda t: t.replace("{", '{"gradient_clipping": 1.0,', 1)),
    "two-precisions": edit_json(CONFIG, put(["fp16"], {"enabled": True})),
    "layers-on-other-stages": edit_json(PLAN, put(["pipeline", "parts"], lambda p: [p[0], p[1] + 1, *p[2:]])),
    "axes-in-another-order": edit_json(PLAN, swap_strides),
    "other-micro-batches": edit_json(PLAN, put(["batch", "micro_batches"], lambda count: count + 1)),
    "host-twice": edit_text("hostfile", lambda t: t + t.splitlines()[-1] + "\n"),
    "a-host-less": edit_text("hostfile", lambda t: "\n".join(t.splitlines()[:-1]) + "\n"),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"$@"', '"$1"')),
}


def make(folders, out):
    """One damaged copy for each kind of damage, of the first folder with stages of bf16 layers on several nodes."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in folders:
        with open(os.path.join(folder, PLAN), encoding="utf-8") as plan, \
                open(os.path.join(folder, CONFIG), encoding="utf-8") as config:
            plan, config = json.load(plan), json.load(config)
        if plan["parallel"]["pipeline"] > 1 and plan["nodes"] > 1 and "bf16" in config:
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
