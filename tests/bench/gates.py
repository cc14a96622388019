"""What a short run of the release binary may cost, counted: instructions by callgrind and peak memory.

    gates.py DPLC EXAMPLES

DPL_LONG=1 makes 10,000 edits.

Bounds have a margin over what was counted when they were set; docs/internals/performance.md says what they are for. Counts do
not depend on the load of the machine, and hardly on its kind.
"""
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import editing
import layouts

SKIPPED = 77
LONG = bool(os.environ.get("DPL_LONG"))

EDIT_OF_LAYOUTS, EDIT_OF_EXAMPLE, COMPLETION_OF_INDICES = 90_000_000, 12_000_000, 100_000_000

ESTIMATES = ("*Estimator::quick*",)
LOWERING = ("*LowerCollectives::run*", "*PlaceRanks::run*")
SCHEDULE = ("*SchedulePipeline::run*",)
MEMORY = ("*CheckMemory::run*",)

HEAD = """import std.models
import std.clusters

model llm from models.llama3_8b
cluster pod from clusters.dgx_h100 { nodes = 4 }

"""


PAIRED = """import std.models
import std.clusters

model llm from models.llama3_70b { layers = 64 }
cluster pod from clusters.dgx_h100 { nodes = 64 }

layout paired for llm on pod {
  mesh { pipeline = 64, data = 1, tensor = 8 }
  batch = 512seq
  micro_batch = 1seq
  schedule = dualpipe
}
"""


def layout(i):
    data = (2, 4, 8, 16)[i % 4]
    return f"""layout l{i} for llm on pod {{
  mesh {{ pipeline = 2, data = {data}, tensor = {16 // data} }}
  batch = {64 * (1 + i % 4)}seq
  recompute = full
}}
"""


def fleet(i):
    return f"""/// Cluster {i} of the fleet.
cluster pod_{i} from clusters.dgx_h100 {{
  nodes = {i % 64 + 1}                       // of eight devices
  node.gpu.memory = 80GiB
  nic {{ bandwidth = 400Gbps per nic, latency = 5us }}
  spine.oversubscription = (1 + {i}) / {i % 64 + 1}
  storage {{ write = 10GB/s, read = 20GB/s }}
  assert nodes >= 1 and nodes <= 100_000, "a fleet has limits"
}}

"""


def numbers(i):
    return f"let list_{i} = [" + ", ".join(str(i * k % 1000) for k in range(2000)) + "]\n"


def described(i):
    return "/// " + "a long comment of words that nobody counts, " * 20 + "\n" + layout(i)


def ordinary(i):
    return f"""
/// A model, a cluster and a layout of it, much as in the examples; {i}.
model llm_{i} from models.llama3_8b {{ context = 4096tok }}

cluster pod_{i} from clusters.dgx_h100 {{
  nodes = {1 + i % 4}   // of eight devices
}}

layout train_{i} for llm_{i} on pod_{i} {{
  mesh {{
    pipeline = 2
    data     = {2 * (1 + i % 4)}
    tensor   = 2 within node
  }}
  batch     = {64 * (1 + i % 4)}seq
  schedule  = interleaved_1f1b {{ chunks = 2 }}
  shard     {{ optimizer = data, sequence = tensor }}
  recompute = full
  assert step_time > 1ms, "what a step takes"
}}
"""


# 3,072 ranks whose all-reduce is 921,600 messages, at most 0.4 of what a message took at first.
ISLANDS = """import std.textbook
cluster islands from textbook.two_levels {
  nodes = 24
  node.gpus = 128
  collectives = closed_form { algorithm = hierarchical }
}
"""
MESSAGES = ["--cluster", "islands", "--op", "all_reduce", "--ranks", "3072", "--size", "256MiB",
            "--algorithm", "hierarchical", "--messages"]

STUDY = """import std.models
import std.clusters

model llm from models.llama3_70b
cluster pod from clusters.dgx_h100 { nodes = 64 }

layout plan for llm on pod {
  batch = 1024seq
  mesh { pipeline = 4, data = rest, context = 1, tensor = 4 }
  micro_batch = 1seq
  shard { optimizer = data }
  if mesh.tensor > 1 { shard.sequence = tensor }
}

study ways for plan {
  vary {
    plan.mesh.pipeline in [1, 2, 4, 8, 16]
    plan.mesh.tensor in [1, 2, 4, 8]
    plan.mesh.context in [1, 2]
    plan.micro_batch in [1seq, 2seq]
    plan.recompute in [none, selective { modules = [norm] }, full]
    plan.shard.optimizer in [none, data]
  }
  sampling = random { points = 200, seed = 1 }
  outputs = [step_time, mfu, memory.peak]
}
"""


SHORT = {  # declarations of a line each, of which little is text
    "models": lambda i: f"model m{i} from models.llama3_70b {{ layers = 80 }}\n",
    "clusters": lambda i: f"cluster c{i} from clusters.dgx_h100 {{ nodes = {1 + i % 9} }}\n",
    "lists": lambda i: f"let a{i} = [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]\n",
    "numbers": lambda i: f"let a{i} = {i}\n",
    "words that do not parse": lambda i: "= " * 40,  # one line
}


def file_of(folder, name, head, part, size):
    """A file of at least `size` bytes."""
    text, parts = [head], 0
    while sum(map(len, text)) < size:
        text.extend(part(parts + i) for i in range(100))
        parts += 100
    path = Path(folder, name + ".dpl")
    path.write_text("".join(text))
    return path


def instructions(dplc, *arguments, of=()):
    """Of the whole run, or of the functions whose names match alone."""
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          *(f"--toggle-collect={name}" for name in of), dplc, *arguments],
                         capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not counted:
        sys.exit(f"{' '.join(arguments)}: {run.stderr[-2000:]}")
    return int(counted.group(1))


