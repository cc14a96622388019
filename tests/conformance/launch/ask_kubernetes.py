#!/usr/bin/env python3
"""Lets the published models of Kubeflow and JobSet judge what `dplc emit kubernetes` writes.

Each document has to load into the model of its kind and come back equal: the models ignore what they do not
know, so that a misspelt field would be lost. judge_kubernetes.py adds the rules of the webhooks, which no model
states, and what the plan asked for. Exit status: 0 accepted, 1 not so, 77 when the models cannot be installed.
"""
import glob
import json
import os
import subprocess
import sys

import hostile
from emitting import HERE, command, emit, expect, plan, stand_in


def check_apply(folder):
    """apply.sh with a stand-in for kubectl, from a folder that a shell would take apart."""
    tools = os.path.join(folder, "tools")
    record = os.path.join(folder, "calls")
    # The ends of a pipe run together: each call has a file of its own.
    stand_in(tools, "kubectl", '#!/bin/sh\nprintf "%s\\0" "$@" > "$RECORD.$$"\n'
             'case "$*" in *"--filename -") cat > /dev/null ;; esac\n')
    done = subprocess.run(["bash", os.path.join(folder, "kubernetes", "apply.sh")], capture_output=True, text=True,
                          env=dict(os.environ, PATH=tools + ":" + os.environ["PATH"], RECORD=record), check=False)
    expect(done.returncode == 0, f"apply.sh failed: {done.stderr}")
    calls = []
    for path in glob.glob(glob.escape(record) + ".*"):
        with open(path, encoding="utf-8") as file:
            calls.append(file.read().split("\0")[:-1])
    made = next(call for call in calls if call[0] == "create")
    files = next(word for word in made if word.startswith("--from-file="))
    expect(os.path.samefile(files.split("=", 1)[1], os.path.join(folder, "megatron")), f"kubectl takes {files}")
    expect(any(call[-1].endswith("/job.yaml") and os.path.exists(call[-1]) for call in calls), "no job is applied")


def test(given):
    work = given.work
    cases = []
    for kind in ("trainjob", "pytorchjob", "jobset"):
        folder = emit(given.dplc, ["megatron", "kubernetes"], plan(f"kubernetes_{kind}"),
                      os.path.join(work, f"{kind} it's \"here\" $(touch HURT)"))
        check_apply(folder)
        cases.append({"file": os.path.join(folder, "kubernetes", "job.yaml"), "kind": kind, "nodes": 4,
                      "gpus": 8})
        for framework in (True, False):
            source = os.path.join(work, f"hostile_{kind}_{framework}.dpl")
            with open(source, "w", encoding="utf-8") as file:
                file.write(hostile.source(f"kubernetes {{ job = {kind} }}", f"working_dir = {hostile.literal(hostile.PATH)}",
                                          f"mount[{hostile.literal(hostile.PATH)}] = {hostile.literal(hostile.PATH)}",
                                          'container { image = "image" }', framework=framework))
            folder = emit(given.dplc, ["megatron", "kubernetes"] if framework else ["kubernetes"], source,
                          os.path.join(work, f"hostile_{kind}_{framework}"))
            words = list(hostile.TEXTS.values())
            if not framework:
                words = ["./a program.py", hostile.TEXTS["commands"], *words]
            cases.append({"file": os.path.join(folder, "kubernetes" if framework else "", "job.yaml"),
                          "kind": kind, "nodes": 2, "gpus": 2, "folder": hostile.PATH, "mount": hostile.PATH,
                          "arguments": words, "environment": hostile.environment()})
    # A name at the limit is taken, and one letter more is refused: by us, as no model says so.
    longest = "n" * (63 - len("-node-0-3-xxxxx"))
    source = plan("kubernetes_jobset")
    emit(given.dplc, ["megatron", "kubernetes"], source, os.path.join(work, "long"), "--set",
         f'launch.name="{longest}"')
    cases.append({"file": os.path.join(work, "long", "kubernetes", "job.yaml"), "kind": "jobset", "nodes": 4,
                  "gpus": 8})
    done = subprocess.run([given.dplc, "emit", "megatron", "kubernetes", source, "--dry-run", "--set",
                           f'launch.name="{longest}n"'], capture_output=True, text=True, check=False)
    expect("kubernetes.K24" in done.stderr, f"a name that is too long is not refused: {done.stderr}")
    judge = subprocess.run([given.python, os.path.join(HERE, "judge_kubernetes.py")], input=json.dumps(cases), text=True,
                           check=False)
    return judge.returncode


if __name__ == "__main__":
    sys.exit(command(__doc__.splitlines()[0], test, "kubernetes.txt"))
