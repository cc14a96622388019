#!/usr/bin/env python3
"""Mutation testing: how many small faults in the product do the tests notice?

Draws places in the product's sources by a seed and plants a fault at each: a sign is flipped, a bound is moved by one,
or a factor is eight times as large. One build of the preset `debug` has all faults; the variable DPL_MUTANT chooses
one at run time. Sources are changed in place, so work in a clone of its own and in that clone:

  tests/mutation/mutants.py plant --count 200 --seed 1   plants the faults and builds the tests
  tests/mutation/mutants.py reach                        runs each test once: its time, and the faults that it reaches
  tests/mutation/mutants.py run                          for each fault the tests that reach it, until one fails
  tests/mutation/mutants.py report                       the counts, and the faults that no test noticed

`reach` and `run` go on where they were stopped, so that after a new test they judge what has survived with that test
alone. Their results are lines of JSON in build/mutants.
"""
import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/debug"
RESULTS = ROOT / "build/mutants"
SOURCES = ["cost/**/*.cpp", "passes/*.cpp", "planner/*.cpp", "frontend/sema/*.cpp", "simulate/engine/*.cpp",
           "support/math/*.cpp"]
BINARIES = ["unit_tests", "golden_tests", "property_tests"]
MOST = 4096  # as in Mutants.h
# The operators of each kind, and what takes the place of one. Products bind more tightly than sums, and sums more
# tightly than comparisons, so that what follows needs no parentheses.
KINDS = {
    "sign": (r"[+-]", " {op} dpl::mutation::sign({n}) * "),
    "bound": (r"<=?|>=?", " {op} dpl::mutation::bound({n}) + "),
    "unit": (r"[*/]", " {op} dpl::mutation::unit({n}) {op} "),
}
# Lines that are not arithmetic as far as a line alone can tell; others that are not do not compile.
UNFIT = re.compile(r"^\s*(//|#|template|using)|operator|\"|'|assert\(|\[\[")


def places():
    """Every operator between two operands: file, line, column, kind."""
    found = []
    for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern)):
        for number, line in enumerate(path.read_text().split("\n")):
            code = line.split(" // ")[0]
            for kind, (operator, _) in KINDS.items():
                if not UNFIT.search(code):
                    found += [(str(path.relative_to(ROOT)), number, match.start(), kind)
                              for match in re.finditer(rf"(?<=[\w)\]]) ({operator}) (?=[\w(])", code)]
    return found


def write(originals, planted):
    """Writes the sources with these faults; files that have none get back their original text."""
    for file, text in originals.items():
        lines = text.split("\n")
        faults = [fault for fault in planted if fault["file"] == file]
        for fault in sorted(faults, key=lambda fault: -fault["column"]):
            line = lines[fault["line"] - 1]
            before, after = line[:fault["column"]], line[fault["column"]:]
            operator = after.split()[0]
            instead = KINDS[fault["kind"]][1].format(op=operator, n=fault["number"])
            lines[fault["line"] - 1] = before + instead + after[len(operator) + 2:]
        if faults:
            first = next(i for i, line in enumerate(lines) if line.startswith("#include"))
            last = next(i for i in range(first, len(lines)) if not lines[i + 1].startswith("#include"))
            lines[last] += "\n#include \"tests/mutation/Mutants.h\""
        text = "\n".join(lines)
        if (ROOT / file).read_text() != text:
            (ROOT / file).write_text(text)


def plant(options):
    drawn = places()
    print(f"{len(drawn)} places: " + ", ".join(f"{sum(p[3] == kind for p in drawn)} of kind {kind}" for kind in KINDS))
    random.Random(options.seed).shuffle(drawn)
    originals, planted, unfit = {}, [], set()
    while True:
        for file, line, column, kind in drawn:
            if len(planted) == options.count:
                break
            if (file, line) not in unfit:
                unfit.add((file, line))  # a line has one fault
                originals.setdefault(file, (ROOT / file).read_text())
                number = min(set(range(1, options.count + 1)) - {fault["number"] for fault in planted})
                planted.append({"number": number, "file": file, "line": line + 1, "column": column, "kind": kind,
                                "code": originals[file].split("\n")[line].strip()})
        write(originals, planted)
        built = subprocess.run(["ninja", "-C", BUILD, "-k", "0", "-j", str(options.jobs), *BINARIES], text=True,
                               capture_output=True, check=False)
        # The line of an error is one lower in the file than in the original, where the header is included.
        errors = {(str(Path(file).relative_to(ROOT)), int(line) - 1)
                  for file, line in re.findall(r"^(/\S+\.cpp):(\d+):\d+: (?:error|note)", built.stdout, re.MULTILINE)
                  if Path(file).is_relative_to(ROOT)}
        kept = [fault for fault in planted if (fault["file"], fault["line"]) not in errors]
        print(f"{len(kept)} of {len(planted)} compile")
        if built.returncode and len(kept) == len(planted):
            print(built.stdout[-4000:])
            return 1
        if not built.returncode:
            RESULTS.mkdir(parents=True, exist_ok=True)
            (RESULTS / "mutants.json").write_text(json.dumps(planted, indent=1))
            return 0
        planted = kept


