"""Damaged copies of an emitted folder, which the judge has to refuse: that it accepts means something."""
import json
import os
import re

from damaging import copies, edit_json, edit_text


def _degree(name, change):
    """The text of a configuration, TOML or Python, with another degree."""
    return lambda text: re.sub(rf"({name}_degree *= *)(\d+)", lambda m: f"{m[1]}{change(int(m[2]))}", text)


def _strides(report):
    axes = {axis["axis"]: axis for axis in report["mesh"]["axes"]}
    axes["data"]["stride"], axes["pipeline"]["stride"] = axes["pipeline"]["stride"], axes["data"]["stride"]


def _experts(report):
    for axis in report["mesh"]["expert_axes"]:
        axis["stride"] *= 2 if axis["axis"] == "expert" else 1


def _layers(report):
    report["stages"][-1]["first_layer"] -= 1


def _batches(report):
    report["mesh"]["micro_batches"] += 1


def _damages(config):
    return {
        "axes-in-another-order": edit_json("report.json", _strides),
        "experts-in-another-order": edit_json("report.json", _experts),
        "a-layer-elsewhere": edit_json("report.json", _layers),
        "another-micro-batch": edit_json("report.json", _batches),
        "half-the-processes": edit_text(
            "launch.sh", lambda t: re.sub(r"--nproc-per-node \d+", "--nproc-per-node 4", t)),
        "unknown-field": edit_text(config, lambda t: t.replace("pipeline_parallel_degree", "pipeline_degree")),
        "no-pipeline": edit_text(config, _degree("pipeline_parallel", lambda _: 1)),
        "more-expert-parallelism": edit_text(config, _degree("expert_parallel", lambda n: 3 * n)),
    }


def fits(folder):
    """One or two nodes with every axis that is damaged."""
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    mesh = report["mesh"]
    large = {a["axis"] for a in [*mesh["axes"], *(mesh.get("expert_axes") or [])] if a["size"] > 1}
    return report["cluster"]["devices"] <= 16 and {"pipeline", "data", "expert"} <= large


def make(folders, release, out):
    return copies(folders, fits, _damages("train.toml" if release.startswith("0.2") else "dpl_plan.py"), out)
