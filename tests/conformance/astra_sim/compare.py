#!/usr/bin/env python3
"""Single collectives by `dplc collective --messages` and by ASTRA-sim, with the same parameters, side by side.

    ASTRA_SIM=.../AstraSim_Analytical_Congestion_Unaware tests/conformance/astra_sim/compare.py build/release/dplc

Ranks on a switch. A message takes two hops and the delay of an end point there, which is the latency here; a GB is 2^30
bytes there; adding up is free in both. Prints a line a collective: microseconds, difference, seconds and MB of both
programs. Where ASTRA_SIM_AWARE names AstraSim_Analytical_Congestion_Aware, the example of its repository that was
validated on a machine (HGX-H100-validated: 8 devices, an all-reduce of 1 MiB) is run, too. Exit status 1 when a
collective differs by more than 1 %, or the example by more than 2 %.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

KINDS = {"all_reduce": 0, "all_gather": 2, "reduce_scatter": 7}
HOP, DELAY, BANDWIDTH = 500, 10, 50  # ns, ns, GB/s
CASES = [
    *[(kind, "ring", ranks, size) for kind in KINDS for ranks, size in ((8, 1), (8, 16), (8, 256), (64, 4), (64, 256))],
    ("all_reduce", "halvingDoubling", 8, 16),
    ("all_reduce", "halvingDoubling", 64, 256),
    ("all_reduce", "ring", 256, 64),
    ("all_gather", "ring", 512, 128),
    ("reduce_scatter", "ring", 1024, 64),
]
OURS = {"ring": "ring", "halvingDoubling": "halving_doubling"}


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A field of a protobuf message: a whole number, or bytes with their length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def delimited(message):
    return varint(len(message)) + message


def trace(kind, size):
    """A Chakra execution trace with one collective (et_def.proto, version 0.0.4)."""
    def attribute(name, number, value):
        return field(10, field(1, name.encode()) + field(number, value))

    node = field(1, 1) + field(2, kind.encode()) + field(3, 7)
    node += attribute("is_cpu_op", 27, 0) + attribute("comm_type", 9, KINDS[kind]) + attribute("comm_size", 9, size)
    return delimited(field(1, b"0.0.4")) + delimited(node)


def measured(command, folder):
    """Output, seconds and peak in MB of a command."""
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: {output}")
    return output, time.monotonic() - began, usage.ru_maxrss / 1024


def theirs(program, kind, algorithm, ranks, size, folder, hop=HOP, bandwidth=BANDWIDTH, **settings):
    # An all-gather is counted by what each rank brings there, by the whole buffer here.
    for rank in range(ranks):
        with open(f"{folder}/trace.{rank}.et", "wb") as file:
            file.write(trace(kind, size // ranks if kind == "all_gather" else size))
    system = {"scheduling-policy": "LIFO", "endpoint-delay": DELAY, "active-chunks-per-dimension": 1,
              "preferred-dataset-splits": 1, "collective-optimization": "baseline", "local-mem-bw": 10**9, "boost-mode": 0,
              **settings}
    for each in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all"):
        system[f"{each}-implementation"] = [algorithm]
    with open(f"{folder}/system.json", "w", encoding="utf-8") as file:
        json.dump(system, file)
    with open(f"{folder}/memory.json", "w", encoding="utf-8") as file:
        json.dump({"memory-type": "NO_MEMORY_EXPANSION"}, file)
    with open(f"{folder}/network.yml", "w", encoding="utf-8") as file:
        file.write(f"topology: [ Switch ]\nnpus_count: [ {ranks} ]\nbandwidth: [ {bandwidth * 1e9 / 2**30:.9f} ]\n"
                   f"latency: [ {float(hop)} ]\n")
    output, seconds, megabytes = measured(
        [program, "--workload-configuration=trace", "--comm-group-configuration=empty", "--system-configuration=system.json",
         "--remote-memory-configuration=memory.json", "--network-configuration=network.yml"], folder)
    finished = [int(cycles) for cycles in re.findall(r"sys\[\d+\] finished, (\d+) cycles", output)]
    if len(finished) != ranks:
        sys.exit(f"{len(finished)} of {ranks} ranks finished: {output[-2000:]}")
    return max(finished) / 1000, seconds, megabytes


def ours(program, kind, algorithm, ranks, size, folder, hop=HOP, bandwidth=BANDWIDTH):
    with open(f"{folder}/switch.dpl", "w", encoding="utf-8") as file:
        file.write(f"import std.textbook\ncluster switch from textbook.flat {{\n  nodes = {ranks}\n"
                   f"  nic {{ bandwidth = {bandwidth}GB/s per nic, latency = {2 * hop + DELAY}ns }}\n"
                   "  collectives = closed_form\n}\n")
    output, seconds, megabytes = measured(
        [program, "collective", "switch.dpl", "--cluster", "switch", "--op", kind, "--ranks", str(ranks), "--size", str(size),
         "--algorithm", OURS[algorithm], "--messages", "--json"], folder)
    return json.loads(output), seconds, megabytes


def microseconds(said):
    return said["as_messages"]["times"][0]["value"] * 1e6


def example(dplc, aware):
    """The validated example: four pieces, two at a time, added up as fast as memory is. How far the two are apart."""
    ranks, size, hop, bandwidth, pieces, active = 8, 1 << 20, 936.25, 400 * 2**30 / 1e9, 4, 2
    settings = {"active-chunks-per-dimension": active, "preferred-dataset-splits": pieces,
                "collective-optimization": "localBWAware", "local-mem-bw": 3350}
    with tempfile.TemporaryDirectory() as folder:
        # Pieces that are under way together share each link in each step, and take what one of all their bytes does.
        here, _, _ = ours(dplc, "all_reduce", "ring", ranks, size * active // pieces, folder, hop, bandwidth)
        there, _, _ = theirs(aware, "all_reduce", "ring", ranks, size, folder, hop, bandwidth, **settings)
    here = microseconds(here) * pieces / active
    print(f"HGX-H100-validated, 1 MiB: {here * 1000:.0f} ns here, {there * 1000:.0f} ns there, "
          f"{(here / there - 1) * 100:+.2f} %")
    return abs(here / there - 1)


def main():
    if len(sys.argv) != 2 or "ASTRA_SIM" not in os.environ:
        sys.exit(__doc__)
    dplc, astra = os.path.abspath(sys.argv[1]), os.path.abspath(os.environ["ASTRA_SIM"])
    worst = 0.0
    print(f"{'collective':40} {'dplc':>12} {'ASTRA-sim':>12} {'':>8} {'seconds':>13} {'MB':>11}")
    for kind, algorithm, ranks, mebibytes in CASES:
        size = mebibytes << 20
        with tempfile.TemporaryDirectory() as folder:
            here, our_seconds, our_megabytes = ours(dplc, kind, algorithm, ranks, size, folder)
            there, seconds, megabytes = theirs(astra, kind, algorithm, ranks, size, folder)
        here = microseconds(here)
        worst = max(worst, abs(here / there - 1))
        print(f"{kind + ', ' + algorithm + f', {ranks} ranks, {mebibytes} MiB':40} {here:9.1f} us {there:9.1f} us "
              f"{(here / there - 1) * 100:+7.2f}% {our_seconds:6.2f} {seconds:6.2f} {our_megabytes:5.0f} {megabytes:5.0f}")
    print(f"{len(CASES)} collectives, at most {worst * 100:.2f} % apart")
    aware = os.environ.get("ASTRA_SIM_AWARE")
    sys.exit(worst > 0.01 or (aware is not None and example(dplc, os.path.abspath(aware)) > 0.02))


main()
