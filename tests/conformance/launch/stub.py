"""In the place of a training program: writes its arguments and environment where DPL_RECORD says, a file a process."""
import json
import os
import sys
import time

RANK = os.environ.get("RANK", "node" + os.environ.get("NODE_RANK", ""))
with open(os.path.join(os.environ["DPL_RECORD"], f"{RANK}.{os.getpid()}.json"), "w", encoding="utf-8") as file:
    json.dump({"arguments": sys.argv[1:], "folder": os.getcwd(), "process": os.getpid(),
               "environment": dict(os.environ)}, file)
# The first attempt of each rank, or of DPL_FAIL_RANK alone, fails; those after a restart do not. With DPL_WAIT the others
# wait for the second attempt, as ranks do that communicate.
first, again = os.environ.get("DPL_FAIL_ONCE"), os.environ.get("DPL_WAIT")
if first and os.environ.get("DPL_FAIL_RANK", RANK) == RANK:
    try:
        with open(first + RANK, "x", encoding="utf-8"):
            sys.exit(3)
    except FileExistsError:
        if again:
            open(again, "w", encoding="utf-8").close()
elif again:
    until = time.monotonic() + 60
    while not os.path.exists(again) and time.monotonic() < until:
        time.sleep(0.1)
