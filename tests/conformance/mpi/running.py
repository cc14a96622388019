"""Runs an emitted program under mpirun, and forces swapped operations on it."""
import concurrent.futures
import json
import os
import queue
import shutil
import socket
import subprocess

import swaps
from program import run

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none")


def missing():
    """Why the program cannot be built or run here, or None."""
    absent = [tool for tool in ("cmake", "c++", "mpicc", "mpirun") if shutil.which(tool) is None]
    return f"there is no {', '.join(absent)}" if absent else None


def start(binary, plan, *options):
    with socket.socket() as probe:  # where ranks over NCCL meet
        probe.bind(("127.0.0.1", 0))
        meeting = dict(MASTER_ADDR="127.0.0.1", PLAN_PORT=str(probe.getsockname()[1]))
    return run(["mpirun", "-np", str(plan.ranks), binary, "--scale", plan.scale, *options],
               env=dict(ENVIRONMENT, **meeting))


def check_run(binary, plan, dplc):
    """Runs the plan and compares what was executed with the printed plan."""
    times = binary + ".json"
    done = start(binary, plan, "--steps", "1", "--json", times)
    if done.returncode != 0 or not done.stdout.startswith("ok: "):
        raise AssertionError(f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    with open(times, encoding="utf-8") as file:
        seen = json.load(file)["pipeline"]
    executed = [[swaps.label(op) for op in rank["actions"]] for rank in seen]
    if executed != swaps.Printed(plan.printed(dplc)).labels():
        raise AssertionError("the operations are not those of the plan, or in another order")
    return done.stdout.strip()


def check_swap(binary, plan, swap, dplc):
    """A swapped pair is refused by the verifier, and found by the program on which it was forced."""
    path = binary + ".ir"
    with open(path, "w", encoding="utf-8") as file:
        file.write(swaps.Printed(plan.printed(dplc)).swapped(swap))
    verdict = run([dplc, "ir", "--read", path])
    if verdict.returncode != 1 or "DPL0901" not in verdict.stderr:
        raise AssertionError(f"the verifier takes it\n{verdict.stderr}")
    done = start(binary, plan, "--timeout", "3")
    if done.returncode != swap.status or swap.message not in done.stderr:
        raise AssertionError(f"exit status {done.returncode}, needed {swap.status} and '{swap.message}'\n"
                             f"{done.stdout}{done.stderr}")
    line = next(line for line in done.stderr.splitlines() if swap.message in line)
    return f"{verdict.stderr.splitlines()[0]}\n         {line}"


def compiled(programs, cases, folder):
    """A future of the binary of each plan or swap of it, by as many threads as there are programs."""
    free = queue.SimpleQueue()
    for program in programs:
        free.put(program)

    def binary(index, plan, swap):
        program = free.get()
        try:
            program.emit(plan.arguments())
            if swap:
                program.write(swaps.tables(program.tables(), swap))
            program.compile()
            return shutil.copy(program.binary, os.path.join(folder, str(index)))
        finally:
            free.put(program)

    with concurrent.futures.ThreadPoolExecutor(len(programs)) as pool:
        return [pool.submit(binary, index, *case) for index, case in enumerate(cases)]


def judged(programs, which, work, about=""):
    """Compiles all plans and their swaps, then runs one after another, as a wait that never ends is found by its time.
    The number that failed."""
    cases = [(plan, swap) for plan in which for swap in (None, *plan.swaps)]
    folder, dplc, failed = os.path.join(work, "binaries"), programs[0].dplc, 0
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for (plan, swap), made in zip(cases, compiled(programs, cases, folder)):
        try:
            if swap:
                print(f"found    {about}{plan.name}, {swap.name}: {check_swap(made.result(), plan, swap, dplc)}", flush=True)
            else:
                print(f"ok       {about}{plan.name}: {check_run(made.result(), plan, dplc)}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failed += 1
            print(f"FAILED   {about}{plan.name}{', ' + swap.name if swap else ''}: {error}", flush=True)
    shutil.rmtree(folder)
    return failed
