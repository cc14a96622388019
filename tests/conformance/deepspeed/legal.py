"""Folders of random layouts that dplc takes for DeepSpeed, the same for the same seed."""
import os
import shutil
import subprocess

import draw
from drawn import adjust

TRIES = 12  # draws for each layout that is wanted


def emit_all(dplc, seed, count, out):
    """(folders, crashes of dplc). What dplc turns down is passed over."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    folders, crashes, refused = [], 0, 0
    for layout in draw.draws(count * TRIES, f"legal {seed}"):
        if len(folders) == count:
            break
        adjust(layout)
        source, folder = (os.path.join(out, f"{layout.index:04}{end}") for end in (".dpl", ""))
        with open(source, "w", encoding="utf-8") as file:
            file.write(layout.dpl())
        done = subprocess.run([dplc, "emit", "deepspeed", source, "-o", folder], capture_output=True, text=True,
                              check=False)
        if done.returncode == 0:
            folders.append(folder)
        elif done.returncode < 0 or "[DPL" not in done.stderr:
            print(f"FAILED   {source}: dplc ended with {done.returncode}\n{done.stderr}")
            crashes += 1
        else:
            refused += 1
    print(f"-- {len(folders)} random layouts of seed {seed}; dplc refused {refused} others", flush=True)
    return folders, crashes + (len(folders) < count)
