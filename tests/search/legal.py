"""Which layouts are legal, written from the explain pages alone: the code of one rule that a layout breaks, or nothing.

`broken(model, devices, fields)` takes the name of a model of the library and the fields of a layout as texts by path, with
`mesh.data = rest`. Each rule has the code of its page in docs/explain.
"""
import re

MODELS = {  # as `dplc show std.models.NAME` prints them
    "gpt2_small": {"layers": 12, "heads": 12, "kv": 12, "width": 3072, "context": 1024, "experts": 0},
    "llama3_8b": {"layers": 32, "heads": 32, "kv": 8, "width": 14336, "context": 8192, "experts": 0},
    "mixtral_8x7b": {"layers": 32, "heads": 32, "kv": 8, "width": 14336, "context": 4096, "experts": 8},
}


def number(text):
    return int(re.match(r"\d+", text).group())


def broken(model, devices, fields):
    m = MODELS[model]
    degree = {axis: number(fields.get(f"mesh.{axis}", "1")) for axis in ("pipeline", "tensor", "context")}
    pipeline, tensor, context = degree["pipeline"], degree["tensor"], degree["context"]
    if devices % (pipeline * tensor * context):
        return "DPL0303"
    data = devices // (pipeline * tensor * context)
    grid = "mesh.experts.expert" in fields
    expert = number(fields.get("mesh.experts.expert", "1"))
    expert_tensor = number(fields.get("mesh.experts.tensor", "1")) if grid else tensor
    if grid and data * context * tensor % (expert * expert_tensor):
        return "DPL0303"
    if m["experts"] and m["experts"] % expert:
        return "DPL0309"
    if m["heads"] % tensor:
        return "DPL0311"
    if m["kv"] % tensor and tensor % m["kv"]:
        return "DPL0312"
    if m["width"] % (expert_tensor if m["experts"] else tensor):
        return "DPL0314"
    if context > 1 and m["context"] % (2 * context):
        return "DPL0315"
    if fields.get("shard.sequence") == "tensor" and m["context"] // context % tensor:
        return "DPL0316"
    passes = number(fields["micro_batch"]) * data
    if number(fields["batch"]) % passes:
        return "DPL0318"
    micro_batches = number(fields["batch"]) // passes
    stages = [fields.get(f"shard.{part}", "none") == "data" for part in ("optimizer", "gradients", "parameters")]
    if stages[2] > stages[1] or stages[1] > stages[0]:
        return "DPL0328"
    schedule = fields.get("schedule", "1f1b")
    chunks = number(schedule.split("chunks = ")[1]) if "chunks = " in schedule else 1
    if chunks > 1 and pipeline == 1:
        return "DPL0324"
    if chunks > 1 and micro_batches % pipeline:
        return "DPL0325"
    if fields.get("split", "even") == "even" and m["layers"] % (pipeline * chunks):
        return "DPL0320"
    if pipeline * chunks > m["layers"] + 2:  # only a chunk with the embedding or the head may have no layers
        return "DPL0320"
    return None
