"""Emits and builds the C++ program of `dplc emit mpi` or `dplc emit nccl`."""
import os
import shutil
import subprocess

from device import PROCESSORS

FLAGS = "-Wall -Wextra -Wpedantic -Werror"


def run(command, timeout=300, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout, **options)


class Program:
    """One source and one build folder: between plans only plan.h differs, so that only main.cpp is
    compiled again. `configure` are further arguments of cmake."""

    def __init__(self, dplc, target, work, configure=(), flags=FLAGS):
        self.dplc, self.target = os.path.abspath(dplc), target
        self.source, self.build, self.emitted = (os.path.join(work, part) for part in ("program", "build", "emitted"))
        self.binary = os.path.join(self.build, f"plan_{target}")
        self.configure = [*configure, f"-DCMAKE_CXX_FLAGS={flags}"]
        for folder in (self.source, self.build):
            shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(work, exist_ok=True)

    def emit(self, arguments):
        """The files of another plan; `arguments` are the .dpl file and its settings."""
        shutil.rmtree(self.emitted, ignore_errors=True)
        done = run([self.dplc, "emit", self.target, *arguments, "-o", self.emitted])
        if done.returncode != 0:
            raise AssertionError(f"not emitted\n{done.stderr}")
        if not os.path.isdir(self.source):
            shutil.copytree(self.emitted, self.source)
            return
        for name in sorted(os.listdir(self.emitted)):
            new, old = (self.read(folder, name) for folder in (self.emitted, self.source))
            if name == "plan.h":
                self.write(new)
            elif not name.startswith(".") and new.split("\n")[2:] != old.split("\n")[2:]:
                raise AssertionError(f"{name} depends on the plan")

    @staticmethod
    def read(folder, name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()

    def tables(self):
        return self.read(self.source, "plan.h")

    def write(self, tables):
        with open(os.path.join(self.source, "plan.h"), "w", encoding="utf-8") as file:
            file.write(tables)

    def compile(self):
        if not os.path.exists(os.path.join(self.build, "Makefile")):
            launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            done = run(["cmake", "-S", self.source, "-B", self.build, "-G", "Unix Makefiles", *launcher,
                        "-DCMAKE_BUILD_TYPE=Debug", *self.configure])
            if done.returncode != 0:
                raise AssertionError(f"cmake failed\n{done.stdout}{done.stderr}")
        done = run(["cmake", "--build", self.build], timeout=600)
        if done.returncode != 0:
            raise AssertionError(f"not compiled\n{done.stdout}{done.stderr}")


def programs(dplc, target, work, configure=(), flags=FLAGS):
    """As many as the machine has processors, each in a folder of its own."""
    return [Program(dplc, target, os.path.join(work, str(index)), configure, flags) for index in range(PROCESSORS)]