def tests():
    """All tests: binary and name."""
    for binary in BINARIES:
        suite = ""
        for line in subprocess.run([BUILD / "tests" / binary, "--gtest_list_tests"], text=True, capture_output=True,
                                   check=True).stdout.splitlines():
            name = line.split("#")[0].rstrip()
            if not line.startswith(" "):
                suite = name if name.endswith(".") else ""
            elif suite and "DISABLED_" not in suite + name:
                yield binary, suite + name.strip()


def run_test(binary, names, variables, seconds):
    """What became of the tests of one process: `passed`, `failed` or `time`."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen([BUILD / "tests" / binary, "--gtest_fail_fast", "--gtest_brief=1",
                                "--gtest_filter=" + ":".join(names)], env=dict(os.environ, **variables), cwd=ROOT,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                               preexec_fn=limit)
    try:
        return "failed" if process.wait(seconds) else "passed"
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return "time"


def journal(name):
    path = RESULTS / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def each(name, items, work, jobs):
    """Does the work on the items and appends each result to a journal."""
    with ThreadPoolExecutor(jobs) as pool, (RESULTS / name).open("a") as out:
        for done in as_completed([pool.submit(work, item) for item in items]):
            out.write(json.dumps(done.result()) + "\n")
            out.flush()


def reach(options):
    done = {test["test"] for test in journal("reached.jsonl")}

    def record(test):
        binary, name = test
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(MOST))
            file.flush()
            began = time.monotonic()
            outcome = run_test(binary, [name], {"DPL_REACHED": file.name}, options.seconds)
            reached = [number for number, byte in enumerate(Path(file.name).read_bytes()) if byte]
            return {"binary": binary, "test": name, "seconds": round(time.monotonic() - began, 3), "outcome": outcome,
                    "reached": reached}

    each("reached.jsonl", [test for test in tests() if test[1] not in done and re.search(options.tests, test[1])], record, options.jobs)
    return 0


def run(options):
    reached = [test for test in journal("reached.jsonl") if test["outcome"] == "passed"]
    kills = Counter(fault["by"] for fault in journal("results.jsonl"))
    last = {fault["number"]: fault for fault in journal("results.jsonl")}
    faults = [last.get(fault["number"], dict(fault, passed=[]))
              for fault in json.loads((RESULTS / "mutants.json").read_text())]

    def judge(fault):
        """The first test that notices the fault, of those that it has not passed yet, within --budget seconds: tests
        that noticed most of the others come first, then those of screens, which compare figures, then the cheapest."""
        fault = dict(fault, outcome="survived", by=None, passed=list(fault["passed"]))
        found = sorted((test for test in reached if fault["number"] in test["reached"]),
                       key=lambda test: (-kills[test["test"]], "Recorded" not in test["test"], test["seconds"]))
        fault["reaching"], left = len(found), options.budget
        for test in found:
            if test["test"] in fault["passed"]:
                continue
            left -= test["seconds"]
            if left < 0:
                break
            outcome = run_test(test["binary"], [test["test"]], {"DPL_MUTANT": str(fault["number"])},
                               10 + 20 * test["seconds"])
            if outcome != "passed":
                kills[test["test"]] += 1
                return dict(fault, outcome=outcome, by=test["test"])
            fault["passed"].append(test["test"])
        return fault

    each("results.jsonl", [fault for fault in faults if not fault.get("by")], judge, options.jobs)
    return 0


def report(_):
    results = sorted({fault["number"]: fault for fault in journal("results.jsonl")}.values(), key=lambda f: f["number"])
    survivors = [fault for fault in results if not fault["by"]]
    for fault in survivors:
        print(f"survived {fault['number']}: {fault['kind']}, {fault['file']}:{fault['line']}:{fault['column'] + 2}: "
              f"{fault['code']} ({len(fault['passed'])} of {fault['reaching']} tests that reach it)")
    killed, late = len(results) - len(survivors), sum(fault["outcome"] == "time" for fault in results)
    print(f"{killed} of {len(results)} killed ({100 * killed / max(1, len(results)):.1f} %), "
          f"{late} of them by not ending in time")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["plant", "reach", "run", "report"])
    parser.add_argument("--count", type=int, default=200, help="faults to plant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", default="", help="a pattern of the names of the tests to reach")
    parser.add_argument("--seconds", type=int, default=900, help="a test that takes longer is left out")
    parser.add_argument("--budget", type=float, default=120, help="seconds of tests to try for a fault")
    options = parser.parse_args()
    return {"plant": plant, "reach": reach, "run": run, "report": report}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
