"""The package `dpl` on the binary $DPLC.

DPLC=build/release/dplc python3 tests/python/package_test.py; DPL_LONG=1 compares every figure of all examples and starts
10,000 sessions.
"""

import concurrent.futures
import contextlib
import glob
import io
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

from client import DPLC, EXAMPLE, ROOT, children, dplc, within

import dpl
from dpl import _session

LONG = bool(os.environ.get("DPL_LONG"))
SMALL = """import std.models
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 1, jitter = lognormal { cv = 0.05 } }
layout one for models.gpt2_small on node {
  batch = 64seq
  mesh { data = rest }
}
study sizes for one {
  vary { node.nodes in [1, 2, 3, 4, 8] }
  outputs = [step_time, memory.peak]
}
search layout best for models.gpt2_small on node {
  batch = 64seq
  mesh { data = rest, tensor in [1, 2, 4, 8] }
  minimize step_time
}
"""
MEGATRON = os.path.join(ROOT, "tests", "python", "train.sh")


def child_processes():
    return children(os.getpid())


class Package(unittest.TestCase):
    def test_the_versions_are_those_of_the_build(self):
        self.assertTrue(dplc("--version").startswith(f"dplc {dpl.__version__}"))
        with open(os.path.join(ROOT, "CMakeLists.txt")) as lists:
            self.assertIn(f"project(dpl VERSION {dpl.__version__} ", lists.read())

    def test_every_figure_of_a_report_is_that_of_the_command(self):
        paths = sorted(glob.glob(os.path.join(ROOT, "examples", "*.dpl")))
        compared = 0
        for path in paths if LONG else paths[::8]:
            for name, plan in dpl.check(path).items():
                shown = json.loads(dplc("report", "--json", "--layout", name, path, code=0 if plan.fits else 1))
                ours = dpl.report(path, layout=name)
                self.assertEqual(dict(ours.figures), {p: one["value"] for p, one in shown["figures"].items()})
                self.assertEqual(dict(plan.figures), dict(ours.figures))
                compared += len(ours.figures)
        self.assertGreater(compared, 1000)

    def test_the_readmes_three_lines(self):
        with open(os.path.join(ROOT, "README.md")) as readme:
            code = readme.read().split("```python\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            with open("train.sh", "w") as script, open(MEGATRON) as ours:
                script.write(ours.read())
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                exec(compile(code, "README.md", "exec"), {})
        plan = dpl.check(dpl.import_(MEGATRON)).plan
        with open(os.path.join(ROOT, "README.md")) as readme:
            (line,) = [line.split("#")[0] for line in readme if line.startswith("dplc import megatron train.sh")]
        shown = subprocess.run(line.replace("dplc", DPLC), shell=True, stdout=subprocess.PIPE, text=True, cwd=os.path.dirname(MEGATRON)).stdout
        self.assertIn(f"peak {plan.memory.peak / 2**30:.2f}GiB", shown)
        self.assertIn("step       ", shown)
        self.assertEqual(said.getvalue(), f"{plan.memory.peak} {plan.step_time}\n")
        self.assertLessEqual(len(code.strip().splitlines()), 3)

    def test_the_notebook_runs(self):
        with open(os.path.join(ROOT, "docs", "guide", "tutorial.ipynb")) as file:
            cells = json.load(file)["cells"]
        names, said = {}, io.StringIO()
        with contextlib.redirect_stdout(said):
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        self.assertIn("error[DPL0301]", said.getvalue())
        self.assertIn("torchrun", said.getvalue())
        self.assertTrue(names["plan"]._repr_html_())

    def test_a_plan_has_its_figures(self):
        plan = dpl.report(EXAMPLE)
        self.assertEqual(plan.step_time, plan.figures["step_time"])
        self.assertEqual(plan.memory.peak, plan.figures["memory.peak"])
        self.assertTrue(plan.fits)
        self.assertEqual(plan.figures.of("step_time").unit, "s")
        self.assertIn("step_time = ", str(plan.why("step_time")))
        tree = plan.why("memory.peak")
        self.assertEqual(tree.value, plan.memory.peak)
        self.assertTrue(all(leaf.figure is not None for leaf in tree.leaves()))
        self.assertEqual(plan.why("layout.mesh.tensor").levels[-1]["value"], "8")
        timeline = plan.timeline()
        self.assertAlmostEqual(max(a["end_ps"] for rank in timeline.ranks for a in rank) / 1e12 / plan.step_time, 1, delta=0.05)
        for shown in (plan, timeline, plan.figures):
            self.assertTrue(shown._repr_html_().startswith("<"))

    def test_mistakes_are_those_of_the_command(self):
        with self.assertRaises(dpl.Mistakes) as caught:
            dpl.check(SMALL.replace("data = rest }\n}\nstudy", "data = 9 }\n}\nstudy"), layout="one")
        self.assertEqual(caught.exception.diagnostics[0].code, "DPL0301")
        self.assertEqual(caught.exception.diagnostics[0].place, "<stdin>:6:3")
        shown = subprocess.run([DPLC, "check", "-", "--layout=one"], text=True, capture_output=True,
                               input=SMALL.replace("data = rest }\n}\nstudy", "data = 9 }\n}\nstudy")).stderr
        self.assertEqual(str(caught.exception), shown.rstrip())
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), shown.rstrip())
        with self.assertRaises(dpl.Mistakes):
            dpl.report("/no/such/file.dpl")
        with self.assertRaises(dpl.Mistakes):
            dpl.format("let a = ")

    def test_results_pickle(self):
        for result in (dpl.report(EXAMPLE), dpl.study(SMALL), dpl.report(EXAMPLE).why("mfu"), dpl.report(EXAMPLE).timeline(), dpl.check(EXAMPLE)):
            again = pickle.loads(pickle.dumps(result))
            self.assertEqual(repr(again), repr(result))
        self.assertRaises(TypeError, pickle.dumps, _session.default())

    def test_other_functions(self):
        self.assertEqual(dpl.format("let a  = 1\n"), "let a = 1\n")
        self.assertEqual(dpl.explain("mfu"), dplc("explain", "mfu"))
        self.assertIn("launch.sh", dpl.emit("megatron", EXAMPLE).files)
        self.assertIn("launch.sh", dpl.emit("megatron", EXAMPLE).executable)
        with tempfile.TemporaryDirectory() as folder:
            dpl.emit("megatron", EXAMPLE, os.path.join(folder, "out"))
            self.assertTrue(os.access(os.path.join(folder, "out", "launch.sh"), os.X_OK))
        self.assertEqual(dpl.diff(EXAMPLE, EXAMPLE)["figures"], [])
        self.assertEqual(dpl.collective("all_reduce", cluster="clusters.dgx_h100", ranks=16, size="64MiB")["schema"], "dplc.collective.1")
        self.assertEqual(dpl.simulate(SMALL, layout="one", steps=10)["schema"], "dplc.simulate.1")
        self.assertGreater(len(dpl.score(os.path.join(ROOT, "tests", "accuracy", "nanotron_sweep.csv"))["rows"]), 1)
        points = dpl.figures(SMALL, ["step_time", "memory.peak"], [{"node.nodes": n} for n in (1, 2)], layout="one")
        self.assertEqual([row[0] for row in points.values], [row["step_time"] for row in dpl.study(SMALL).flat()[:2]])

    def test_reserved_names_end_in_an_underscore(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ds.json")
            with open(path, "w") as file:
                json.dump({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": True}}, file)
            started = {"NNODES": 1, "NPROC_PER_NODE": 8}
            self.assertRaises(dpl.Mistakes, dpl.import_, path, "deepspeed", define=started)
            self.assertEqual(dpl.import_(path, "deepspeed", as_="models.llama3_8b", define=started),
                             dplc("import", "deepspeed", path, "--as=models.llama3_8b", "--define=NNODES=1", "--define=NPROC_PER_NODE=8"))

    def test_each_result_says_what_it_is(self):
        plan = dpl.report(SMALL, layout="one")
        for result, said in (
            (dpl.check(SMALL, layout="one"), "<checked: <plan one: step "),
            (dpl.check("let a = 1\n"), "<checked: no layouts>"),
            (plan.figures, "<figures: "),
            (dpl.report(SMALL, layout="one", figures=["mfu"]).figures, "<figures: mfu = 0.0"),
            (dpl.diff(EXAMPLE, EXAMPLE), "<result: first, second, fields, figures>"),
            (dpl.simulate(SMALL, layout="one", steps=5), "<result: dplc.simulate.1>"),
            (dpl.figures(SMALL, ["mfu", "step_time"], [{}], layout="one"), "<points: 1 of mfu, step_time>"),
            (dpl.study(SMALL), "<study: sizes, 5 points>"),
            (dpl.search(SMALL), "<search: best, "),
            (dpl.emit("megatron", EXAMPLE), "<emitted: "),
            (_session.default(), "<session: process "),
        ):
            self.assertTrue(repr(result).startswith(said), repr(result))

    def test_frames(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.assertRaises(ImportError, dpl.study(SMALL).to_frame)
            return
        frame = dpl.study(SMALL).to_frame()
        self.assertEqual(list(frame.columns), ["node.nodes", "step_time", "memory.peak", "refused"])
        self.assertEqual(len(dpl.report(EXAMPLE).memory.to_frame()), len(dpl.report(EXAMPLE).memory.ranks))

    def test_a_file_that_is_edited_between_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.dpl")
            for nodes in (1, 2):
                with open(path, "w") as file:
                    file.write(SMALL.replace("nodes = 1", f"nodes = {nodes}"))
                self.assertEqual(dpl.report(path, layout="one").data["cluster"]["nodes"], nodes)


class Shards(unittest.TestCase):
    def test_shards_give_the_bytes_of_one_run(self):
        for run in (dpl.study, dpl.search):
            whole = run(SMALL)
            with self.subTest(run.__name__):
                self.assertEqual(json.dumps(run(SMALL, map=map).data), json.dumps(whole.data))
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    self.assertEqual(json.dumps(run(SMALL, map=pool.map, shards=3).data), json.dumps(whole.data))
                with concurrent.futures.ProcessPoolExecutor(2) as pool:
                    self.assertEqual(json.dumps(run(SMALL, map=pool.map, shards=5).data), json.dumps(whole.data))

    def test_futures_are_waited_for_and_a_lost_worker_is_tried_again(self):
        died = []

        def resubmitting(work, tasks):
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                for number, task in enumerate(tasks):
                    if number == 1:
                        with concurrent.futures.ProcessPoolExecutor(1) as doomed:
                            lost = doomed.submit(os._exit, 1)
                            died.append(lost.exception())
                    yield pool.submit(work, task)

        self.assertEqual(json.dumps(dpl.study(SMALL, map=resubmitting).data), json.dumps(dpl.study(SMALL).data))
        self.assertIsInstance(died[0], concurrent.futures.process.BrokenProcessPool)


class Sessions(unittest.TestCase):
    def test_threads_share_a_session(self):
        expected = dpl.report(EXAMPLE).step_time
        before = list(_session._sessions)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(set(pool.map(lambda _: dpl.report(EXAMPLE).step_time, range(24))), {expected})
        self.assertEqual(_session._sessions, before)

    def test_a_fork_gets_a_session_of_its_own(self):
        session = _session.default()
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(forked, [0, 1]), [dpl.report(EXAMPLE).step_time] * 2)
            with self.assertRaisesRegex(RuntimeError, "which forked"):
                pool.apply(use_after_fork)
        self.assertIs(_session.default(), session)

    def test_what_json_cannot_hold_is_an_error_at_once(self):
        for value in (float("inf"), float("-inf"), float("nan")):
            self.assertRaises(ValueError, dpl.check, SMALL, set={"node.nodes": value})
            self.assertRaises(ValueError, dpl.figures, SMALL, ["mfu"], [{"node.nodes": value}], layout="one")
        self.assertRaises(TypeError, dpl.check, SMALL, set={"node.nodes": object()})
        self.assertEqual(_session.default()._pending, {})
        self.assertEqual(dpl.format("let a = 1\n"), "let a = 1\n")

    def test_an_answer_to_nobody_ends_what_waits(self):
        with dpl.Session() as session, concurrent.futures.ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(session.request, "simulate", {"file": "-", "text": SMALL, "layout": "one", "level": "message",
                                                                "set": {"node.nodes": 8}, "steps": 500_000, "limits": {"seconds": None}})
            self.assertTrue(within(30, lambda: children(session._process.pid)))
            os.write(session._to, b"Content-Length: 1\r\n\r\n{")
            with self.assertRaisesRegex(dpl.RequestError, "not JSON"):
                waiting.result(30)
            self.assertEqual(json.loads(json.dumps(session.request("initialize", {})))["schema"], "dplc.serve.1")

    def test_an_interrupt_cancels_the_request(self):
        session = _session.default()
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            dpl.simulate(SMALL, layout="one", level="message", set={"node.nodes": 8}, steps=500_000)
        self.assertTrue(within(10, lambda: not children(session._process.pid)))
        self.assertEqual(dpl.format("let a = 1\n"), "let a = 1\n")

    def test_no_process_is_left(self):
        for ending in ("", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 2)", "os._exit(0)"):
            with self.subTest(ending):
                code = f"""
                    import os, sys
                    sys.path.insert(0, {os.path.join(ROOT, "python")!r})
                    import dpl, threading, time
                    session = dpl.Session()
                    threading.Thread(target=lambda: dpl.simulate({SMALL!r}, layout="one", level="message", set={{"node.nodes": 8}}, steps=500_000), daemon=True).start()
                    time.sleep(0.5)
                    print(session._process.pid, dpl._session.default()._process.pid, flush=True)
                    {ending}
                """
                run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60)
                left = [int(pid) for pid in run.stdout.split()]
                self.assertEqual(len(left), 2)
                self.assertTrue(within(10, lambda: not any(os.path.exists(f"/proc/{pid}") for pid in left)))

    def test_sessions_come_and_go(self):
        before = child_processes()
        for _ in range(10_000 if LONG else 50):
            with dpl.Session() as session:
                session.request("initialize", {})
        self.assertEqual(child_processes(), before)
        self.assertRaises(dpl.SessionEnded, session.request, "initialize", {})

    def test_another_version_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            for schema, version in (("dplc.serve.1", "9.9.9"), ("dplc.serve.2", "9.9.9")):
                fake = os.path.join(folder, "dplc")
                body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"schema": schema, "version": version}})
                with open(fake, "w") as script:
                    script.write(f"#!/bin/sh\nhead -c 1 > /dev/null\nprintf 'Content-Length: {len(body)}\\r\\n\\r\\n%s' '{body}'\ncat > /dev/null\n")
                os.chmod(fake, 0o755)
                said = "install the same version" if schema == "dplc.serve.1" else "install dpl 9.9.9"
                with self.assertRaisesRegex((dpl.SessionEnded, RuntimeWarning), said):
                    import warnings
                    with warnings.catch_warnings():
                        warnings.simplefilter("error")
                        dpl.Session(fake)


INHERITED = None


def forked(_):
    return dpl.report(EXAMPLE).step_time


def use_after_fork():
    return INHERITED.request("initialize", {})


if __name__ == "__main__":
    INHERITED = _session.default()
    unittest.main()
