"""Folders that `dplc emit` writes: of given plans, of one with a hostile name, of random layouts that dplc takes."""
import concurrent.futures
import os
import shutil
import subprocess

import draw
from device import PROCESSORS

TRIES = 12  # draws for each random layout that is wanted
HOSTILE = "it's \"two\" $(false) `false`; ünï #"


class Emitter:
    """Emits folders of one target below `out`. `beside` maps a file's name to the arguments of dplc that write it
    into each, for a target whose own files do not hold the plan: {"report.json": ("report", "--json")}."""

    def __init__(self, dplc, target, out, beside=()):
        self.dplc, self.target, self.out, self.beside = dplc, target, out, dict(beside)

    def emit(self, source, folder):
        """Writes the folder anew; what dplc says on failure, or None."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        done = self._run("emit", self.target, source, "-o", folder)
        if done.returncode != 0:
            return (done.stderr or done.stdout).strip() or f"ended with {done.returncode}"
        for name, arguments in self.beside.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(self._run(*arguments, source).stdout)
        return None

    def _run(self, *arguments):
        return subprocess.run([self.dplc, *arguments], capture_output=True, text=True, check=False)

    def given(self, sources):
        """(folders, failures). A source is a .dpl file, or a folder that was emitted."""
        folders, failed = [], 0
        for source in sources:
            if os.path.isdir(source):
                folders.append(source)
                continue
            folder = os.path.join(self.out, os.path.splitext(os.path.basename(source))[0])
            error = self.emit(source, folder)
            if error is None:
                folders.append(folder)
            else:
                print(f"FAILED   {source}: not emitted\n{error}")
                failed += 1
        return folders, failed

    def hostile(self, source):
        """A folder with a name that a shell would take apart, of a plan whose file has such a name too."""
        copy, folder = os.path.join(self.out, f"{HOSTILE}\nfalse.dpl"), os.path.join(self.out, HOSTILE)
        os.makedirs(self.out, exist_ok=True)
        shutil.copyfile(source, copy)
        error = self.emit(copy, folder)
        if error:
            print(f"FAILED   {copy!r}: not emitted\n{error}")
        return folder

    def random(self, layouts, count):
        """(folders of the first `count` of the layouts that dplc takes, failures). A layout that it turns down is
        passed over; one at which it dies, or without a message, is a failure, and so are too few folders."""
        out = os.path.join(self.out, "random")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)

        def attempt(layout):
            source, folder = (os.path.join(out, f"{layout.index:04}{end}") for end in (".dpl", ""))
            with open(source, "w", encoding="utf-8") as file:
                file.write(layout.dpl())
            return folder, self.emit(source, folder)

        folders, failed, refused = [], 0, 0
        with concurrent.futures.ThreadPoolExecutor(max_workers=PROCESSORS) as pool:
            for start in range(0, len(layouts), 16):
                for folder, error in pool.map(attempt, layouts[start:start + 16]):
                    if error is None and len(folders) < count:
                        folders.append(folder)
                    elif error and "[DPL" not in error:
                        print(f"FAILED   {folder}.dpl: {error}")
                        failed += 1
                    else:
                        refused += error is not None
                if len(folders) == count:
                    break
        print(f"-- {len(folders)} random layouts; dplc refused {refused} others", flush=True)
        return folders, failed + (len(folders) < count)


def random_layouts(seed, count, adjust):
    """Draws enough for `count` legal ones, brought near to what a target knows."""
    layouts = draw.draws(count * TRIES, f"legal {seed}")
    for layout in layouts:
        adjust(layout)
    return layouts
