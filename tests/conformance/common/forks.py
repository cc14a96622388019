"""Work in forks of this process, which has imported all that the work needs: an import of PyTorch takes seconds."""
import collections
import gc
import os
import pickle
import traceback

from device import PROCESSORS


class _Fork:
    def __init__(self, function, item):
        reading, writing = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            status = 1
            try:
                os.close(reading)
                with os.fdopen(writing, "wb") as file:
                    pickle.dump(function(item), file)
                status = 0
            except BaseException:  # pylint: disable=broad-except  a fork has nobody above it
                traceback.print_exc()
            finally:
                os._exit(status)
        os.close(writing)
        self.reading = reading

    def result(self):
        with os.fdopen(self.reading, "rb") as file:
            said = file.read()
        _, status = os.waitpid(self.child, 0)
        if status:
            raise RuntimeError(f"the process ended with status {status}")
        return pickle.loads(said)


def each(function, items, processes=None):
    """function(item) for each item, in their order; each in a fork of this process as it is now, so that none sees
    what another left behind. RuntimeError where a process died."""
    gc.collect()
    gc.freeze()  # what is here stays: collecting in a fork neither walks through it nor copies its pages
    processes, running = processes or PROCESSORS, collections.deque()
    for item in items:
        if len(running) == processes:
            yield running.popleft().result()
        running.append(_Fork(function, item))
    while running:
        yield running.popleft().result()
