"""What the tests of the launchers share: emitting a folder, and stand-ins for programs."""
import argparse
import os
import shutil
import subprocess
import sys

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "common"))

import environment  # noqa: E402


class Skipped(Exception):
    """Why a test cannot run on this machine."""


def need(*programs):
    """Their paths; sbin folders are searched too, which a user's PATH lacks."""
    where = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    paths = [shutil.which(program, path=where) for program in programs]
    missing = [program for program, path in zip(programs, paths) if path is None]
    if missing:
        raise Skipped(f"{', '.join(missing)} is not installed")
    return paths


def emit(dplc, targets, source, folder, *options):
    """Writes the folder anew. Raises what dplc says when it refuses."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run([dplc, "emit", *targets, source, "-o", folder, *options], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{source} was not emitted:\n{done.stderr or done.stdout}")
    return folder


def plan(name):
    return os.path.join(HERE, "plans", name + ".dpl")


def stand_in(folder, name, text):
    """An executable file in the place of a program."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def command(description, test, requirements=None, example=False):
    """Runs `test(given)`, with `given.work` for its folders and, where it has requirements, `given.python` of their
    environment. The exit status: what the test returns, 1 when it raises, 77 when it cannot run here."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--dplc", required=True)
    options.add_argument("--work", required=True, help="where folders are emitted to")
    if requirements:
        options.add_argument("--environment", default="build/conformance")
    if example:
        options.add_argument("--example", help="examples/pretrain_run.dpl")
    given = options.parse_args()
    given.work = os.path.abspath(given.work)
    try:
        if requirements:
            given.python = environment.make(os.path.abspath(given.environment), os.path.join(HERE, requirements))
        return test(given) or 0
    except (Skipped, environment.Unavailable) as why:
        print(f"skipped: {why}")
        return SKIPPED
    except (AssertionError, ValueError, SyntaxError, subprocess.TimeoutExpired) as error:
        print(f"FAILED   {error}")
        return 1
