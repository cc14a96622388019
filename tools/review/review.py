#!/usr/bin/env python3
"""What a commit costs: the layouts of two revisions, compared by `dplc diff`.

  tools/review/review.py origin/main              this tree against the revision
  tools/review/review.py v1 v2 plans/*.dpl        two revisions, only these files

Prints a table in Markdown, the comment of action.yml. `$DPLC` names the binary, otherwise dplc of PATH. Exit code 0, also
if layouts became worse; 1 if a layout that was legal and fitted is not or does not; 2 for wrong arguments.
"""

import json
import os
import subprocess
import sys
import tempfile

DPLC = os.environ.get("DPLC", "dplc")


def git(*words):
    return subprocess.run(["git", *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def dplc(folder, *words):
    """The JSON of a command in a folder; None if the layout or the file is wrong."""
    run = subprocess.run([DPLC, *words, "--json"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(run.stdout) if run.stdout.strip() else None


def layouts(folder, path):
    """The verdict of each layout of a file: whether it is legal and fits."""
    if not os.path.exists(os.path.join(folder, path)):
        return {}
    answer = dplc(folder, "check", path, "--no-advice") or {"layouts": []}
    return {
        one["plan"]["name"]: all(rank["peak_bytes"] <= rank["usable_bytes"] for rank in one["memory"]["ranks"])
        for one in answer["layouts"]
    }


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


def review(before, after, paths):
    """Rows of the table, and whether a layout broke."""
    rows, broke = [], False
    for path in paths:
        old, new = layouts(before, path), layouts(after, path)
        for name in sorted({**old, **new}):
            place = f"`{name}` of {path}"
            if name not in new:
                broke = broke or bool(old[name])
                rows.append((place, "illegal now" if os.path.exists(os.path.join(after, path)) else "removed"))
            elif name not in old:
                rows.append((place, "new" if new[name] else "new, does not fit"))
            else:
                difference = dplc(after, "diff", os.path.join(before, path), path, "--layout", name, "--against", name)
                said = sentence(difference["figures"]) if difference else ""
                if old[name] and not new[name]:
                    broke, said = True, f"does not fit now; {said}"
                elif new[name] and not old[name]:
                    said = f"fits now; {said}"
                if said:
                    rows.append((place, said.rstrip("; ")))
    return rows, broke


def main(words):
    if not words or words[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    revisions = [word for word in words if not word.endswith(".dpl")]
    if len(revisions) > 2:
        print(f"review: at most two revisions, found {' '.join(revisions)}", file=sys.stderr)
        return 2
    paths = [word for word in words if word.endswith(".dpl")]
    os.chdir(git("rev-parse", "--show-toplevel").strip())
    with tempfile.TemporaryDirectory() as scratch:
        folders = []
        for revision in revisions:
            folders.append(os.path.join(scratch, str(len(folders))))
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", folders[-1], revision], check=True)
        try:
            after = folders[1] if len(folders) > 1 else os.getcwd()
            if not paths:
                # Imports count too, so all files that changed or import others are compared.
                listed = set(git("ls-files", "*.dpl").split("\n")) if len(folders) == 1 else set()
                for folder in folders:
                    listed |= set(subprocess.run(["git", "ls-files", "*.dpl"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n"))
                paths = sorted(listed - {""})
            rows, broke = review(folders[0], after, paths)
        finally:
            for folder in folders:
                subprocess.run(["git", "worktree", "remove", "--force", folder], check=False)
    if not rows:
        print("No layout changed its step time, memory or cost.")
    else:
        print("| layout | change |\n|---|---|")
        for place, said in rows:
            print(f"| {place} | {said} |")
    return 1 if broke else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
