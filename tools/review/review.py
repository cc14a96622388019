#!/usr/bin/env python3
"""What a commit costs: the layouts of two revisions, compared by `dplc diff`.

  tools/review/review.py origin/main              this tree against the revision
  tools/review/review.py v1 v2 plans/*.dpl        two revisions, only these files

Prints a table in Markdown, the comment of action.yml. This tree includes files that git does not track and does not
ignore. `$DPLC` names the binary, otherwise dplc of PATH.

Exit code 0, also if layouts became slower or were removed; 1 if a file has errors and had none, or if a layout does
not fit and did or is new; 2 with one line for wrong arguments, or if git or dplc fails.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

DPLC = os.environ.get("DPLC") or "dplc"


class Stop(Exception):
    """Why there is no comparison, in one line."""


def output(words, folder=None, **environment):
    """Exit code, standard output and error of a program. Every name of a file survives the decoding."""
    run = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment})
    return run.returncode, os.fsdecode(run.stdout), os.fsdecode(run.stderr)


def git(*words, folder=None, **environment):
    try:
        failed, said, error = output(["git", *words], folder, **environment)
    except FileNotFoundError:
        raise Stop("there is no program `git`") from None
    if failed:
        raise Stop((error.strip().splitlines() or [f"git {words[0]} failed"])[0])
    return said


def dplc(folder, command, files, *options):
    """The JSON of a command in a folder; None if it prints none because a file has errors."""
    failed, said, _ = output([DPLC, command, *options, "--json", "--", *files], folder)
    if failed not in (0, 1) or (command == "check" and not said):
        raise Stop(f"`dplc {command}` of {files[-1]!r} fails with exit code {failed}")
    return json.loads(said) if said else None


def code(name):
    """A name as code in a cell of a table. Entities keep Markdown, HTML and mentions of GitHub out of unusual names."""
    if re.fullmatch(r"[\w./+ -]+", name):
        return f"`{name}`"
    return f"<code>{''.join(one if one.isalnum() else f'&#{ord(one)};' for one in name)}</code>"


class File:
    """What `dplc check` says of a file in a folder, which may not have it."""

    def __init__(self, folder, path):
        self.path = os.path.join(folder, path)
        self.exists = os.path.exists(self.path)
        self.errors = []  # codes, without those of layouts that do not fit
        self.fits = {}  # by name of the layout
        self.hashes = {}  # of plans, by name of the layout
        if not self.exists:
            return
        answer = dplc(folder, "check", [path], "--no-advice")
        for one in answer["diagnostics"]:
            if one["severity"] == "error" and not one["name"].endswith("out-of-memory") and one["code"] not in self.errors:
                self.errors.append(one["code"])
        for one in answer["layouts"]:
            memory = one["memory"]
            host = memory.get("host")
            name = one["plan"]["name"]
            self.hashes[name] = one["plan"]["hash"]
            self.fits[name] = (not host or host["fits"]) and all(
                rank["peak_bytes"] <= rank["usable_bytes"] for rank in memory["ranks"]
            )

    def names(self, layout):
        """Whether the text has the name of a layout, so that the layout is wrong and not removed."""
        if not self.exists:
            return False
        with open(self.path, encoding="utf-8", errors="replace") as file:
            return re.search(rf"\b{re.escape(layout)}\b", file.read()) is not None


def money(dollars):
    size = abs(dollars)
    text = f"{size / 1e6:.1f} M$" if size >= 1e6 else f"{size / 1e3:.0f} k$" if size >= 1e4 else f"{size:.0f} $"
    return f"{text} {'more' if dollars > 0 else 'less'}"


def sentence(figures):
    """"step +3.1 %, peak −2.0 GiB, 41 k$ more" from the different figures of two layouts."""
    by_path = {one["path"]: one for one in figures}
    parts = []

    def sides(path):
        one = by_path.get(path)
        if not one or not one["first"] or not one["second"] or None in (one["first"]["value"], one["second"]["value"]):
            return None
        return one["first"]["value"], one["second"]["value"]

    if step := sides("step_time"):
        parts.append(f"step {100 * (step[1] / step[0] - 1):+.1f} %")
    if peak := sides("memory.peak"):
        parts.append(f"peak {(peak[1] - peak[0]) / 2**30:+.1f} GiB")
    for path, one in by_path.items():
        if path.startswith("run[") and path.endswith("].cost") and (cost := sides(path)):
            parts.append(f"{path[4:-6]} {money(cost[1] - cost[0])}")
    return ", ".join(parts).replace("-", "−")


def compared(before, after, path, former):
    """Rows of a file, which had a former path, and whether it broke."""
    old, new = File(before, former), File(after, path)
    shown = code(path) if path == former else f"{code(path)}, formerly {code(former)}"
    rows, broke = [], False
    if new.errors and not old.errors:
        broke = True
        rows.append((shown, f"{'has errors now' if old.exists else 'new, has errors'}: {', '.join(new.errors)}"))
    for name in sorted({**old.fits, **new.fits}):
        place = f"{code(name)} of {shown}"
        if name not in new.fits:
            illegal = bool(new.errors) and new.names(name)
            broke = broke or illegal
            rows.append((place, "illegal now" if illegal else "removed"))
        elif name not in old.fits:
            broke = broke or not new.fits[name]
            rows.append((place, "new" if new.fits[name] else "new, does not fit"))
        else:
            difference = dplc(after, "diff", [old.path, path], f"--layout={name}", f"--against={name}")
            if difference:
                said = sentence(difference["figures"])
            else:
                said = "changed, but errors prevent the comparison" if old.hashes[name] != new.hashes[name] else ""
            if old.fits[name] and not new.fits[name]:
                broke, said = True, f"does not fit now; {said}"
            elif new.fits[name] and not old.fits[name]:
                said = f"fits now; {said}"
            if said:
                rows.append((place, said.rstrip("; ")))
    return rows, broke


def listed(folder):
    """The .dpl files of a folder, also those that git does not track and does not ignore."""
    paths = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.dpl", folder=folder).split("\0")
    return {path for path in paths if os.path.isfile(os.path.join(folder, path))}


def renamed(before, after, folder, revision, scratch):
    """The former path of each renamed file, as git finds it, from the files of a revision and those of a folder."""
    gone, fresh = sorted(before - after), sorted(after - before)
    if not gone or not fresh:
        return {}
    # Only an index of its own can list files that git does not track.
    index = {"GIT_INDEX_FILE": os.path.join(scratch, "index"), "GIT_LITERAL_PATHSPECS": "1"}
    git("read-tree", revision, folder=folder, **index)
    git("add", "--intent-to-add", "--force", "--", *fresh, folder=folder, **index)
    found = git("diff", "--find-renames", "--diff-filter=R", "--name-status", "-z", revision, "--", *gone, *fresh, folder=folder, **index)
    words = found.split("\0")  # "R097", the former path, the path, ..., ""
    return dict(zip(words[2::3], words[1::3]))


def review(revisions, paths):
    """The rows of all files, and whether one broke. Without paths all files are compared, because imports count too."""
    with tempfile.TemporaryDirectory() as scratch:
        folders = []
        try:
            for revision in revisions:
                folder = os.path.join(scratch, str(len(folders)))
                git("worktree", "add", "--quiet", "--detach", folder, revision)
                folders.append(folder)
            before, after = folders[0], folders[1] if len(folders) > 1 else os.getcwd()
            for path in paths:
                if not any(os.path.isfile(os.path.join(folder, path)) for folder in (before, after)):
                    raise Stop(f"there is no file {path} in either tree")
            old, new = listed(before), listed(after)
            former = renamed(old, new, after, revisions[0], scratch)
            moved = {one: path for path, one in former.items()}
            paths = dict.fromkeys(moved.get(path, path) for path in paths or sorted(old | new))
            rows, broke = [], False
            for path in paths:
                more, worse = compared(before, after, path, former.get(path, path))
                rows, broke = rows + more, broke or worse
            return rows, broke
        finally:
            for folder in folders:
                subprocess.run(["git", "worktree", "remove", "--force", folder], check=False)


def main(words):
    global DPLC
    if words and words[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    paths = [word for word in words if word.endswith(".dpl")]
    names = [word for word in words if not word.endswith(".dpl")]
    if not 1 <= len(names) <= 2:
        raise Stop(f"one or two revisions are needed, found {' '.join(names) or 'none'}; files end in .dpl")
    found = shutil.which(DPLC)
    if not found:
        raise Stop(f"there is no program `{DPLC}`; $DPLC names the binary")
    DPLC = os.path.abspath(found)
    top = git("rev-parse", "--show-toplevel").strip()
    revisions = []
    for name in names:
        try:
            revisions.append(git("rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}").strip())
        except Stop:
            raise Stop(f"there is no revision `{name}`") from None
    # Paths are those of the folder in which the user is.
    paths = list(dict.fromkeys(os.path.relpath(os.path.realpath(path), os.path.realpath(top)) for path in paths))
    for path in paths:
        if path.startswith(".." + os.sep):
            raise Stop(f"{path} is not in the repository {top}")
    os.chdir(top)
    rows, broke = review(revisions, paths)
    if not rows:
        print("No layout changed its step time, memory or cost.")
    else:
        print("| layout | change |\n|---|---|")
        for place, said in rows:
            print(f"| {place} | {said} |")
    return 1 if broke else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `| head` ends the program without a traceback
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        print(f"review: {stop}", file=sys.stderr)
        sys.exit(2)
