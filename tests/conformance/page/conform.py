#!/usr/bin/env python3
"""Opens the pages of `--html` in Debian's Chromium, offline, and looks for what a reader would see wrong.

    python3 conform.py --dplc build/release/dplc --environment build/conformance --work /tmp/pages

Each page is at most 1.5 MB and 3,000 nodes and is made twice with the same bytes. At three widths, light and dark, it
scrolls to no side, has no text over another and none that is faint. It asks for nothing, says nothing on the console,
is read by keyboard, in print and without scripts. Damages of a page have to be found. With DPL_LONG=1 also
every layout of the examples has a page. Exit status: 0 all so, 1 not, 77 without Chromium or its environment.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402

SKIPPED, MOST_BYTES = 77, 1_500_000

COMMANDS = {
    "dense": ["report", "examples/llama3_70b_h100.dpl"],
    "405b": ["report", "examples/llama3_405b_h100.dpl"],
    "dualpipe": ["report", "examples/dualpipe_v3_h800.dpl", "--set", "layout.schedule=dualpipe"],
    "times": ["report", "examples/refutations/r28_right.dpl"],  # of layers that state times and hold no memory
    "search": ["search", "examples/cheapest_run.dpl"],
    "study": ["study", "examples/studies/pipeline_schedules.dpl", "modern"],
    "simulate": ["simulate", "examples/causes.dpl", "--layout", "amplified", "--diagnose", "--steps", "40"],
    "workers": ["simulate", "examples/causes.dpl", "--layout", "held_up", "--diagnose"],
    "diff": ["diff", "examples/recompute.dpl", "--layout", "whole_layers", "--against", "in_a_pipeline"],
    "score": ["score", "tests/accuracy/published_layouts.csv", "--where", "family=Megatron-Bridge"],
}
LONG_COMMANDS = {
    "front": ["search", "examples/moe_search.dpl", "--pareto"],
    "curves": ["study", "examples/studies/stragglers.dpl", "barrier"],
    "names": ["study", "examples/studies/failures.dpl", "without"],  # of points with long names
    "path": ["simulate", "examples/llama3_70b_h100.dpl", "--critical-path"],
    "sweep": ["score", "tests/accuracy/nanotron_sweep.csv"],
}

# Names and texts that would be elements if they were not escaped.
HOSTILE = r'''// </script><img src=x onerror=alert(1)> <!-- ]]> &amp; <svg onload=alert(2)>
import std.clusters

model m from layer_list {
  layer[0] { name = "</script><img src=x onerror=alert(3)>", parameters = 1e9, time { forward = 1ms, backward = 2ms } }
  layer[1] { name = "<b>&lt;'\"`${alert(4)}", parameters = 1e9, time { forward = 1ms, backward = 2ms } }
}

cluster c from clusters.dgx_h100 { nodes = 1 }

layout plan for m on c {
  mesh { data = 8 }
  batch = 8sample
}
'''
HOSTILE_FILE = "<img src=x onerror=alert(5)> & 'it'.dpl"

# The page that is damaged, and its damages, each with words of the fault that it must cause.
DAMAGED = "dense"
DAMAGES = {
    "text over text": ('<main id="page">', '<div style="position:absolute;left:20px;top:30px">covering</div><main id="page">'),
    "faint text": ("--soft: #57606a", "--soft: #b0b0b0"),
    "wider than the window": ('<main id="page">', '<div style="width:2000px">w</div><main id="page">'),
    "a number on two lines": (".left { text-align: left; }", ".left { text-align: left; } td { white-space: normal !important; overflow-wrap: anywhere; max-width: 1px; }"),
    "unwritten value": ('`${TITLES[data.kind]', '`${TITLES["none"]} ${TITLES[data.kind]'),
    "says hello": ("drawPage();\n", "drawPage();\n  console.log('hello');\n"),
    "nodes": ("drawPage();\n", "drawPage();\n  for (let i = 0; i < 3000; ++i) document.body.append(document.createElement('i'));\n"),
    "show no focus": (re.compile(":focus-visible {[^}]*}"), ":focus { outline: none !important; }"),
    "Tab does not reach": ('type: "button", "aria-label": label,', 'type: "button", tabindex: "-1", "aria-label": label,'),
    "does not forbid requests": (re.compile("<meta http-equiv=\"Content-Security-Policy\"[^>]*>"), ""),
    "asks for": ("</head>", '<script src="http://localhost:9/a.js"></script></head>'),
    "a picture says": ("if (i >= 0) showTip(this.text(this.marks[i])", "if (i >= 0) showTip(String(i)"),
    "a link does not show": ("onclick: () => showDerivation(path, layout)", "onclick: () => showDerivation('mfu', layout)"),
    "the timeline does not change": ("this.picture.view = view;", ";"),
}


def run(arguments, command, **options):
    return subprocess.run([os.path.abspath(arguments.dplc), *command], cwd=SOURCE, capture_output=True, text=True, check=False, **options)


def page_of(arguments, name, command):
    """The path of the page of a command and what is wrong with the file."""
    paths = [os.path.join(arguments.work, f"{name}{suffix}.html") for suffix in ("", ".again")]
    for path in paths:
        if os.path.exists(path):
            os.remove(path)
        done = run(arguments, [*command, "--html", path])
        if not os.path.exists(path):
            return None, [f"`dplc {' '.join(command)}` writes no page: {done.stderr.strip()[:200]}"]
    texts = []
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read())
    os.remove(paths[1])
    found = [] if texts[0] == texts[1] else ["two runs write different bytes"]
    found += [f"{len(texts[0])} bytes"] if len(texts[0]) > MOST_BYTES else []
    return paths[0], found


def figure(text):
    """The number before the unit of a value as the page writes it."""
    return re.match(r"[\d.]+", text)[0]


def expected(arguments, command):
    """What the first screen of a report has to answer, worked out from --json."""
    if "--diagnose" in command:
        diagnosis = json.loads(run(arguments, [*command, "--json"]).stdout)["diagnosis"]
        return [change["with"] for change in diagnosis["changes"][:1]]
    if command[0] == "study":
        text = " ".join(run(arguments, command).stdout.split())
        return ["Where a figure comes from", re.search(r"\S+ changes most with [^;]*?(?=;| \d+ points? |$)", text)[0]]
    if command[0] == "diff":
        return ["Where a figure comes from", "on one time axis"]
    if command[0] != "report":
        return []
    report = json.loads(run(arguments, [*command, "--json"]).stdout)
    memory = json.loads(run(arguments, [*command, "--memory", "--json"]).stdout)
    figures, must = report["figures"], []
    peak, usable = figures["memory.peak"]["value"], figures["memory.usable"]["value"]
    must.append("It fits" if memory["fits"] else "It does not fit")
    must.append(f"{peak / 2**30:.2f} of {usable / 2**30:.2f} GiB")
    must.append(f"{abs(usable - peak) / 2**30:.2f} GiB")
    must += [re.sub(r"(\d)%", r"\1 %", loss["reason"].replace("`", "")) for loss in report["inefficiencies"][:3]]
    if peak > 0:
        must.append(f"pipeline rank {memory['fullest']['rank']}" if len(memory["ranks"]) > 1 else "Peak memory")
    # The page counts assumed inputs that a figure uses, those of operators too, which --json leaves out.
    assumed = {path for path, figure in figures.items() if figure["provenance"] == "assumed"}
    used = {path for figure in figures.values() for path in figure.get("inputs", [])}
    must.append("inputs of the cost model are assumed" if len(assumed & used) > 1 else "Assumed")
    return must


def example_commands(arguments):
    """`report` of each layout of the examples."""
    for path in sorted(glob.glob(os.path.join(SOURCE, "examples", "**", "*.dpl"), recursive=True)):
        short = os.path.relpath(path, os.path.join(SOURCE, "examples"))
        done = run(arguments, ["check", path, "--json"])
        try:
            names = [layout["plan"]["name"] for layout in json.loads(done.stdout)["layouts"]]
        except (ValueError, KeyError):
            continue  # it has no layout, or is refused on purpose
        for name in names:
            yield f"{short[:-4].replace('/', '.')}.{name}", ["report", os.path.join("examples", short), "--layout", name]


def hostile_command(arguments):
    folder = os.path.join(arguments.work, "hostile")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, HOSTILE_FILE)
    with open(path, "w", encoding="utf-8") as file:
        file.write(HOSTILE)
    return ["report", path]


def damaged(arguments):
    """A page with all damages."""
    with open(os.path.join(arguments.work, DAMAGED + ".html"), encoding="utf-8") as file:
        text = file.read()
    for fault, (old, new) in DAMAGES.items():
        found = old.search(text) if isinstance(old, re.Pattern) else re.search(re.escape(old), text)
        if not found:
            raise SystemExit(f"the page has no place for the damage {fault!r}")
        text = text[:found.start()] + new + text[found.end():]
    path = os.path.join(arguments.work, "damaged.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Judges:
    """A browser for each thread."""

    def __init__(self, arguments, python):
        self.command = [python, os.path.join(HERE, "judge.py"), arguments.chromium]
        self.started, self.own = [], threading.local()

    def faults(self, entry):
        if not hasattr(self.own, "judge"):
            self.own.judge = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                              env=environment.variables())
            self.started.append(self.own.judge)
        judge = self.own.judge
        judge.stdin.write(json.dumps(entry) + "\n")
        judge.stdin.flush()
        line = judge.stdout.readline()
        return json.loads(line) if line else ["the browser stopped"]

    def close(self):
        for judge in self.started:
            judge.stdin.close()
            judge.wait()


def faults_of(arguments, judges, name, command):
    """What is wrong with the page of a command."""
    path, faults = page_of(arguments, name, command)
    if not path:
        return faults
    must = expected(arguments, command)
    if name == "hostile":
        must += ["</script><img src=x onerror=alert(3)>", HOSTILE_FILE]
    plain = [figure(text) for text in must[1:2]] if command[0] == "report" else []
    return faults + judges.faults({"path": path, "must": must, "plain": plain})


def missed(arguments, judges):
    """Damages that the judge does not find."""
    faults = judges.faults({"path": damaged(arguments), "damaged": True})
    return [f"no fault {fault!r} is found: {faults}" for fault in DAMAGES if not any(fault in text for text in faults)]


def judged(arguments, judges):
    """Faults by the name of the page."""
    commands = {**COMMANDS, "hostile": hostile_command(arguments)}
    if "DPL_LONG" in os.environ:
        commands.update(LONG_COMMANDS, **dict(example_commands(arguments)))
    commands = {name: command for name, command in commands.items() if re.search(arguments.only, name)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = {name: pool.submit(faults_of, arguments, judges, name, command) for name, command in commands.items()}
        faults = {name: answer.result() for name, answer in asked.items()}
        if DAMAGED in commands:
            faults["damaged"] = pool.submit(missed, arguments, judges).result()
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dplc", required=True)
    parser.add_argument("--environment", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--chromium", default=shutil.which("chromium") or "")
    parser.add_argument("--only", default="", help="only pages whose name this regular expression finds")
    arguments = parser.parse_args()
    arguments.work = os.path.abspath(arguments.work)
    os.makedirs(arguments.work, exist_ok=True)
    if not arguments.chromium:
        print("skipped: there is no chromium; tools/setup --all installs it")
        return SKIPPED
    try:
        python = environment.make(arguments.environment, os.path.join(HERE, "page.txt"))
    except environment.Unavailable as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    judges = Judges(arguments, python)
    try:
        faults = judged(arguments, judges)
    finally:
        judges.close()
    for name, found in faults.items():
        for fault in found:
            print(f"{name}: {fault}")
    bad = sum(bool(found) for found in faults.values())
    print(f"{len(faults)} pages, {bad} of them with faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
