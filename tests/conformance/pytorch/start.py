#!/usr/bin/env python3
"""Starts emitted PyTorch modules by their launch.sh, with gloo, and reads what they find.

    python3 start.py --dplc build/release/dplc plans/*.dpl

Every module compares its groups with the plan's and its losses with those of one process; `--torchrun` starts all of
them by torchrun itself, else those below. A damaged copy, whose first group has another stride, has to find that out.
One is killed behind its first checkpoint and has to go on from there when torchrun starts it again; one with `grace_period`
is told to save and end.
Exit status: 0 all as it should be, 1 not so, 77 when PyTorch cannot be had on this machine.
"""
import argparse
import ast
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402
import folders as emitted  # noqa: E402

SCHEDULES = os.path.join(HERE, "..", "..", "..", "docs", "schedules")  # a page for each of the language
PAIRS = "pipeline_pairs.dpl"  # passes on two sequences at a time; runs with every schedule
PARAMETERS = {"interleaved_1f1b": " { chunks = 2 }", "interleaved_zb": " { chunks = 2 }", "looped_bfs": " { chunks = 2 }",
              "zb_auto": " { in_flight = 4 }"}
ANOTHER_FILE = {"custom", "1f1b"}  # a list of one's own has a plan of its own, with pairs too
ON_TWO_STAGES, OVER_STEPS = "dualpipe", "pipedream"  # what dplc refuses
SECONDS = 400  # for one module; some 10 on an idle machine


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def unused(path):
    """Top-level names of a module that it never uses."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    defined = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            defined |= {t.id for t in node.targets}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined |= {(a.asname or a.name).split(".")[0] for a in node.names}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return sorted(defined - used)


def start(folder, python, *arguments, meanwhile=None, ends=0, under=(), **variables):
    """What the module prints, and whether it ended with `ends`; `meanwhile` is given the running process, which is that of
    the command `under`, where there is one."""
    env = dict(os.environ, PATH=os.path.dirname(python) + os.pathsep + os.environ.get("PATH", ""),
               MASTER_PORT=str(free_port()), GLOO_SOCKET_IFNAME="lo", OMP_NUM_THREADS="1", **variables)
    command = [*under, "bash", os.path.join(folder, "launch.sh"), "--backend", "gloo", *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=env, start_new_session=True)
        try:
            if meanwhile:
                meanwhile(process)
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)  # torchrun ends its processes
            process.wait()
        output.seek(0)
        return output.read(), process.returncode == ends


def forked(python, runs):
    """What the module of each (folder, arguments, variables) prints, whether it ended well, and its seconds; torchrun's
    processes are forks of one."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as output:
        subprocess.run([python, os.path.join(HERE, "ranks.py"), output.name], check=True, input=json.dumps(runs), text=True,
                       env=environment.variables(OMP_NUM_THREADS="1"))
        for line in output:
            run = json.loads(line)
            yield run["said"], run["well"], run["seconds"]


def trainers(launcher):
    """The processes that a torchrun has started."""
    with open(f"/proc/{launcher}/task/{launcher}/children", encoding="utf-8") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/cmdline", encoding="utf-8") as command:
                if "train.py" in command.read():
                    yield int(child)


def emptied(folder):
    """Where the module of a folder saves: a folder that is not there."""
    saved = folder + "-checkpoints"
    shutil.rmtree(saved, ignore_errors=True)
    return saved


def behind_a_checkpoint(process, saved):
    """Waits for the first one; whether the process is still there."""
    begin = time.monotonic()
    while process.poll() is None and time.monotonic() - begin < SECONDS:
        if glob.glob(os.path.join(saved, "step-*", ".metadata")):
            return True
        time.sleep(0.01)
    return False


# Sends SIGUSR1 when its time is over: an alarm, which the test gives it at a step of its own choice.
TIMEOUT = ("timeout", "--preserve-status", "--signal=USR1", "1h")


def gives_notice(folder):
    """Then torchrun is a child of launch.sh, which is told in its place."""
    with open(os.path.join(folder, "launch.sh"), encoding="utf-8") as script:
        return "until_told" in script.read()


def losses(said):
    return dict(re.findall(r"^step (\d+): loss (\S+),", said, re.MULTILINE))


def saves_when_told(folder, python):
    """Whether a run of a launch with `grace_period` whose time limit is over saves behind the step that it is in and ends with
    143, and another one goes on from there with the losses of a run that nothing ended; and what they say."""
    saved, every = emptied(folder), 5

    def tell(process):
        """More than once, as schedulers do: also while the processes end, of which a signal must then not take one."""
        begin = time.monotonic()
        if behind_a_checkpoint(process, saved):
            while process.poll() is None and time.monotonic() - begin < SECONDS:
                process.send_signal(signal.SIGALRM)
                time.sleep(0.02)

    said, well = start(folder, python, "--steps", "1000000", meanwhile=tell, ends=143, under=TIMEOUT,
                       CHECKPOINT_DIR=saved, CHECKPOINT_INTERVAL=str(every))
    begun = re.search(r" (\d+) steps are as in the plan", said)
    if not well or not begun:
        return False, said[-1500:]
    steps, found = int(begun[1]), losses(said)
    well = os.listdir(saved) == [f"step-{steps}"]
    (said, ended, _), (whole, through, _) = forked(python, [
        (folder, ("--steps", str(steps + 3)), {"CHECKPOINT_DIR": saved}), (folder, ("--steps", str(steps + 3)), {})])
    well = well and ended and f"resumed after {steps} steps" in said and " 3 steps are as in the plan" in said
    if not well:
        return False, said[-1500:]
    found |= losses(said)
    well = through and losses(whole) == found and len(found) == steps + 3
    return well, f"saved behind step {steps}, goes on from there, {len(found)} losses as without an end" if well else \
        f"other losses without an end: {found}\n{whole[-1500:]}"


