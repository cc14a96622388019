"""Damaged copies of emitted folders, which the judge has to refuse: that it accepts means something."""
import re

from damaging import copies, edit_text
from judging import read_json

MODULE = "train.py"
DAMAGES = {
    "group-of-another-stride": edit_text(MODULE, lambda t: re.sub(
        r'("pipeline": \[\(\d+, )(\d+)', lambda m: m[1] + ("1" if m[2] != "1" else "2"), t, count=1)),
    "no-group-of-a-name": edit_text(MODULE, lambda t: t.replace('    "gradients": ', '    "gradient": ')),
    "axes-in-another-order": edit_text(MODULE, lambda t: re.sub(
        r'MESHES = \[\{("\w+": \d+), ("\w+": \d+)', r"MESHES = [{\2, \1", t)),
    "another-schedule": edit_text(MODULE, lambda t: t.replace("SCHEDULE = Schedule1F1B", "SCHEDULE = ScheduleGPipe")
                                  .replace("import PipelineStage, ", "import ScheduleGPipe, PipelineStage, ")),
    "other-micro-batches": edit_text(MODULE, lambda t: re.sub(r"^(MICRO_BATCHES = )", r"\g<1>1 + ", t, flags=re.M)),
    "a-layer-more": edit_text(MODULE, lambda t: re.sub(r"(STAGES = .*\n    \(0, )", r"\g<1>1 + ", t)),
    "half-the-processes": edit_text("launch.sh", lambda t: t.replace("--nproc-per-node ", "--nproc-per-node 1")),
    "swallowed-arguments": edit_text("launch.sh", lambda t: t.replace('"$@"', '"$1"')),
}


def fits(folder):
    """Stages of data ranks under 1F1B: there is something of every kind to damage."""
    sizes = {axis["axis"]: axis["size"] for axis in read_json(folder, "report.json")["mesh"]["axes"]}
    with open(f"{folder}/{MODULE}", encoding="utf-8") as file:
        return sizes["pipeline"] > 1 and sizes["data"] > 1 and "SCHEDULE = Schedule1F1B" in file.read()


def make(folders, out):
    return copies(folders, fits, DAMAGES, out)
