"""The package `dpl` on the binary $DPLC.

DPLC=build/release/dplc python3 tests/python/package_test.py; DPL_LONG=1 compares every figure of all examples.
"""

import concurrent.futures
import contextlib
import glob
import html.parser
import io
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

from client import DPLC, EXAMPLE, ROOT, dplc

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
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(os.path.dirname(MEGATRON))
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
        advice = plan.advice()
        self.assertTrue(advice.changes)
        best = advice.changes[0]
        self.assertLess(best["step_s"], plan.step_time)
        self.assertEqual(dpl.report(EXAMPLE, set={f"{plan.name}.{p}": v for p, v in best["settings"].items()}).step_time, best["step_s"])
        self.assertEqual(dpl.check(EXAMPLE, advice=True).plan.data["advice"], advice["advice"])
        timeline = plan.timeline()
        self.assertAlmostEqual(max(a["end_ps"] for rank in timeline.ranks for a in rank) / 1e12 / plan.step_time, 1, delta=0.05)
        for shown in (plan, timeline, plan.figures, advice):
            self.assertTrue(shown._repr_html_().startswith("<"))

    def test_a_notebook_shows_pictures_and_pages(self):
        plan = dpl.report(EXAMPLE)
        shown = plan._repr_html_()
        for options in ((), ("--memory",)):
            self.assertIn(dplc("report", EXAMPLE, *options, "--svg", "-"), shown)
        page = plan.page()
        self.assertEqual(page.text, dplc("report", EXAMPLE, "--html", "-"))
        frames = []
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)))
        parser.feed(page._repr_html_())
        ((tag, attributes),) = frames
        self.assertEqual((tag, attributes["srcdoc"], attributes["sandbox"]), ("iframe", page.text, "allow-scripts allow-downloads"))
        with self.assertRaisesRegex(ValueError, "no part 'memry'; it has .*memory"):
            page.only("memry")
        part = page.only("memory", "traffic")
        self.assertIn('<html lang="en" data-parts="memory traffic">', part.text)
        self.assertEqual(part.only().text.replace(' data-parts=""', ""), page.text)
        with tempfile.TemporaryDirectory() as folder:
            page.save(os.path.join(folder, "page.html"))
            with open(os.path.join(folder, "page.html"), newline="") as file:
                self.assertEqual(file.read(), page.text)
            path = os.path.join(folder, "plan.dpl")
            with open(path, "w") as file:
                file.write(SMALL)
            for command in ("study", "search"):
                self.assertEqual(dpl.page(command, path).text, dplc(command, path, "--html", "-"))
            self.assertEqual(dpl.page("diff", EXAMPLE, EXAMPLE).text, dplc("diff", EXAMPLE, EXAMPLE, "--html", "-"))
            gone = dpl.report(path, layout="one")
        self.assertIn("slower by", gone._repr_html_())
        self.assertNotIn("<svg", gone._repr_html_())
        self.assertRaises(dpl.Mistakes, gone.page)

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
            same, other = (dpl.emit("megatron", EXAMPLE, os.path.join(folder, "out"), set=set, diff=True) for set in (None, {"dense3d.batch": "8Mitok"}))
            self.assertEqual(same.differences, "")
            self.assertIn("\n-512\n+1024\n", other.differences)
            self.assertIsNone(dpl.emit("megatron", EXAMPLE).differences)
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

    def test_questions_about_a_plan_have_its_options_and_its_folder(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for name, text in (("plan.dpl", SMALL), ("two.txt", "node.nodes = 2\n")):
                with open(name, "w") as file:
                    file.write(text)
            one = dpl.report("plan.dpl", layout="one")
            plans = [dpl.check("plan.dpl", layout="one", set_file="two.txt").plan, dpl.report("plan.dpl", layout="one", set_file=["two.txt"])]
            os.chdir("/")
            self.assertEqual(one.why("step_time").value, one.step_time)
            for plan in plans:
                self.assertNotEqual(plan.step_time, one.step_time)
                self.assertEqual(plan.why("step_time").value, plan.step_time)
                self.assertEqual(plan.timeline().step_time, plan.step_time)
                self.assertEqual(plan.advice()["step_s"], plan.step_time)

    def test_an_option_for_another_answer_is_refused_in_a_sentence(self):
        for wrong, said in (
            (lambda: dpl.check(EXAMPLE, html="-"), "has no option `--html`"),
            (lambda: dpl.check(EXAMPLE, help=True), "`check` with a text: leave out"),
            (lambda: dpl.report(EXAMPLE, svg="-"), "`report` with a text: leave out"),
            (lambda: dpl.study(SMALL, "sizes", html="-"), "`study` with a text.* `dpl.page` gives a page"),
            (lambda: dpl.search(SMALL, "best", shard="1/2", output="/dev/null/so"), "`map` runs all shards"),
            (lambda: dpl.report(EXAMPLE, why="mfu"), "another answer than a plan: use `why"),
            (lambda: dpl.report(EXAMPLE, timeline=True), "another answer than a plan"),
            (lambda: dpl.check(EXAMPLE, figures="mfu").plan.step_time, "no figure 'step_time'"),
            (lambda: dpl.check(EXAMPLE, figures=["mfu"]).plan.memory, "no memory: leave out `figures`"),
            (lambda: dpl.emit("megatron", EXAMPLE, diff=True), "`--diff` needs `--output`"),
            (lambda: dpl.import_("torchrun \\\n x.py\n"), "needs the path of a file"),
            (lambda: dpl.diff(SMALL, SMALL + "\n"), "one source may be a text, found 2"),
            (lambda: dpl.check("plan.dpl\0x"), "`plan.dpl` is followed by a NUL"),
        ):
            with self.subTest(said), self.assertRaisesRegex((ValueError, KeyError, dpl.Mistakes, dpl.RequestError), said):
                wrong()
        self.assertIsNone(dpl.check(EXAMPLE, figures="mfu").plan.figures.get("step_time"))
        self.assertTrue(dpl.check(EXAMPLE, target="megatron").ok)
        self.assertEqual(dpl.figures(EXAMPLE, "mfu", [{}]).figures, ["mfu"])

    def test_a_source_is_a_path_or_a_text(self):
        with open(EXAMPLE) as file:
            text = file.read()
        changed = text.replace("layout dense3d", "layout dense4d")
        self.assertEqual(dpl.diff(changed, EXAMPLE)["first"]["layout"], "dense4d")
        self.assertEqual(dpl.diff(EXAMPLE, changed)["second"]["layout"], "dense4d")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "two\nlines.dpl")
            path.write_text(SMALL)
            self.assertEqual(dpl.report(path, layout="one").step_time, dpl.report(SMALL, layout="one").step_time)

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

    def test_shards_of_a_named_study_or_search_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.dpl")
            with open(path, "w") as file:
                file.write(SMALL)
            for run, name in ((dpl.study, "sizes"), (dpl.search, "best")):
                self.assertEqual(run(path, name, map=map, shards=2), run(path, name))
            out = os.path.join(folder, "out")
            self.assertEqual(dpl.study(path, "sizes", map=map, output=out), dpl.study(path, "sizes"))
            self.assertTrue(os.listdir(out))

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


if __name__ == "__main__":
    unittest.main()
