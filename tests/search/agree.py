"""Searches of random spaces against studies of the same grids, sorted here.

    agree.py DPLC [SPACES] [SEED]

Each space has at most 300 candidates. `dplc study` runs all combinations of the same fields of a layout. The rows that can be run and
that keep every `require`, sorted by the objectives and then by their number, have to be what `dplc search` ranks: the same candidates and
the same figures, to the last bit. A search with few ranks has to give the first of them, so that a bound that excludes too much shows. The
counts of the certificate have to add up, and the output has to be the same for one thread, for several, and for merged shards. A Pareto
front has to be the rows that no other row dominates. `dplc check` of the file that
`--write` makes has to print the figures of the first rank.

The legal candidates have to be those of legal.py, which is written from the explain pages alone. No candidate that a bound excludes may
be better: the counts by bound and by execution have to be those of the study's rows.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from legal import broken

FIELDS = {
    "mesh.pipeline": ["1", "2", "4", "8"],
    "mesh.tensor": ["1", "2", "4", "8"],
    "mesh.context": ["1", "2"],
    "mesh.experts.expert": ["1", "2", "4", "8"],
    "micro_batch": ["1seq", "2seq", "4seq"],
    "schedule": ["1f1b", "gpipe", "zb_h1", "interleaved_1f1b { chunks = 2 }", "interleaved_1f1b { chunks = 4 }"],
    "recompute": ["none", "full", "full { method = block }", "selective { modules = [norm] }", "selective { modules = [norm, activation] }"],
    "shard.optimizer": ["none", "data"],
    "shard.gradients": ["none", "data"],
    "shard.parameters": ["none", "data"],
    "split": ["even", "by_flop", "by_parameters"],
    "shard.sequence": ["none", "tensor"],
    "batch": ["32seq", "64seq", "96seq"],
    "overlap.tensor": ["false", "true"],
    "devices": ["8", "16"],
}
MODELS = ["gpt2_small", "llama3_8b", "llama3_8b", "mixtral_8x7b"]
CLUSTERS = ["dgx_h100", "dgx_a100", "mi300x_platform"]
OUTPUTS = ["step_time", "memory.peak", "mfu"]
REQUIRES = [  # the text, and whether a row keeps it
    ("memory.peak <= 60GiB", lambda values, row: row["memory.peak"] <= 60 * 2**30),
    ("mfu >= 0.1", lambda values, row: row["mfu"] >= 0.1),
    ("step_time <= 20s", lambda values, row: row["step_time"] <= 20),
    ("mesh.tensor * mesh.pipeline <= 8",
     lambda values, row: int(values.get("mesh.tensor", 1)) * int(values.get("mesh.pipeline", 1)) <= 8),
    ("batch / micro_batch >= 32",
     lambda values, row: int(values.get("batch", "64seq")[:-3]) >= 32 * int(values["micro_batch"][:-3])),
]
OBJECTIVES = [("minimize step_time", [("step_time", 1)]), ("maximize mfu", [("mfu", -1)]),
              ("minimize [memory.peak, step_time]", [("memory.peak", 1), ("step_time", 1)]),
              ("minimize step_time", [("step_time", 1)]),
              ("minimize pareto(step_time, memory.peak)", [("step_time", 1), ("memory.peak", 1)])]


def drawn(random_):
    """Open fields with at most 300 combinations in all."""
    fields, size = {}, 1
    for path in random_.sample(sorted(FIELDS), 6):
        values = random_.sample(FIELDS[path], random_.randint(2, min(4, len(FIELDS[path]))))
        if size * len(values) <= 300:
            fields[path], size = values, size * len(values)
    return fields


AXES = [f"mesh.{axis}" for axis in ("pipeline", "data", "context", "tensor", "experts.data", "experts.expert", "experts.tensor")]


def settings_of(random_, fields):
    """The lists of the open fields and the values of fixed ones, by path. In three of four spaces the mesh has the order of
    `mesh = auto`, in which searches know bounds."""
    settings = dict(fields)
    settings["mesh.data"] = "rest"
    if "mesh.experts.expert" in fields:
        settings["mesh.experts.data"], settings["mesh.experts.tensor"] = "rest", "1"
    paths = sorted(settings, key=lambda path: AXES.index(path) if path in AXES else len(AXES))
    if random_.random() < 0.25:
        random_.shuffle(paths)
    return {path: settings[path] for path in paths}


def dependents(random_, fields):
    """Fields that depend on open ones, and an assertion about one: searches compile these candidates one by one."""
    out = ""
    if "mesh.tensor" in fields and "shard.sequence" not in fields and random_.random() < 0.3:
        out += "  if mesh.tensor > 1 { shard.sequence = tensor }\n"
    if "mesh.context" in fields and "micro_batch" not in fields and random_.random() < 0.5:
        out += "  micro_batch = mesh.context * 1seq\n"
    # The layout of the study, which has the first values, keeps the assertion.
    if int(fields.get("mesh.pipeline", ["8"])[0]) <= 4 and random_.random() < 0.2:
        out += "  assert mesh.pipeline <= 4\n"
    return out


def file_of(random_, fields):
    model = random_.choice(MODELS)
    if "mixtral" not in model:
        fields.pop("mesh.experts.expert", None)
    fields = fields or {"mesh.tensor": ["1", "2"]}
    settings = settings_of(random_, fields)
    varied = {path: values for path, values in settings.items() if path in fields}
    fixed = "".join(f"  {path} = {values[0] if path in varied else values}\n" for path, values in settings.items())
    open_ = "".join(f"  {path} in [{', '.join(values)}]\n" if path in varied else f"  {path} = {values}\n"
                    for path, values in settings.items())
    base = "" if "batch" in fields else "  batch = 64seq\n"
    base += dependents(random_, fields)
    requires = random_.sample(REQUIRES, random_.randint(0, 1))
    if not {"mesh.tensor", "mesh.pipeline"} & set(fields):
        requires = [one for one in requires if "mesh" not in one[0]]
    if "micro_batch" not in fields:
        requires = [one for one in requires if "micro_batch" not in one[0]]
    objective, keys = random_.choice(OBJECTIVES)
    nodes = random_.choice([2, 4])
    # Sometimes the cluster is open too; its field is the first of the space.
    clusters = "    pod.nodes in [2, 4]\n" if random_.random() < 0.3 else ""
    if clusters:
        open_ += f"  vary {{\n{clusters}  }}\n"
    vary = clusters + "".join(f"    plain.{path} in [{', '.join(values)}]\n" for path, values in varied.items())
    text = f"""import std.models
