"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
import json
import os
import shutil


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


def edit_plan(change):
    def apply(folder):
        path = os.path.join(folder, "plan.json")
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        change(plan)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(plan, file, indent=2)
    return apply


def swap_strides(plan):
    axes = [axis for axis in plan["mesh"] if axis["size"] > 1]
    axes[0]["stride"], axes[-1]["stride"] = axes[-1]["stride"], axes[0]["stride"]


YAML = "accelerate.yaml"
DAMAGES = {
    "unknown-key": edit_text(YAML, lambda t: t + "num_gpus: 8\n"),
    "unknown-setting": edit_text(YAML, lambda t: t.replace("  fsdp_version", "  fsdp_shards: 8\n  fsdp_version")),
    "fsdp-1": edit_text(YAML, lambda t: t.replace("fsdp_version: 2", "fsdp_version: 1")),
    "more-replicas": edit_text(YAML, lambda t: t.replace("dp_replicate_size: 2", "dp_replicate_size: 4")),
    "no-type": edit_text(YAML, lambda t: t.replace("distributed_type: FSDP\n", "")),
    "half-the-processes": edit_text(YAML, lambda t: t.replace("num_processes: ", "num_processes: 1")),
    "axes-in-another-order": edit_plan(swap_strides),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"$@"', '"$1"')),
    "no-accumulation": edit_text("launch.sh", lambda t: t.replace("STEPS=", "STEPS=1")),
}


def make(folders, out):
    """One damaged copy for each kind of damage, of the first folder with two replicas under FSDP2."""
    shutil.rmtree(out, ignore_errors=True)
    for folder in folders:
        with open(os.path.join(folder, YAML), encoding="utf-8") as file:
            if "dp_replicate_size: 2" in file.read():
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
