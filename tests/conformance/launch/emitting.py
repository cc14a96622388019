"""What the tests of the launchers share: emitting a folder, and stand-ins for programs."""
import os
import shutil
import subprocess

SKIPPED = 77
HERE = os.path.dirname(os.path.abspath(__file__))


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
