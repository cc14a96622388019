"""What `--why-not`, `--near` and `--what-if` say of drawn layouts, against `dplc check` of the files written out.

    questions.py DPLC [LAYOUTS] [SEED]

For each drawn layout that fits:
- every change of `search --near` is written into the file, and `check` of it has the stated step and peak;
- the steps of `search --why-not` are those of `check` of the layout and of the file that `--write` makes, and each objection about memory or a
  `require` holds: the layout is refused, or the assertion that the `require` becomes fails;
- every row of `report --what-if` on FLOP/s, memory bandwidth, memory and devices has the step of `check` of a file with that machine.
With DPL_LONG=1 there are 200 layouts.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from agree import FIELDS, CLUSTERS

MODELS = {"gpt2_small": 1, "llama3_8b": 4, "mixtral_8x7b": 8}  # with the nodes on which they train
PER_NODE = 8  # devices, in each of CLUSTERS
FRAMEWORKS = ["megatron", "torchtitan", None, None]


def dplc(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return done


def drawn(random_):
    """A file with a layout `mine` and a search `best` over three of its fields."""
    model, cluster = random_.choice(sorted(MODELS)), random_.choice(CLUSTERS)
    values = {path: random_.choice(FIELDS[path]) for path in sorted(FIELDS)
              if path not in ("devices", "overlap.tensor") and random_.random() < 0.6}
    if not model.startswith("mixtral"):
        values = {path: value for path, value in values.items() if "experts" not in path}
    values.pop("mesh.context", None)
    values.setdefault("batch", "64seq")
    framework = random_.choice(FRAMEWORKS)
    lines = ["mesh.data = rest"] + [f"{path} = {value}" for path, value in values.items()]
    lines += [f"framework = {framework}"] if framework else []
    open_ = {path: FIELDS[path] for path in random_.sample(["micro_batch", "recompute", "shard.gradients", "split"], 3)}
    fixed = [line for line in lines if line.split(" = ")[0] not in open_]
    fixed += [f"{path} in [{', '.join(choices)}]" for path, choices in open_.items()]
    limit = random_.choice([20, 40, 60])
    body = lambda text: "\n  ".join(text)  # noqa: E731
    return f"""import std.models
import std.clusters

cluster pod from clusters.{cluster} {{ nodes = {MODELS[model]} }}

layout mine for models.{model} on pod {{
  {body(lines)}
}}

search layout best for models.{model} on pod {{
  {body(fixed)}
  require memory.peak <= {limit}GiB
  minimize step_time
}}
"""


def checked(program, path, layout, *more):
    """Step and peak of a layout, or None if it is illegal."""
    done = dplc(program, "check", str(path), "--layout", layout, "--json", "--figures", "step_time,memory.peak", *more)
    layouts = json.loads(done.stdout)["layouts"]
    figures = layouts[0]["figures"] if layouts else None
    if not figures or not figures["step_time"]:
        return None
    return figures["step_time"]["value"], figures["memory.peak"]["value"], done.returncode == 0


def near(program, path, text, problems):
    found = json.loads(dplc(program, "search", str(path), "--near", "mine", "--json").stdout)
    for change in found["changes"]:
        lines = change["change"]
        changed = path.with_name("changed.dpl")
        changed.write_text(text + f"\nlayout changed from mine {{ {lines} }}\n")
        seen = checked(program, changed, "changed")
        if seen is None or seen[:2] != (change["step_s"], change["peak_bytes"]):
            problems.append(f"near: {lines}: {seen} instead of {change['step_s']}, {change['peak_bytes']}")
    return len(found["changes"])


def why_not(program, path, mine, problems):
    done = dplc(program, "search", str(path), "best", "--why-not", "mine", "--json")
    if done.returncode != 0:  # no layout of the search fits
        return 0
    answer = json.loads(done.stdout)
    best = path.with_name("best.dpl")
    dplc(program, "search", str(path), "best", "--write", str(best))
    seen = checked(program, best, "best")
    if answer["step_s"] != mine[0] or seen is None or answer["best_step_s"] != seen[0]:
        problems.append(f"why-not: {answer['step_s']}, {answer['best_step_s']} instead of {mine[0]}, {seen}")
    limit = re.search(r"require memory.peak <= (\d+)GiB", path.read_text()).group(1)
    broken = any(objection["rule"] == "require" for objection in answer["objections"])
    if broken != (mine[1] > int(limit) * 2**30):
        problems.append(f"why-not: peak {mine[1]} and limit {limit} GiB: {answer['objections']}")
    candidates = dict(re.findall(r"^  (\S+) in \[(.*)\]$", path.read_text(), re.M))
    text = path.read_text().split("search layout")[0]
    for objection in answer["objections"]:
        if objection["rule"] == "space":
            field, value = re.match(r"(\S+) = (.*) is not a candidate", objection["text"]).groups()
            if field not in candidates or value in candidates[field].split(", "):
                problems.append(f"why-not: {objection['text']}; candidates {candidates}; {text}")
    return 1


MACHINES = {  # what-if's property: the field of the file, or a way to write the cluster
    "memory_bandwidth": "pod.node.gpu.memory_bandwidth",
    "memory": "pod.node.gpu.memory",
    "launch_time": "pod.node.gpu.launch_overhead",
}


def what_if(program, path, problems):
    answer = json.loads(dplc(program, "report", str(path), "--layout", "mine", "--what-if", "--json").stdout)
    compared = 0
    for row in answer["rows"]:
        for side in ("less", "more"):
            change = row[side]
            if not change:
                continue
            if row["property"] == "devices":
                if change["value"] % PER_NODE:
                    continue
                settings = [f"pod.nodes={int(change['value'] / PER_NODE)}"]
            elif row["property"] in MACHINES:
                field = MACHINES[row["property"]]
                level = dplc(program, "report", str(path), "--layout", "mine", "--why",
                             field.replace("pod.", "cluster.")).stdout
                value = re.match(r"\S+ = (\S+)", level)
                if not value:
                    continue
                settings = [f"{field}={change['value']}*{value.group(1)}"]
            else:
                continue
            more = [word for setting in settings for word in ("--set", setting)]
            seen = checked(program, path, "mine", *more)
            if seen is None or abs(seen[0] - change["step_s"]) > 1e-9 * change["step_s"]:
                problems.append(f"what-if: {settings}: {seen} instead of {change['step_s']}")
            compared += 1
    return compared


def main():
    program = os.path.abspath(sys.argv[1])
    long = "DPL_LONG" in os.environ
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 200 if long else 8
    random_ = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    counts, problems, layouts = [0, 0, 0], [], 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.dpl"
        for _ in range(40 * wanted):
            if layouts == wanted:
                break
            text = drawn(random_)
            path.write_text(text)
            mine = checked(program, path, "mine")
            if mine is None or not mine[2]:
                continue
            layouts += 1
            counts[0] += near(program, path, text, problems)
            counts[1] += why_not(program, path, mine, problems)
            counts[2] += what_if(program, path, problems)
            if problems:
                print(text)
                break
    print(f"{layouts} layouts: {counts[0]} changes, {counts[1]} comparisons and {counts[2]} machines equal `check`")
    for problem in problems:
        print(problem)
    return 1 if problems or layouts < wanted or not all(counts) else 0


if __name__ == "__main__":
    sys.exit(main())
