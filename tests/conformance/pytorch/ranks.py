"""Runs emitted PyTorch modules with the processes that torchrun would start, as forks of one that has PyTorch.

    python ranks.py OUTPUT < RUNS

RUNS is a list in JSON of [folder, arguments, variables], by which launch.sh is called. It hands its arguments to a stand-in for torchrun, whose own parser reads them. An import of PyTorch in every rank
is nearly all that a start takes; start.py has some by torchrun itself. Behind each module a line of JSON goes to OUTPUT:
what it printed, whether every rank ended well, and how long it took.
"""
import json
import os
import runpy
import signal
import socket
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import torch  # noqa: E402
import torch.distributed.checkpoint  # noqa: E402
import torch.distributed.pipelining  # noqa: E402
from torch.distributed.run import parse_args  # noqa: E402

import judging  # noqa: E402

SECONDS = 400  # for one module; some 3 on an idle machine
BEHIND_A_FAILURE = 5  # seconds in which the other ranks say what they found


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def rank(asked, variables, output):
    """Never returns."""
    status = 1
    try:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        os.environ.update(variables)
        sys.argv = [asked.training_script, *asked.training_script_args]
        runpy.run_path(asked.training_script, run_name="__main__")
        status = 0
    except SystemExit as end:
        status = end.code or 0
        if isinstance(status, str):
            print(status, file=sys.stderr)
            status = 1
    except BaseException:  # pylint: disable=broad-except  a fork has nobody above it
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def ended_well(children):
    """Waits for all of them. Those that are left some seconds behind a failure, or at the end of the time, are killed."""
    running, well, end = set(children), True, time.monotonic() + SECONDS
    while running:
        child, status = os.waitpid(-1, os.WNOHANG)
        running.discard(child)
        if child and status and well:
            well, end = False, time.monotonic() + BEHIND_A_FAILURE
        if not child:
            time.sleep(0.02)
        if time.monotonic() > end:
            well, end = False, time.monotonic() + SECONDS
            for other in running:
                os.kill(other, signal.SIGKILL)
    return well


def run(folder, arguments, given):
    """(what the module printed, whether it ended well)"""
    said = judging.launched(folder, "torchrun", ("--backend", "gloo", *arguments), **given)
    asked = parse_args(said["arguments"])
    processes = int(asked.nproc_per_node)
    variables = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(free_port()), "GLOO_SOCKET_IFNAME": "lo",
                 "WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes)}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        children = []
        for index in range(processes):
            child = os.fork()
            if child == 0:
                rank(asked, variables | {"RANK": str(index), "LOCAL_RANK": str(index)}, output)
            children.append(child)
        well = ended_well(children)
        output.seek(0)
        return output.read(), well


def main():
    torch.set_num_threads(1)  # a fork has no other threads
    with open(sys.argv[1], "w", encoding="utf-8") as output:
        for one in json.load(sys.stdin):
            begin = time.monotonic()
            said, well = run(*one)
            print(json.dumps({"said": said, "well": well, "seconds": time.monotonic() - begin}), file=output, flush=True)


if __name__ == "__main__":
    main()
