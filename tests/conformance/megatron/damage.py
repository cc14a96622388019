"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
from damaging import copies, edit_json, edit_text, put, swap_strides
from judging import read_json

PLAN = "plan.json"


def doubled(number):
    return 2 * number


def move_a_layer(plan):
    first, second = plan["placement"][:2]
    first["layers"] -= 1
    second["layers"] += 1
    second["first_layer"] -= 1


def stretched(groups):
    group = next(g for g in groups if g["name"] == "pipeline")
    group["strides"][0]["stride"] //= 2
    return groups


DAMAGES = {
    "layer-on-another-chunk": edit_json(PLAN, move_a_layer),
    "axes-in-another-order": edit_json(PLAN, swap_strides),
    "group-of-other-ranks": edit_json(PLAN, put(["groups"], stretched)),
    "more-micro-batches": edit_json(PLAN, put(["batch", "micro_batches"], doubled)),
    "more-devices": edit_json(PLAN, put(["devices"], doubled)),
    "larger-vocabulary": edit_json(PLAN, put(["model", "padded_vocab"], doubled)),
    "unknown-option": edit_text("arguments.txt", lambda t: t + "--pipeline-model-parallel-split-rank\n1\n"),
    "indivisible-batch": edit_text("arguments.txt", lambda t: t + "--global-batch-size\n1\n"),
    "half-the-nodes": edit_text("launch.sh", lambda t: t.replace("--nnodes ", "--nnodes 1")),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"${arguments[@]}"', "")),
}


def make(folders, out):
    return copies(folders, lambda folder: read_json(folder, PLAN)["parallel"]["pipeline"] > 1, DAMAGES, out)
