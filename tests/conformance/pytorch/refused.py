"""Layouts that dplc refuses for the PyTorch module, each by another rule, and what PyTorch says where it can be asked."""
import functools
import os

import refusing

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/resnet50_a100.dpl")
QUIET = {"overlap_gradients": False, "overlap_parameters": False}
STAGES = {"pipeline": 4, "layers": 8, **QUIET}


class Example:
    """A layout that no draw is: the model is a list of layers."""

    def dpl(self):
        with open(EXAMPLE, encoding="utf-8") as file:
            return file.read()


def schedule(judge):
    """Four stages of 1F1B for two micro-batches."""
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B

    stage = PipelineStage(judge.torch.nn.Linear(1, 1), 0, 4, judge.torch.device("cpu"))
    Schedule1F1B(stage, 2, loss_fn=judge.torch.nn.MSELoss())


def optimizer(judge):
    """That of a stage without layers."""
    judge.torch.optim.SGD(judge.torch.nn.ModuleList().parameters(), lr=0.5)


# rule, what PyTorch says or None where the module has no way to express it, how to ask, the changes
REFUSED = [
    ("P1", None, None, None),
    ("P3", None, None, {"kv_heads": 2, "tensor": 4, **QUIET}),
    ("P6", "ValueError: Number of microbatches", schedule, {**STAGES, "batch": 4}),
    ("P7", "ValueError: optimizer got an empty parameter list", optimizer, {**STAGES, "split": (4, 0, 2, 2)}),
    ("P8", None, None, {**QUIET, "overlap_gradients": True}),
]


def refusal(judge, ask_it, _):
    judge.distributed.init_process_group("fake", store=judge.FakeStore(), rank=0, world_size=4)
    try:
        if ask_it:
            ask_it(judge)
    except ValueError as error:
        return f"ValueError: {error}"
    finally:
        judge.distributed.destroy_process_group()
    return None


def run(judge, dplc):
    """The number of entries that are not as they should be."""
    entries = [(rule, Example() if changes is None else refusing.layout(index, changes), words,
                functools.partial(refusal, judge, ask_it))
               for index, (rule, words, ask_it, changes) in enumerate(REFUSED)]
    return refusing.run("pytorch@2.11", "PyTorch", entries, dplc)
