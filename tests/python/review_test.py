"""tools/review/review.py on a repository of its own: the sentence of a change, and what breaks.

DPLC=build/release/dplc python3 tests/python/review_test.py
"""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from client import DPLC, ROOT

PLAN = """import std.models
import std.clusters
cluster node from clusters.dgx_h100 { nodes = 2, price = 2.50usd/h per gpu }
layout one for models.llama3_8b on node {
  batch = 64seq
  mesh { data = rest, tensor = 8 }
}
run train for one { phase[0] { tokens = 100Gtok } }
"""
TOOL = os.path.join(ROOT, "tools", "review", "review.py")


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
        self.git("add", "--", name)
        self.git("commit", "--quiet", "-m", "x")

    def review(self, *words, code=0, folder="", dplc=DPLC):
        run = subprocess.run([sys.executable, TOOL, *words],
                             cwd=os.path.join(self.folder, folder), capture_output=True, text=True, env={**os.environ, "DPLC": dplc})
        self.assertEqual(run.returncode, code, run.stderr)
        if code == 2 and words:
            self.assertEqual(run.stdout, "")
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
            return run.stderr
        return run.stdout

    def test_a_change_is_a_sentence_with_time_memory_and_cost(self):
        self.commit(PLAN.replace("tensor = 8", "tensor = 4"))
        said = self.review("HEAD~1")
        self.assertRegex(said, r"\| `one` of `plan.dpl` \| step [+−][0-9.]+ %, peak [+−][0-9.]+ GiB, train [0-9]+ k?\$ (more|less) \|")
        self.assertEqual(self.review("HEAD~1", "HEAD"), said)
        self.assertEqual(self.review("HEAD~1", "plan.dpl"), said)

    def test_no_change_is_none(self):
        self.commit("// a comment\n" + PLAN)
        self.assertEqual(self.review("HEAD~1"), "No layout changed its step time, memory or cost.\n")

    def test_a_layout_that_breaks_is_named_and_fails(self):
        self.commit(PLAN.replace("tensor = 8", "tensor = 3"))
        said = self.review("HEAD~1", code=1)
        self.assertIn("| `plan.dpl` | has errors now: DPL0303 |\n| `one` of `plan.dpl` | illegal now |", said)
        self.commit(PLAN.replace("tensor = 8", "tensor = 1").replace("batch = 64seq", "batch = 64seq, micro_batch = 4seq"))
        self.assertIn("does not fit now; step", self.review("HEAD~2", code=1))

    def test_errors_beside_a_legal_layout_fail(self):
        for text, code in ((PLAN + "assert one.step_time < 1ms\n", "DPL0121"), (PLAN + "let two = = 2\n", "DPL0016")):
            self.commit(text)
            self.assertRegex(self.review("HEAD~1", code=1), rf"\| `plan.dpl` \| has errors now: {code}")
            self.commit("// still wrong\n" + text)
            self.assertIn("No layout changed", self.review("HEAD~1"))
            self.commit(text.replace("tensor = 8", "tensor = 4"))
            self.assertIn("| `one` of `plan.dpl` | changed, but errors prevent the comparison |", self.review("HEAD~1"))
            self.commit(PLAN)

    def test_new_removed_and_renamed_layouts(self):
        self.commit(PLAN, "other.dpl")
        self.assertIn("| `one` of `other.dpl` | new |", self.review("HEAD~1"))
        self.assertIn("| `one` of `other.dpl` | removed |", self.review("HEAD", "HEAD~1"))
        self.commit(PLAN.replace("layout one", "layout two").replace("for one", "for two"), "other.dpl")
        self.assertIn("| `one` of `other.dpl` | removed |\n| `two` of `other.dpl` | new |", self.review("HEAD~1"))
        self.commit(PLAN.replace("one", "three") + "assert false\n", "other.dpl")
        self.assertIn("| `two` of `other.dpl` | removed |", self.review("HEAD~1", code=1))
        self.commit(PLAN.replace("tensor = 8", "tensor = 1").replace("batch = 64seq", "batch = 64seq, micro_batch = 4seq"), "large.dpl")
        self.assertIn("| `one` of `large.dpl` | new, does not fit |", self.review("HEAD~1", code=1))
        self.commit(PLAN.replace("tensor = 8", "tensor = 3"), "wrong.dpl")
        self.assertIn("| `wrong.dpl` | new, has errors: DPL0303 |", self.review("HEAD~1", code=1))

    def test_a_renamed_file_is_compared(self):
        self.git("mv", "plan.dpl", "moved.dpl")
        self.git("commit", "--quiet", "-m", "x")
        self.assertIn("No layout changed", self.review("HEAD~1"))
        os.rename(os.path.join(self.folder, "moved.dpl"), os.path.join(self.folder, "again.dpl"))
        with open(os.path.join(self.folder, "again.dpl"), "w") as file:
            file.write(PLAN.replace("tensor = 8", "tensor = 4"))
        said = self.review("HEAD~1")
        self.assertRegex(said, r"\| `one` of `again.dpl`, formerly `plan.dpl` \| step .*\n$")
        self.assertEqual(self.review("HEAD~1", "again.dpl"), said)
        self.assertEqual(self.review("HEAD~1", "plan.dpl"), said)
        with open(os.path.join(self.folder, "moved.dpl"), "w") as file:
            file.write("let other = 1\n")
        self.assertEqual(self.review("HEAD~1"), said)

    def test_unusual_names_of_files_stay_in_their_cell(self):
        names = ("-d.dpl", "a b.dpl", "a|b`.dpl", "<img src=x>\r\n@all.dpl", os.fsdecode(b"\xff_.dpl"))
        for name in names:
            self.commit(PLAN, name)
        for name in names:
            self.commit(PLAN.replace("tensor = 8", "tensor = 4"), name)
        rows = self.review("HEAD~5").splitlines()[2:]
        for place in ("`-d.dpl`", "`a b.dpl`", "<code>a&#124;b&#96;&#46;dpl</code>",
                      "<code>&#60;img&#32;src&#61;x&#62;&#13;&#10;&#64;all&#46;dpl</code>", "<code>&#56575;&#95;&#46;dpl</code>"):
            self.assertEqual(len([row for row in rows if row.startswith(f"| `one` of {place} | step ")]), 1, rows)
        self.assertEqual(len(rows), 5)
        self.assertIn("`one` of `-d.dpl` | step", self.review("HEAD~5", "HEAD", "./-d.dpl"))

    def test_a_check_that_fails_is_not_skipped(self):
        for command in ("check", "diff"):
            failing = os.path.join(self.enterContext(tempfile.TemporaryDirectory()), "dplc")
            with open(failing, "w") as file:
                file.write(f'#!/bin/sh\n[ "$1" = {command} ] && exit 3\nexec "{os.path.abspath(DPLC)}" "$@"\n')
            os.chmod(failing, 0o755)
            self.assertIn(f"`dplc {command}` of 'plan.dpl' fails with exit code 3", self.review("HEAD", dplc=failing, code=2))

    def test_a_closed_output_is_no_traceback(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([sys.executable, TOOL, "HEAD"], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "DPLC": DPLC})
        os.close(writer)
        self.assertEqual(run.stderr, "")
        self.assertEqual(os.listdir(os.path.join(self.folder, ".git")).count("worktrees"), 0)

    def test_the_action_edits_its_own_comment_and_fails_if_the_review_does(self):
        with open(os.path.join(ROOT, "action.yml")) as file:
            step = file.read().split("- name: Comment what it costs\n")[1].split("    - name:")[0]
        script = textwrap.dedent(step.split("      run: |\n")[1])
        temp = self.enterContext(tempfile.TemporaryDirectory())
        self.git("branch", "-m", "main")
        self.git("clone", "--quiet", "--bare", self.folder, os.path.join(temp, "origin"))
        self.git("remote", "add", "origin", "file://" + os.path.join(temp, "origin"))
        self.commit(PLAN.replace("tensor = 8", "tensor = 3"))
        with open(os.path.join(temp, "gh"), "w") as file:
            file.write('#!/bin/sh\n[ "$2" = --paginate ] && printf "$IDS" || echo "$@" >> "$RUNNER_TEMP/calls"\n')
        os.chmod(os.path.join(temp, "gh"), 0o755)

        def comment(ids, dplc=DPLC):
            environment = {"PATH": temp + ":" + os.environ["PATH"], "IDS": ids, "DPLC": os.path.abspath(dplc), "COMMENTS": "repos/o/r/issues/7/comments",
                           "RUNNER_TEMP": temp, "GITHUB_ACTION_PATH": ROOT, "GITHUB_BASE_REF": "main", "GITHUB_REPOSITORY": "o/r"}
            return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder, stderr=subprocess.DEVNULL,
                                  env={**os.environ, **environment}).returncode

        self.assertEqual([comment(""), comment("5\n6\n")], [0, 0])
        with open(os.path.join(temp, "review.md")) as file:
            self.assertRegex(file.read(), r"^<!-- dplc review -->\n\| layout [^$]*illegal now")
        self.assertNotEqual(comment("", "/no/dplc"), 0)
        with open(os.path.join(temp, "calls")) as file:
            self.assertEqual(file.read(), f"api --silent repos/o/r/issues/7/comments --field body=@{temp}/review.md\n"
                                          f"api --silent --method PATCH repos/o/r/issues/comments/5 --field body=@{temp}/review.md\n")

    def test_files_that_git_does_not_track_are_compared(self):
        with open(os.path.join(self.folder, "new.dpl"), "w") as file:
            file.write(PLAN)
        self.assertIn("| `one` of `new.dpl` | new |", self.review("HEAD"))
        with open(os.path.join(self.folder, ".gitignore"), "w") as file:
            file.write("new.dpl\n")
        self.assertNotIn("new.dpl", self.review("HEAD"))

    def test_paths_are_those_of_the_current_folder(self):
        os.mkdir(os.path.join(self.folder, "plans"))
        self.commit(PLAN, "plans/plan.dpl")
        self.commit(PLAN.replace("tensor = 8", "tensor = 4"), "plans/plan.dpl")
        said = self.review("HEAD~1", "plan.dpl", folder="plans")
        self.assertIn("`one` of `plans/plan.dpl` | step", said)
        self.assertEqual(self.review("HEAD~1", folder="plans"), said)
        self.assertIn("No layout changed", self.review("HEAD~1", "../plan.dpl", folder="plans"))
        self.assertIn("no file plans/none.dpl", self.review("HEAD~1", "none.dpl", folder="plans", code=2))
        self.assertIn("not in the repository", self.review("HEAD~1", "/no/plan.dpl", code=2))

    def test_wrong_arguments(self):
        self.review(code=2)
        self.assertIn("Exit code 0,", self.review("-h"))
        self.assertEqual(self.review("--help"), self.review("-h"))
        self.assertIn("found a b c;", self.review("a", "b", "c", code=2))
        self.assertIn("found none;", self.review("plan.dpl", code=2))
        self.assertIn("no revision `nowhere`", self.review("nowhere", code=2))
        self.assertIn("no program `/no/dplc`; $DPLC", self.review("HEAD", dplc="/no/dplc", code=2))
        with tempfile.TemporaryDirectory() as self.folder:
            self.assertIn("not a git repository", self.review("HEAD", code=2))


if __name__ == "__main__":
    unittest.main()
