"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
from damaging import copies, edit_json, edit_text, put, swap_strides
from judging import read_json

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


def fits(folder):
    """Stages of bf16 layers on several nodes: there is something of every kind to damage."""
    plan = read_json(folder, PLAN)
    return plan["parallel"]["pipeline"] > 1 and plan["nodes"] > 1 and "bf16" in read_json(folder, CONFIG)


def make(folders, out):
    return copies(folders, fits, DAMAGES, out)
