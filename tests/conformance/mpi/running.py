"""Runs an emitted program under mpirun, and forces swapped operations on it."""
import json
import os
import shutil
import socket

import swaps
from program import run

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def missing():
    """Why the program cannot be built or run here, or None."""
    absent = [tool for tool in ("cmake", "c++", "mpicc", "mpirun") if shutil.which(tool) is None]
    return f"there is no {', '.join(absent)}" if absent else None


def start(program, plan, *options):
    with socket.socket() as probe:  # where ranks over NCCL meet
        probe.bind(("127.0.0.1", 0))
        meeting = dict(MASTER_ADDR="127.0.0.1", PLAN_PORT=str(probe.getsockname()[1]))
    return run(["mpirun", "-np", str(plan.ranks), program.binary, "--scale", plan.scale, *options],
               env=dict(ENVIRONMENT, **meeting))


def check_run(program, plan, work):
    """Runs the plan and compares what was executed with the printed plan."""
    times = os.path.join(work, "times.json")
    done = start(program, plan, "--steps", "1", "--json", times)
    if done.returncode != 0 or not done.stdout.startswith("ok: "):
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    with open(times, encoding="utf-8") as file:
        seen = json.load(file)["pipeline"]
    executed = [[swaps.label(op) for op in rank["operations"]] for rank in seen]
    if executed != swaps.Printed(plan.printed(program.dplc)).labels():
        raise AssertionError("the operations are not those of the plan, or in another order")
    return done.stdout.strip()


def check_swap(program, plan, swap):
    """A swapped pair is refused by the verifier, and found by the program where it is forced on it."""
    printed = swaps.Printed(plan.printed(program.dplc))
    path = os.path.join(program.emitted, "swapped.ir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(printed.swapped(swap))
    verdict = run([program.dplc, "ir", "--read", path])
    if verdict.returncode != 1 or "DPL0901" not in verdict.stderr:
        raise AssertionError(f"the verifier takes it\n{verdict.stderr}")
    program.write(swaps.tables(program.tables(), swap))
    program.compile()
    done = start(program, plan, "--timeout", "3")
    if done.returncode != swap.status or swap.message not in done.stderr:
        raise AssertionError(f"exit status {done.returncode}, needed {swap.status} and '{swap.message}'\n"
                             f"{done.stdout}{done.stderr}")
    line = next(line for line in done.stderr.splitlines() if swap.message in line)
    return f"{verdict.stderr.splitlines()[0]}\n         {line}"
