#!/usr/bin/env python3
"""Compares the configuration that Megatron-LM makes of our files with the one that megatron-bridge makes.

    python3 conform.py --dplc build/release/dplc [models/llama_3_8b.json …]

A file of models/ holds a published config.json and the name of the library's model of the same weights. Both the
import of the configuration and the library's model are emitted for one device, and parsed by Megatron-LM 0.19;
every field that megatron-bridge's model shares with that configuration has to be equal, but for those of the tables
in judge.py. What Accelerate's Megatron-LM plug-in is given of a model
(`other_megatron_args`) has to be what the parser makes of our options. A model that megatron-bridge does not know has `options` instead, those of Megatron-LM's own script for it
(examples/mixtral). Exit status: 0 all equal, 1 not so, 77 when the environment cannot be had.
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMON, MEGATRON = (os.path.join(os.path.dirname(HERE), name) for name in ("common", "megatron"))
sys.path.insert(1, COMMON)

import environment  # noqa: E402

SKIPPED = 77
LAYOUT = """import std.devices

cluster box {
  nodes = 1
  node { gpus = 1, gpu = devices.h100_sxm, gpu.memory = 1000TiB }
  domain { bandwidth = 450GB/s per gpu, latency = 2us }
  nic { bandwidth = 400Gbps per nic }
}

layout plan for MODEL on box {
  batch = 1seq
  mesh { data = rest }
}

layout behind_accelerate for MODEL on box {
  batch = 2seq
  mesh { pipeline = 2 }
  recompute = full
}
"""


def emit(dplc, text, model, folder):
    """Writes the folder anew; what dplc says on failure, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    source = os.path.join(folder, "plan.dpl")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text + LAYOUT.replace("MODEL", model))
    done = subprocess.run([dplc, "emit", "megatron", source, "--layout=plan", "-o", os.path.join(folder, "launch")],
                          capture_output=True, text=True, check=False)
    behind = subprocess.run([dplc, "emit", "accelerate", source, "--layout=behind_accelerate", "--set", "box.node.gpus=2", "-o",
                             os.path.join(folder, "accelerate")], capture_output=True, text=True, check=False)
    if behind.returncode:
        reason = behind.stderr[behind.stderr.find("error["):].splitlines()[0]
        print(f"refused  {os.path.basename(os.path.dirname(folder))} behind Accelerate: {reason}")
    return None if done.returncode == 0 else done.stderr


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where the programs are kept")
    options.add_argument("--work", default="build/conformance/work", help="where folders are emitted to")
    options.add_argument("--dplc", required=True)
    options.add_argument("models", nargs="*", default=sorted(glob.glob(os.path.join(HERE, "models", "*.json"))))
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "bridge.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    failed, folders = 0, []
    for path in given.models:
        name = os.path.splitext(os.path.basename(path))[0]
        folder = os.path.join(os.path.abspath(given.work), name)
        os.makedirs(folder, exist_ok=True)
        with open(path, encoding="utf-8") as file:
            model = json.load(file)
        configuration = os.path.join(folder, "config.json")
        with open(configuration, "w", encoding="utf-8") as file:
            json.dump(model["config"], file)
        if "options" in model:
            with open(os.path.join(folder, "options.json"), "w", encoding="utf-8") as file:
                json.dump(model["options"], file)
        imported = subprocess.run([given.dplc, "import", "hf", configuration, "--name", "imported"],
                                  capture_output=True, text=True, check=False)
        sources = [("import", imported.stdout, "imported")]
        if model["library"]:
            # Megatron-Bridge initialises with the value of config.json; the library may follow a paper.
            sources.append(("library", f"import std.models\nmodel known from models.{model['library']} "
                            f"{{ init_std = {model['config']['initializer_range']} }}\n", "known"))
        for kind, text, named in sources:
            error = imported.stderr if imported.returncode else emit(given.dplc, text, named, os.path.join(folder, kind))
            if error:
                print(f"FAILED   {name}, {kind}: {error}")
                failed += 1
            else:
                folders.append(os.path.join(folder, kind))
    judge = [python, os.path.join(HERE, "judge.py"), *folders]
    path = os.pathsep.join([COMMON, MEGATRON])
    failed += subprocess.run(judge, check=False, env=environment.variables(PYTHONPATH=path)).returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
