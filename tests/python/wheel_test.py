"""The wheel: built from the tree, installed offline in a fresh environment, used there.

DPLC=build/release/dplc python3 tests/python/wheel_test.py
"""

import glob
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

from client import DPLC, EXAMPLE, ROOT, dplc


def run(*words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, done.stdout
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", cls.folder, cwd=ROOT, env={**os.environ, "DPLC": DPLC})
        (cls.wheel,) = glob.glob(os.path.join(cls.folder, "*.whl"))

    def test_its_name_and_size(self):
        self.assertRegex(os.path.basename(self.wheel), r"^dpl_compiler-[0-9.]+-py3-none-manylinux_2_17_x86_64\.musllinux_1_1_x86_64\.whl$")
        self.assertLessEqual(os.path.getsize(self.wheel), 7_000_000)

    def test_what_it_holds(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = {one.filename: one for one in wheel.infolist()}
        self.assertTrue(names["dpl/bin/dplc"].external_attr >> 16 & stat.S_IXUSR)
        self.assertIn("dpl/py.typed", names)
        self.assertFalse([name for name in names if "test" in name or "build_hook" in name])

    def test_the_binary_needs_no_library(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            self.assertNotIn(b"/lib64/ld-linux", wheel.read("dpl/bin/dplc")[:4096])

    def test_it_installs_offline_and_answers(self):
        place = os.path.join(self.folder, "environment")
        run(sys.executable, "-m", "venv", place)
        run(os.path.join(place, "bin", "pip"), "install", "--no-index", "--quiet", self.wheel)
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.folder}
        self.assertEqual(run(os.path.join(place, "bin", "dplc"), "check", EXAMPLE, env=environment), dplc("check", EXAMPLE))
        code = f"import dpl; print(dpl.report({EXAMPLE!r}).step_time)"
        said = run(os.path.join(place, "bin", "python"), "-c", code, env=environment, cwd=self.folder)
        self.assertEqual(said.strip(), dplc("report", "--figures=step_time", "--json", EXAMPLE).split('"value": ')[1].split(",")[0])

    def test_missing_packages_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            query = os.path.join(folder, "dpkg-query")
            with open(query, "w") as script:
                script.write("#!/bin/sh\ncase \"$*\" in *cmake*|*antlr4*) exit 1 ;; esac\necho installed\n")
            os.chmod(query, 0o755)
            done = subprocess.run(
                [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, text=True,
                env={**{k: v for k, v in os.environ.items() if k != "DPLC"}, "PATH": f"{folder}:{os.environ['PATH']}"},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("these Debian packages are missing: cmake antlr4 libantlr4-runtime-dev\n`tools/setup`", done.stdout)

    def test_the_types_are_strict(self):
        self.assertIn("Success", run("mypy", "--strict", "--python-version", "3.9", "python/dpl", cwd=ROOT))


if __name__ == "__main__":
    unittest.main()
