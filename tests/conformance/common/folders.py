"""Folders that `dplc emit` writes: of given plans, of one with a hostile name, of random layouts that dplc takes."""
import concurrent.futures
import os
import shutil
import subprocess

import draw

TRIES = 12  # draws for each random layout that is wanted
HOSTILE = "it's \"two\" $(false) `false`; ünï #"


def emit(dplc, target, source, folder):
    """Writes the folder anew; what dplc says on failure, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = subprocess.run([dplc, "emit", target, source, "-o", folder], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else (done.stderr or done.stdout).strip() or f"ended with {done.returncode}"


def emit_given(dplc, target, sources, out):
    """(folders, failures). A source is a .dpl file, or a folder that was emitted."""
    folders, failed = [], 0
    for source in sources:
        if os.path.isdir(source):
            folders.append(source)
            continue
        folder = os.path.join(out, os.path.splitext(os.path.basename(source))[0])
        error = emit(dplc, target, source, folder)
        if error is None:
            folders.append(folder)
        else:
            print(f"FAILED   {source}: not emitted\n{error}")
            failed += 1
    return folders, failed


def emit_hostile(dplc, target, source, out):
    """A folder with a name that a shell would take apart, of a plan whose file has such a name too."""
    copy, folder = os.path.join(out, f"{HOSTILE}\nfalse.dpl"), os.path.join(out, HOSTILE)
    os.makedirs(out, exist_ok=True)
    shutil.copyfile(source, copy)
    error = emit(dplc, target, copy, folder)
    if error:
        print(f"FAILED   {copy!r}: not emitted\n{error}")
    return folder


def emit_random(dplc, target, layouts, count, out):
    """(folders of the first `count` of the layouts that dplc takes, failures). A layout that it turns down is passed
    over; one at which it dies, or without a message, is a failure, and so are too few folders."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)

    def attempt(layout):
        source, folder = (os.path.join(out, f"{layout.index:04}{end}") for end in (".dpl", ""))
        with open(source, "w", encoding="utf-8") as file:
            file.write(layout.dpl())
        return folder, emit(dplc, target, source, folder)

    folders, failed, refused = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
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
