"""In the place of a training program: writes its arguments and environment where DPL_RECORD says, a file a process."""
import json
import os
import sys

RANK = os.environ.get("RANK", "node" + os.environ.get("NODE_RANK", ""))
with open(os.path.join(os.environ["DPL_RECORD"], f"{RANK}.{os.getpid()}.json"), "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "folder": os.getcwd(),
               "environment": dict(os.environ)}, file)
# The first attempt of each rank, or of DPL_FAIL_RANK alone, fails; those after a restart do not.
if os.environ.get("DPL_FAIL_ONCE") and os.environ.get("DPL_FAIL_RANK", RANK) == RANK:
    try:
        with open(os.environ["DPL_FAIL_ONCE"] + RANK, "x", encoding="utf-8"):
            sys.exit(3)
    except FileExistsError:
        pass