def peak(dplc, *arguments, exits=0):
    """Bytes, with the 14 MB that any run takes; of a process of its own, since the kernel keeps the largest of all children."""
    child = subprocess.run(
        [sys.executable, "-c", "import resource, subprocess, sys\n"
         "run = subprocess.run(sys.argv[1:], capture_output=True)\n"
         "print(run.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)", dplc, *arguments],
        capture_output=True, text=True, check=True)
    code, kib = map(int, child.stdout.split())
    if code != exits:
        sys.exit(f"{' '.join(arguments)}: exit code {code}")
    return kib * 1024


def main():
    dplc, examples = sys.argv[1], Path(sys.argv[2])
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        return SKIPPED
    dense, large_plan = str(examples / "llama3_70b_h100.dpl"), str(examples / "llama3_405b_h100.dpl")
    with tempfile.TemporaryDirectory() as folder:
        paired = Path(folder, "paired.dpl")
        paired.write_text(PAIRED)
        study = Path(folder, "study.dpl")
        page = str(Path(folder, "page.html"))
        study.write_text(STUDY)
        islands = Path(folder, "islands.dpl")
        islands.write_text(ISLANDS)
        many, large = Path(folder, "layouts.dpl"), Path(folder, "fleet.dpl")
        many.write_text(HEAD + "".join(map(layout, range(3500))))
        large.write_text("import std.clusters\n\n" + "".join(map(fleet, range(2600))))
        size = large.stat().st_size

        def a_byte(name, head, part, exits=0):
            path = file_of(folder, name, head, part, 1_000_000)
            return peak(dplc, "check", "--no-advice", str(path), exits=exits) / path.stat().st_size

        libraries = "import std.models\nimport std.clusters\n"
        found = [
            ("--version, instructions", instructions(dplc, "--version"), 2_000_000),
            ("check of the 70B example, instructions",
             instructions(dplc, "check", "--no-advice", dense), 13_000_000),
            ("advice on the 70B example, instructions",
             instructions(dplc, "check", dense) - instructions(dplc, "check", "--no-advice", dense), 20_000_000),
            ("estimates by closed forms of the smallest example's search, instructions",
             instructions(dplc, "check", "--no-advice", str(examples / "smallest.dpl"), of=ESTIMATES), 217_000),
            ("lowering and placement of the 70B example, instructions",
             instructions(dplc, "check", "--no-advice", dense, of=LOWERING), 197_000),
            ("schedule of the 70B example with its proof, instructions",
             instructions(dplc, "check", "--no-advice", dense, of=SCHEDULE), 555_000),
            ("memory of the 70B example, instructions",
             instructions(dplc, "check", "--no-advice", dense, of=MEMORY), 142_200),
            ("check of DualPipe, 64 ranks and 512 micro-batches, instructions",
             instructions(dplc, "check", "--no-advice", str(paired)), 88_000_000),
            ("page of 405B on 16,384 devices, instructions",
             instructions(dplc, "report", large_plan, "--html", page), 950_000_000),
            ("page of 405B on 16,384 devices, bytes", peak(dplc, "report", large_plan, "--html", page), 30_000_000),
            ("study of 200 points, instructions a point",
             instructions(dplc, "study", str(study), "--jobs", "1", "--csv") / 200, 2_750_000),
            ("an all-reduce of 3,072 ranks, instructions a message",
             instructions(dplc, "collective", str(islands), *MESSAGES) / 921_600, 460),
            ("check of 3,500 layouts, bytes", peak(dplc, "check", "--no-advice", str(many)), 37_000_000),
            ("check of 1 MB of lists, bytes a byte", a_byte("lists", libraries, numbers), 37),
            ("check of 1 MB of comments, bytes a byte", a_byte("comments", HEAD, described), 18.5),
            ("check of 1 MB of clusters, bytes a byte", a_byte("clusters", libraries, fleet), 38.5),
            ("check of 1 MB of models, clusters, layouts, bytes a byte",
             a_byte("ordinary", libraries, ordinary), 44),
            *((f"check of 1 MB of lines: {name}, bytes a byte",
               a_byte("short " + name, libraries, SHORT[name], exits=exits), bound)
              for name, bound, exits in (("models", 80, 0), ("clusters", 69, 0), ("lists", 63, 0),
                                         ("numbers", 47, 0), ("words that do not parse", 75, 1))),
            *((f"{kind} of {name} in `dplc lsp`, instructions",
               editing.instructions(dplc, text, edits), bound)
              for name, text, bound in (("67 layouts", layouts.text(), EDIT_OF_LAYOUTS),
                                        ("the 70B example", Path(dense).read_text(), EDIT_OF_EXAMPLE))
              for kind, edits in (("edit of a line before all others", editing.comments),
                                  ("edit of a batch size", editing.batches))),
            ("completion after 60,000 indices in `dplc lsp`, instructions",
             editing.of_completion(dplc, "let a = b" + "[0]" * 60_000), COMPLETION_OF_INDICES),
            *((f"{count} edits of {name} in `dplc lsp`, bytes", editing.growth(dplc, text, editing.batches, count),
               20_000_000)
              for name, text, count in (("67 layouts", layouts.text(), 10_000 if LONG else 200),
                                        ("the 70B example", Path(dense).read_text(), 10_000 if LONG else 1000))),
            (f"fmt of {size} bytes, bytes a byte", peak(dplc, "fmt", str(large)) / size, 40),
        ]
    missed = 0
    for what, count, bound in found:
        missed += count > bound
        print(f"{'over ' if count > bound else 'ok   '} {what}: {count:,.0f} of at most {bound:,}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