import std.clusters

model llm from models.{model}
cluster pod from clusters.{random_.choice(CLUSTERS)} {{ nodes = {nodes} }}

layout plain for llm on pod {{
{base}{fixed}}}

search layout best for llm on pod {{
{base}{open_}{''.join(f"  require {one[0]}" + chr(10) for one in requires)}  {objective}
}}

study grid for plain {{
  vary {{
{vary}  }}
  outputs = [{', '.join(OUTPUTS)}]
}}
"""
    return text, requires, keys, "pareto" in objective, (model, nodes, settings)


def broken_by(row, text, space):
    """The rule that a row of the study breaks, from the documented rules alone."""
    model, nodes, settings = space
    fields = {"batch": "64seq", "micro_batch": "1seq"} | {path: value for path, value in settings.items() if isinstance(value, str)}
    for path, value in row["values"].items():
        fields[path.split(".", 1)[1]] = value
    if "if mesh.tensor > 1" in text and fields.get("mesh.tensor", "1") != "1":
        fields["shard.sequence"] = "tensor"
    if "micro_batch = mesh.context" in text:
        fields["micro_batch"] = fields["mesh.context"]
    if "assert mesh.pipeline <= 4" in text and int(fields["mesh.pipeline"]) > 4:
        return "DPL0601"
    return broken(model, int(fields.get("devices", 8 * int(fields.get("nodes", nodes)))), fields)


MEMORY = ("DPL0401", "DPL0415")  # of the devices, and of the host


def wrong_rules(study, text, space):
    """The first row whose legality differs from the documented rules; nothing if there is none."""
    model, _, settings = space
    paths = [path for path in settings if path in AXES]
    if "mesh.experts.expert" in settings and paths != [path for path in AXES if path in settings]:
        return None  # DPL0331 depends on the order of the axes
    for row in study["rows"]:
        legal = not row["refused"] or row["refused"].startswith(MEMORY)
        rule = broken_by(row, text, space)
        if legal != (rule is None):
            return f"row {row['point']} is {row['refused'] or 'legal'}, and the documented rules say {rule}"
    return None


def wrong_counts(study, requires, fates):
    """What of a certificate contradicts the rows of the study; nothing if all agree. An assertion on fields counts as a `require`."""
    legal = [row for row in study["rows"] if not row["refused"] or row["refused"].startswith(MEMORY)]
    count = {name: fate["count"] for name, fate in fates.items()}
    if not requires and len(legal) != len(study["rows"]) - count["illegal"] - count["excluded_by_fields"]:
        return f"{len(legal)} rows are legal, and the search says that {count['illegal']} + {count['excluded_by_fields']} are not"
    if count["excluded_by_step_bound"]:
        return None
    large = sum(1 for row in legal if row["refused"])
    if count["excluded_by_memory_bound"] + count["too_large"] > large:
        return f"{large} rows do not fit, and the search says {count['excluded_by_memory_bound']} + {count['too_large']}"
    if not requires and count["excluded_by_memory_bound"] + count["too_large"] != large:
        return f"{large} rows do not fit, and the search counts fewer"
    return None


def run(dplc, *words):
    done = subprocess.run([dplc, *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def front(rows):
    """The rows that no other equals or beats in all objectives; of equal rows the first."""
    kept = []
    for row in sorted(rows, key=lambda one: one[:2]):  # a row is dominated by rows before it only
        if not any(all(a <= b for a, b in zip(other[0], row[0])) for other in kept):
            kept.append(row)
    return kept


def expected(study, requires, keys, pareto):
    """Candidates and outputs of the rows that can be run and that keep every `require`, best first."""
    rows = []
    for row in study["rows"]:
        if row["refused"]:
            continue
        values = {path.split(".", 1)[1]: value for path, value in row["values"].items()}
        outputs = {path: row["outputs"][path]["value"] for path in OUTPUTS}
        if all(keeps(values, outputs) for _, keeps in requires):
            rows.append((tuple(sign * outputs[path] for path, sign in keys), row["point"], outputs))
    ordered = front(rows) if pareto else sorted(rows, key=lambda row: row[:2])
    return [(number, outputs) for _, number, outputs in ordered]


def ranked(search):
    return [(one["candidate"], {path: one["figures"][path]["value"] for path in OUTPUTS}) for one in search["layouts"]]


def main():
    dplc = sys.argv[1]
    spaces = 500 if "DPL_LONG" in os.environ else int(sys.argv[2]) if len(sys.argv) > 2 else 20
    random_ = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    wrong, candidates, empty, excluded = 0, 0, 0, {"step": 0, "memory": 0, "require": 0}
    figures = "--figures=" + ",".join(OUTPUTS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "space.dpl")
        for number in range(spaces):
            fields = drawn(random_)
            text, requires, keys, pareto, space = file_of(random_, fields)
            path.write_text(text)
            _, out, messages = run(dplc, "study", str(path), "grid", "--json")
            if not out:
                sys.exit(f"study of space {number}: {messages}\n{text}")
            study = json.loads(out)
            wanted = expected(study, requires, keys, pareto)
            problems = [one for one in (wrong_rules(study, text, space),) if one]
            for top in (100000, 3):
                code, out, messages = run(dplc, "search", str(path), "best", "--json", f"--top={top}", figures)
                if not out:
                    sys.exit(f"search of space {number}: {messages}\n{text}")
                search = json.loads(out)
                if ranked(search) != wanted[:top]:
                    problems.append(f"the best {top} differ: {ranked(search)[:3]} and {wanted[:3]}")
                fates = search["certificate"]["fates"]
                if why := wrong_counts(study, requires, fates):
                    problems.append(why)
                if sum(fate["count"] for fate in fates.values()) != len(study["rows"]):
                    problems.append("the counts of the certificate do not add up")
                for name, fate in fates.items():
                    if fate["rules"] and sum(fate["rules"].values()) != fate["count"]:
                        problems.append(f"the rules of {name} do not add up")
                if (code == 0) != bool(wanted):
                    problems.append(f"exit code {code} with {len(wanted)} layouts")
                if run(dplc, "search", str(path), "best", "--json", f"--top={top}", figures, "--jobs=3")[1] != out:
                    problems.append("three threads print something else")
                parts = str(Path(folder, f"parts{number}-{top}"))
                for shard in (1, 2, 3):
                    run(dplc, "search", str(path), "best", f"--top={top}", "-o", parts, f"--shard={shard}/3")
                if run(dplc, "search", str(path), "best", "--json", f"--top={top}", figures, "--merge", parts)[1] != out:
                    problems.append("three shards give something else")
            if wanted:
                best = Path(folder, f"best{number}.dpl")
                run(dplc, "search", str(path), "best", "--write", str(best))
                checked = json.loads(run(dplc, "check", str(best), "--layout=best", "--json", figures)[1])
                found = {path: checked["layouts"][0]["figures"][path]["value"] for path in OUTPUTS}
                if found != wanted[0][1]:
                    problems.append(f"check of the written file finds {found} and not {wanted[0][1]}")
            candidates += len(study["rows"])
            empty += not wanted
            for bound in excluded:
                excluded[bound] += fates[f"excluded_by_{bound}_bound"]["count"]
            wrong += bool(problems)
            for problem in problems:
                print(f"space {number}: {problem}\n{text}")
    bounds = ", ".join(f"{count} by {bound}" for bound, count in excluded.items())
    print(f"{spaces} spaces, {candidates} candidates, {empty} without a layout, excluded by bounds {bounds}, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
