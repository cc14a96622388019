"""Saves the state of a two-layer model with some ranks, loads it with others, and saves and loads it back.

    python phases.py megatron|deepspeed|torch FOLDER CASES.json

Four processes, which talk by gloo, run all cases of a framework. A case trains two steps with layout `a` and saves; loads with layout `b` and
saves again; and loads with layout `a`. Then every weight and every moment has to be equal to what was saved first. Prints a line of JSON for
each case: its name, and "loads" or the error.
"""
import importlib
import json
import os
import shutil
import sys
import traceback

PROCESSES = 4


def equal(torch, before, after):
    return before.keys() == after.keys() and all(torch.equal(before[name], after[name]) for name in before)


def phase(framework, rank, store, layout, run):
    """Runs with the process group of the layout; other processes wait at the end."""
    import torch.distributed as dist

    world = layout["world"]
    result = None
    if rank < world:
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world))
        dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=world)
        try:
            result = run(framework.build(layout))
            dist.barrier()
        finally:
            framework.forget()
            dist.destroy_process_group()
    return result


def journey(framework, rank, folder, case):
    """Whether the state of `a` is the same after the detour over `b`."""
    import torch

    first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
    stores = [os.path.join(folder, f"store{i}") for i in range(3)]

    def begin(job):
        job.train()
        job.save(first)
        return job.state()

    def detour(job):
        job.load(first)
        job.save(second)

    def back(job):
        job.load(second)
        return job.state()

    before = phase(framework, rank, stores[0], case["a"], begin)
    wait(folder, rank, "saved")
    framework.convert(rank, first)
    wait(folder, rank, "converted")
    phase(framework, rank, stores[1], case["b"], detour)
    wait(folder, rank, "again")
    framework.convert(rank, second)
    wait(folder, rank, "both")
    after = phase(framework, rank, stores[2], case["a"], back)
    return before is None or equal(torch, before, after)


def wait(folder, rank, point):
    """Until all processes are here; a case that failed in one has ended them all."""
    import time

    open(os.path.join(folder, f"{point}.{rank}"), "w", encoding="utf-8").close()
    while not all(os.path.exists(os.path.join(folder, f"{point}.{other}")) for other in range(PROCESSES)):
        time.sleep(0.02)


def worker(rank, name, folder, case):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29501")
    framework = importlib.import_module(f"states_of_{name}")
    try:
        same = journey(framework, rank, folder, case)
        text = "" if same else "the state differs"
    except BaseException as error:  # what the framework says of a layout that it cannot load
        place = traceback.extract_tb(error.__traceback__)[-1]
        said = (str(error).strip().splitlines() or [place.line])[0]
        text = f"{type(error).__name__}: {said[:200]} ({os.path.basename(place.filename)}:{place.lineno})"
    if text:
        with open(os.path.join(folder, "failed"), "a", encoding="utf-8") as file:
            file.write(text + "\n")
        os._exit(1)


def main():
    import torch.multiprocessing as processes

    name, folder, cases = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    with open(cases, encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            processes.start_processes(worker, (name, folder, case), nprocs=PROCESSES, start_method="spawn")
            result = "loads"
        except processes.ProcessExitedException:
            failed = os.path.join(folder, "failed")
            with open(failed, encoding="utf-8") as file:
                result = file.readline().strip()
        print(json.dumps({"case": case["name"], "result": result}), flush=True)


if __name__ == "__main__":
    sys.path.insert(1, os.path.dirname(os.path.abspath(__file__)))
    main()
