"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
import os

from damaging import copies, edit_json, edit_text, swap_strides

YAML = "accelerate.yaml"
DAMAGES = {
    "unknown-key": edit_text(YAML, lambda t: t + "num_gpus: 8\n"),
    "unknown-setting": edit_text(YAML, lambda t: t.replace("  fsdp_version", "  fsdp_shards: 8\n  fsdp_version")),
    "fsdp-1": edit_text(YAML, lambda t: t.replace("fsdp_version: 2", "fsdp_version: 1")),
    "more-replicas": edit_text(YAML, lambda t: t.replace("dp_replicate_size: 2", "dp_replicate_size: 4")),
    "no-type": edit_text(YAML, lambda t: t.replace("distributed_type: FSDP\n", "")),
    "half-the-processes": edit_text(YAML, lambda t: t.replace("num_processes: ", "num_processes: 1")),
    "axes-in-another-order": edit_json("plan.json", swap_strides),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"$@"', '"$1"')),
    "no-accumulation": edit_text("launch.sh", lambda t: t.replace("STEPS=", "STEPS=1")),
}


def fits(folder):
    """FSDP2 with two replicas: there is something of every kind to damage."""
    with open(os.path.join(folder, YAML), encoding="utf-8") as file:
        return "dp_replicate_size: 2" in file.read()


def make(folders, out):
    return copies(folders, fits, DAMAGES, out)
