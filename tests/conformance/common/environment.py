"""Makes Python environments in which the targets' own code runs, and keeps them in the build folder.

Each is named by a file of pinned requirements, whose first line says what Python it needs:
`# python 3.12-3.14`. Megatron-LM's argument parser is in the wheel `megatron-core` from 0.17 on, which
needs 3.12; a plain Debian 12 has 3.11. Only the standard library is used here.
"""
import contextlib
import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys

UV_VERSION = "0.9.5"  # only where the machine has none


class Unavailable(Exception):
    """Why the environment cannot be had on this machine; the test is skipped with it."""


def run(command, timeout=300, **options):
    """Standard output of a command, or None when it is not there, fails or takes too long."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def version_of(python):
    text = run([python, "-c", "import sys; print(*sys.version_info[:2])"])
    try:
        return tuple(int(part) for part in text.split())
    except (AttributeError, ValueError):
        return None


class Pythons:
    """The versions that a requirements file asks for."""

    def __init__(self, requirements):
        with open(requirements, encoding="utf-8") as file:
            words, *others = (line.split() for line in file)
        # `# alone NAME==VERSION`: a package whose own requirements a machine without a GPU cannot have.
        self.alone = [line[2] for line in others if line[:2] == ["#", "alone"]]
        if words[:2] != ["#", "python"]:
            raise ValueError(f"{requirements} begins with no line `# python 3.12-3.14`")
        self.oldest, self.newest = (tuple(map(int, v.split("."))) for v in words[2].split("-"))

    def fit(self, python):
        found = version_of(python)
        return found is not None and self.oldest <= found <= self.newest

    def names(self):
        return [f"python3.{minor}" for minor in range(self.oldest[1], self.newest[1] + 1)]

    def oldest_text(self):
        return f"{self.oldest[0]}.{self.oldest[1]}"

    def wanted(self):
        return f">={self.oldest_text()},<{self.newest[0]}.{self.newest[1] + 1}"


def uv_command(folder):
    """How to call uv: the machine's, or one installed from PyPI into `folder`; None when neither."""
    for command in (["uv"], [sys.executable, "-m", "uv"]):
        if run([*command, "--version"]):
            return command
    own = os.path.join(folder, "uv")
    program = os.path.join(own, "bin", "uv")
    if run([program, "--version"]):
        return [program]
    if run([sys.executable, "-m", "venv", own]) is None:
        return None
    pip = [os.path.join(own, "bin", "python"), "-m", "pip", "install", "-q", f"uv=={UV_VERSION}"]
    return [program] if run(pip, timeout=300) is not None else None


def find_python(pythons, uv, folder):
    """A Python of these versions, with `uv python install` as the last resort."""
    candidates = [path for name in pythons.names() if (path := shutil.which(name))]
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    candidates += sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python")))
    candidates.append(sys.executable)
    for candidate in candidates:
        if pythons.fit(candidate):
            return candidate
    if uv is None:
        return None
    found = run([*uv, "python", "find", pythons.wanted()])
    if found and pythons.fit(found):
        return found
    where = dict(os.environ, UV_PYTHON_INSTALL_DIR=os.path.join(folder, "python"))
    run([*uv, "python", "install", pythons.oldest_text()], timeout=300, env=where)
    found = run([*uv, "python", "find", pythons.wanted()], env=where)
    return found if found and pythons.fit(found) else None


def variables(**more):
    """Variables for a program of an environment: its compiled modules are kept, so the next run starts sooner, and no
    device of this machine is seen, so that every machine gives the same answers."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "CUDA_VISIBLE_DEVICES": "", **more}


@contextlib.contextmanager
def locked(folder):
    with open(os.path.join(folder, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(folder, requirements):
    """The Python of the environment `requirements` below `folder`, made on the first call and reused."""
    os.makedirs(folder, exist_ok=True)
    pythons = Pythons(requirements)
    with open(requirements, "rb") as file:
        key = hashlib.sha256(file.read()).hexdigest()[:12]
    name = os.path.splitext(os.path.basename(requirements))[0]
    home = os.path.join(folder, f"{name}-{key}")
    python = os.path.join(home, "bin", "python")
    stamp = os.path.join(home, ".complete")  # written last: an interrupted install is started again

    def complete():
        return os.path.exists(stamp) and pythons.fit(python)

    if complete():  # no test waits for the environment of another
        return python
    with locked(folder):
        if complete():
            return python
        uv = uv_command(folder)
        base = find_python(pythons, uv, folder)
        if base is None:
            raise Unavailable(f"no Python {pythons.wanted()} was found, and uv could not install one")
        if uv is None:
            raise Unavailable("uv is not installed and could not be installed from PyPI")
        print(f"-- making {home} with {base}", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        if run([*uv, "venv", "-q", "--python", base, home], timeout=300) is None:
            raise Unavailable(f"uv could not make an environment with {base}")
        install = [*uv, "pip", "install", "-q", "-p", python, "-r", requirements]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if alone := pythons.alone:
            alone = [*uv, "pip", "install", "-q", "-p", python, "--no-deps", *alone]
            done = done if done.returncode else subprocess.run(alone, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise Unavailable("the packages could not be installed: " + " / ".join(lines[-3:]))
        with open(stamp, "w", encoding="utf-8") as file:
            file.write("complete\n")
        return python


if __name__ == "__main__":
    # environment.py FOLDER REQUIREMENTS...: makes these at once, before tests ask for them one after another.
    for wanted in sys.argv[2:]:
        try:
            make(os.path.abspath(sys.argv[1]), wanted)
        except Unavailable as reason:
            print(f"{wanted}: {reason}")