def resumed(folder, python):
    """Whether a run that loses a process behind a checkpoint goes on from one, and keeps two; and what it says."""
    saved, steps, every = emptied(folder), 60, 5

    def kill_one(process):
        if behind_a_checkpoint(process, saved):
            os.kill(next(trainers(process.pid)), signal.SIGKILL)

    said, well = start(folder, python, "--steps", str(steps), meanwhile=kill_one, CHECKPOINT_DIR=saved,
                       CHECKPOINT_INTERVAL=str(every), CHECKPOINT_KEEP="2", CHECKPOINT_MODE="async", PET_MAX_RESTARTS="1")
    behind = re.search(r"^resumed after (\d+) steps$", said, re.MULTILINE)
    kept = sorted(os.listdir(saved)) if os.path.isdir(saved) else []
    well = well and behind is not None and 0 < int(behind[1]) < steps and int(behind[1]) % every == 0 \
        and f"{steps - int(behind[1])} steps are as in the plan" in said \
        and kept == [f"step-{steps - every}", f"step-{steps}"]
    return well, f"{behind[0] if behind else said[-1500:]}, keeps {kept}"


def paired(source, out):
    """Copies of a plan with every other schedule that PyTorch takes."""
    os.makedirs(out, exist_ok=True)
    with open(source, encoding="utf-8") as file:
        text = file.read()
    names = {os.path.splitext(name)[0] for name in os.listdir(SCHEDULES) if name.endswith(".md")}
    for name in sorted(names - ANOTHER_FILE - {"README", ON_TWO_STAGES, OVER_STEPS}):
        copy = os.path.join(out, f"pairs_{name}.dpl")
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text.replace("schedule = 1f1b", f"schedule = {name}{PARAMETERS.get(name, '')}"))
        yield copy


def damage(folder):
    """A copy whose first group is said to have another stride."""
    copy = folder + "-damaged"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy)
    path = os.path.join(copy, "train.py")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'(GROUPS = \{.*\n    "\w+": \[\(\d+, )(\d+)', lambda m: m[1] + ("1" if m[2] != "1" else "2"),
                          text, count=1))
    return copy


def ran(folders, python, torchrun):
    """(what it prints, whether it ended well and saved, seconds) of each module."""
    if torchrun:
        for folder in folders:
            begin, saved = time.monotonic(), emptied(folder)
            said, well = start(folder, python, CHECKPOINT_DIR=saved, CHECKPOINT_INTERVAL="2")
            yield said, well and os.listdir(saved) == ["step-3"], time.monotonic() - begin
        return
    places = [emptied(folder) for folder in folders]
    runs = forked(python, [(folder, (), {"CHECKPOINT_DIR": saved, "CHECKPOINT_INTERVAL": "2"})
                           for folder, saved in zip(folders, places)])
    for saved, (said, well, seconds) in zip(places, runs):
        yield said, well and os.listdir(saved) == ["step-3"], seconds


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--environment", default="build/conformance", help="where PyTorch is kept")
    options.add_argument("--work", default="build/conformance/pytorch", help="where folders are emitted to")
    options.add_argument("--dplc", default="build/release/dplc", help="the compiler")
    options.add_argument("--torchrun", action="store_true", help="start every module by torchrun: 15 s for each")
    options.add_argument("inputs", nargs="+")
    given = options.parse_args()
    try:
        python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, "pytorch.txt"))
    except environment.Unavailable as why:
        print(f"skipped: {why}")
        return 77
    work, inputs = os.path.abspath(given.work), list(given.inputs)
    for source in filter(lambda path: os.path.basename(path) == PAIRS, given.inputs):
        inputs += paired(source, os.path.join(work, "pairs"))
    folders, failed = emitted.Emitter(given.dplc, "pytorch", work).given(inputs)
    copies = [damage(folder) for folder in folders[:1]]
    for folder, (said, well, seconds) in zip([*folders, *copies], ran([*folders, *copies], python, given.torchrun)):
        if folder in copies:
            found = not well and "not as in the plan" in said
            print(f"{'refused' if found else 'FAILED':8} {os.path.basename(folder)}", flush=True)
            failed += not found
            continue
        dead = unused(os.path.join(folder, "train.py"))
        well = well and "steps are as in the plan" in said and not dead
        lines = [line for line in said.splitlines() if line.strip()]
        told = (lines if well else lines[-12:] + [f"unused: {dead}"] if dead else lines[-12:])
        print(f"{'ran' if well else 'FAILED':8} {os.path.basename(folder)} ({seconds:.0f} s)")
        print("\n".join("    " + line for line in told if well is False or " loss " in line or "groups" in line),
              flush=True)
        failed += not well
    told = [folder for folder in folders if gives_notice(folder)]
    for ask, asked, word in ((resumed, [folder for folder in folders if folder not in told][:1], "resumed"),
                             (saves_when_told, told, "told")):
        for folder in asked:
            well, says = ask(folder, python)
            print(f"{word if well else 'FAILED':8} {os.path.basename(folder)}: {says}", flush=True)
            failed += not well
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
