"""The plans that run under mpirun: 4, 8, 12 and 16 ranks, all axes, all schedules."""
import os
import subprocess

from swaps import Swap

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "..", "examples")
INTERLEAVED = "schedule=interleaved_1f1b { chunks = %d }"
LISTED = """custom { chunks = 2, placement = v_shaped, actions = [
  "0F0 0F1 0F2 3F0 3I0 0F3 3F1 3B1 3W0 3F2 3I2 3F3 3B3 0B0 3W2 0I1 0I2 0W1 0B3 0W2",
  "1F0 2F0 1F1 2F1 1F2 2F2 1F3 2F3 2B0 2I1 1I0 2B2 1B1 2W1 2B3 1B2 1W0 1B3"] }"""

TIMEOUT = (3, "waited 3 s for operation")
DEADLOCK = Swap("the first send and the receive that answers it",
                ("send_forward", "forward", "send_forward", "receive_backward"), (3, 1, 2, 0),
                (("forward", "forward", "backward"), (2, 1, 0)), *TIMEOUT)
DEADLOCK_GPIPE = Swap("the last send and the first receive", ("send_forward", "receive_backward"), (1, 0),
                      (("forward", "backward"), (1, 0)), *TIMEOUT)
DEADLOCK_RING = Swap("the first send and the receive of the second chunk",
                     ("send_forward", "forward", "send_forward", "receive_forward"), (3, 1, 2, 0),
                     (("forward", "forward", "forward"), (2, 1, 0)), *TIMEOUT)
NO_INPUT = Swap("a forward before its input", ("receive_forward", "forward"), (1, 0),
                (("forward", "forward"), (1, 0)), 1, "comes before its input")
ORDER = Swap("two micro-batches of one rank", ("forward", "send_forward") * 2, (2, 3, 0, 1),
             (("forward", "forward"), (1, 0)), 1, "the message's micro-batch is 1, needed 0")

RECOMPUTED = Swap("a recomputation and the backward that needs it", ("recomputation", "receive_backward", "backward"),
                  (1, 2, 0), (("recomputation", "backward"), (1, 0)), 1, "comes before its recomputation")


class Plan:
    """A file, the fields of its layout that are set, and the ranks that this gives."""

    def __init__(self, name, file, ranks, settings=(), scale="0.01", swapped=()):
        self.name, self.ranks, self.scale, self.swaps = name, ranks, scale, swapped
        self.file, self.settings = file, settings

    def arguments(self):
        return [self.file, *(part for setting in self.settings for part in ("--set", setting))]

    def printed(self, dplc):
        return subprocess.run([dplc, "ir", *self.arguments()], capture_output=True, text=True, check=True).stdout


def dense(name, ranks, axes, *settings, swapped=()):
    """`axes`: "pipeline=2 tensor=2"; pipeline and tensor are 1 unless given."""
    sizes = dict(dict(pipeline="1", tensor="1"), **dict(axis.split("=") for axis in axes.split()))
    all_settings = [f"box.nodes={ranks // 4}", *(f"dense.mesh.{axis}={size}" for axis, size in sizes.items()),
                    *(f"dense.{setting}" for setting in settings)]
    return Plan(name, os.path.join(HERE, "plans", "dense.dpl"), ranks, all_settings, swapped=swapped)


def experts(name, *settings):
    return Plan(name, os.path.join(HERE, "plans", "experts.dpl"), 16, [f"folded.{setting}" for setting in settings])


