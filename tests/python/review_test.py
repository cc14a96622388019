"""tools/review/review.py on a repository of its own: the sentence of a change, and what breaks.

DPLC=build/release/dplc python3 tests/python/review_test.py
"""

import os
import subprocess
import sys
import tempfile
import unittest

from client import ROOT

PLAN = """import std.models
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 2, price = 2.50usd/h per gpu }
layout one for models.llama3_8b on node {
  batch = 64seq
  mesh { data = rest, tensor = 8 }
}
run train for one { phase[0] { tokens = 100Gtok } }
"""


class Review(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.git("init", "--quiet")
        self.commit(PLAN)

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def commit(self, text, name="plan.dpl"):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)
        self.git("add", name)
        self.git("commit", "--quiet", "-m", "x")

    def review(self, *words, code=0):
        run = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "review", "review.py"), *words],
                             cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout

    def test_a_change_is_a_sentence_with_time_memory_and_cost(self):
        self.commit(PLAN.replace("tensor = 8", "tensor = 4"))
        said = self.review("HEAD~1")
        self.assertRegex(said, r"\| `one` of plan.dpl \| step [+−][0-9.]+ %, peak [+−][0-9.]+ GiB, train [0-9]+ k?\$ (more|less) \|")
        self.assertEqual(self.review("HEAD~1", "HEAD"), said)
        self.assertEqual(self.review("HEAD~1", "plan.dpl"), said)

    def test_no_change_is_none(self):
        self.commit("// a comment\n" + PLAN)
        self.assertEqual(self.review("HEAD~1"), "No layout changed its step time, memory or cost.\n")

    def test_a_layout_that_breaks_is_named_and_fails(self):
        self.commit(PLAN.replace("tensor = 8", "tensor = 3"))
        self.assertIn("| `one` of plan.dpl | illegal now |", self.review("HEAD~1", code=1))
        self.commit(PLAN.replace("tensor = 8", "tensor = 1").replace("batch = 64seq", "batch = 64seq, micro_batch = 4seq"))
        self.assertIn("does not fit now; step", self.review("HEAD~2", code=1))

    def test_new_and_removed_layouts(self):
        self.commit(PLAN, "other.dpl")
        self.assertIn("| `one` of other.dpl | new |", self.review("HEAD~1"))
        self.assertIn("| `one` of other.dpl | removed |", self.review("HEAD", "HEAD~1", code=1))

    def test_wrong_arguments(self):
        self.review(code=2)
        self.review("a", "b", "c", code=2)


if __name__ == "__main__":
    unittest.main()
