"""Makes the Python environment in which Megatron-LM's own code runs, and keeps it in the build folder.

Megatron-LM's argument parser is in the wheel `megatron-core` from 0.17 on and needs Python 3.12; a
plain Debian 12 has 3.11. Only the standard library is used here.
"""
import contextlib
import fcntl
import glob
import hashlib
import os
import shutil
import subprocess
import sys

OLDEST, NEWEST = (3, 12), (3, 14)
UV_VERSION = "0.9.5"  # only where the machine has none
HERE = os.path.dirname(os.path.abspath(__file__))
REQUIREMENTS = os.path.join(HERE, "requirements.txt")


class Unavailable(Exception):
    """Why the environment cannot be had on this machine; the test is skipped with it."""


def run(command, timeout=60, **options):
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


def fits(python):
    found = version_of(python)
    return found is not None and OLDEST <= found <= NEWEST


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


def find_python(uv, folder):
    """A Python that Megatron-LM runs on, with `uv python install` as the last resort."""
    names = [f"python3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    candidates = [path for name in names if (path := shutil.which(name))]
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    candidates += sorted(glob.glob(os.path.join(pyenv, "versions", "*", "bin", "python")))
    candidates.append(sys.executable)
    for candidate in candidates:
        if fits(candidate):
            return candidate
    if uv is None:
        return None
    wanted = f">={OLDEST[0]}.{OLDEST[1]},<{NEWEST[0]}.{NEWEST[1] + 1}"
    found = run([*uv, "python", "find", wanted])
    if found and fits(found):
        return found
    where = dict(os.environ, UV_PYTHON_INSTALL_DIR=os.path.join(folder, "python"))
    run([*uv, "python", "install", f"{OLDEST[0]}.{OLDEST[1]}"], timeout=300, env=where)
    found = run([*uv, "python", "find", wanted], env=where)
    return found if found and fits(found) else None


@contextlib.contextmanager
def locked(folder):
    with open(os.path.join(folder, ".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(folder):
    """The environment's Python below `folder`, made on the first call and reused afterwards."""
    os.makedirs(folder, exist_ok=True)
    with open(REQUIREMENTS, "rb") as file:
        key = hashlib.sha256(file.read()).hexdigest()[:12]
    home = os.path.join(folder, f"megatron-{key}")
    python = os.path.join(home, "bin", "python")
    stamp = os.path.join(home, ".complete")  # written last: an interrupted install is started again
    with locked(folder):
        if os.path.exists(stamp) and fits(python):
            return python
        uv = uv_command(folder)
        base = find_python(uv, folder)
        if base is None:
            raise Unavailable(f"no Python {OLDEST[0]}.{OLDEST[1]} or newer was found, and uv could not install one")
        if uv is None:
            raise Unavailable("uv is not installed and could not be installed from PyPI")
        print(f"-- making {home} with {base}", flush=True)
        shutil.rmtree(home, ignore_errors=True)
        if run([*uv, "venv", "-q", "--python", base, home], timeout=300) is None:
            raise Unavailable(f"uv could not make an environment with {base}")
        install = [*uv, "pip", "install", "-q", "-p", python, "-r", REQUIREMENTS]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no message"]
            raise Unavailable("the packages could not be installed: " + " / ".join(lines[-3:]))
        with open(stamp, "w", encoding="utf-8") as file:
            file.write("complete\n")
        return python