ALL = [
    dense("4 ranks, 1f1b", 4, "pipeline=2 tensor=2", "shard.sequence=tensor",
          swapped=(DEADLOCK, NO_INPUT)),
    dense("4 ranks, gpipe", 4, "pipeline=4", "schedule=gpipe", swapped=(ORDER, DEADLOCK_GPIPE)),
    dense("8 ranks, interleaved", 8, "pipeline=2 data=2 tensor=2", INTERLEAVED % 2, "shard.optimizer=data",
          "shard.sequence=tensor", swapped=(DEADLOCK_RING,)),
    dense("8 ranks, parameters sharded", 8, "data=4 context=2", "batch=16seq", "shard.parameters=data",
          "shard.gradients=data", "shard.optimizer=data"),
    dense("8 ranks, full recomputation, nothing overlapped", 8, "pipeline=2 context=2 tensor=2", "recompute=full",
          "overlap.pipeline=false", "overlap.gradients=false"),
    dense("12 ranks, a ring of three with two chunks", 12, "pipeline=3 data=2 tensor=2", INTERLEAVED % 2),
    dense("12 ranks, context", 12, "pipeline=3 data=2 context=2", "shard.optimizer=data"),
    dense("16 ranks, replicas", 16, "replica=2 pipeline=2 data=4", "batch=16seq", "shard.optimizer=data",
          "shard.gradients=data"),
    dense("4 ranks, gradients of weights put off", 4, "pipeline=4", "schedule=zb_h1"),
    dense("4 ranks, ordered by what passes take", 4, "pipeline=4", "schedule=zb_auto { in_flight = 6 }"),
    dense("8 ranks, there and back", 8, "pipeline=2 data=2 tensor=2", "schedule=zb_v", "shard.optimizer=data"),
    dense("12 ranks, pairs", 12, "pipeline=3 data=2 tensor=2", "schedule=dualpipe_v"),
    dense("8 ranks, pairs from both ends", 8, "pipeline=4 tensor=2", "schedule=dualpipe", "batch=8seq"),
    dense("8 ranks, both ends, optimizer sharded over copies", 8, "pipeline=2 data=2 tensor=2", "schedule=dualpipe",
          "batch=16seq", "shard.optimizer=data", "overlap.gradients=false"),
    dense("12 ranks, a third of the activations", 12, "pipeline=3 data=2 tensor=2", "schedule=v_min"),
    dense("8 ranks, turns of four", 8, "pipeline=2 data=2 tensor=2", "batch=20seq",
          "schedule=interleaved_1f1b { chunks = 2, micro_batch_group = 4 }"),
    dense("8 ranks, recomputed in advance", 8, "pipeline=4 tensor=2", "shard.sequence=tensor",
          "recompute=full { in_advance = true }", swapped=(RECOMPUTED,)),
    dense("8 ranks, pairs from both ends, recomputed in advance", 8, "pipeline=4 tensor=2", "schedule=dualpipe", "batch=8seq",
          "recompute=full { in_advance = true }"),
    dense("8 ranks, breadth first", 8, "pipeline=2 data=2 tensor=2", "schedule=looped_bfs { chunks = 2 }"),
    dense("8 ranks, messages in parts", 8, "pipeline=2 data=2 tensor=2", "schedule=zb_v", "shard.messages=tensor"),
    dense("8 ranks, lists of one's own", 8, "pipeline=2 data=2 tensor=2", "batch=8seq", f"schedule={LISTED}"),
    experts("16 ranks, experts, 1f1b"),
    experts("16 ranks, experts, gpipe", "schedule=gpipe"),
    experts("16 ranks, experts, interleaved", INTERLEAVED % 2),
    experts("16 ranks, experts, pairs from both ends", "schedule=dualpipe", "shard.optimizer=data",
            "shard.gradients=data"),
    experts("16 ranks, experts, merged pairs", "schedule=dualpipe_v", "overlap.experts=true"),
    experts("16 ranks, experts over four", "mesh.experts.data=1", "mesh.experts.expert=4"),
    Plan("8 ranks, a list of layers", os.path.join(EXAMPLES, "resnet50_a100.dpl"), 8, scale="0.001"),
]

# The order of operations is the same program over MPI and over NCCL. These have no group and no message of another kind
# than the others.
NEAR_OTHERS = {
    "8 ranks, full recomputation, nothing overlapped",
    "12 ranks, a ring of three with two chunks",
    "4 ranks, ordered by what passes take",
    "8 ranks, both ends, optimizer sharded over copies",
    "12 ranks, a third of the activations",
    "8 ranks, turns of four",
    "8 ranks, pairs from both ends, recomputed in advance",
    "16 ranks, experts, gpipe",
    "16 ranks, experts, interleaved"}
OVER_NCCL = [plan for plan in ALL if plan.name not in NEAR_OTHERS]
