"""Counts what autograd saves in a layer of emitted modules.

    python count.py '[["FOLDER", {"HIDDEN": 256, …}], …]'

Prints a list of {operator: bytes}, by the names of the compiler's operators. Each module is loaded into a process group
without processes, gets these sizes in place of its small ones, and its first stage runs on random tokens. A tensor that
several functions save counts where it was saved first; weights do not count. Shown is the first layer.
"""
import importlib.util
import json
import os
import sys

import torch
import torch.distributed
from torch.testing._internal.distributed.fake_pg import FakeStore

# A product saves what it reads: of the first in a part that is the norm's output.
NAMES = {
    ("attention", "rms_norm"): "residual_stream", ("feed_forward", "rms_norm"): "residual_stream",
    ("attention", "linear"): "attention norm", ("feed_forward", "linear"): "feed-forward norm",
    ("feed_forward", "silu"): "mlp up", ("feed_forward", "mul"): "mlp up",
}


def module_of(folder):
    spec = importlib.util.spec_from_file_location("dpl_module", os.path.join(folder, "train.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pointer_of(tensor):
    return tensor.untyped_storage().data_ptr()


class Counter(torch.overrides.TorchFunctionMode):
    """Bytes by layer and operator."""

    def __init__(self, stage):
        super().__init__()
        self.known = {pointer_of(weight) for weight in stage.parameters()}
        self.bytes, self.held, self.activated = {}, [], set()
        self.function, self.attended, self.layer, self.part = None, 0, 0, "attention"
        for layer, (attention, feed_forward) in enumerate(zip(stage.attention, stage.feed_forward)):
            attention.register_forward_hook(self.behind(layer, "feed_forward"))
            feed_forward.register_forward_hook(self.behind(layer + 1, "attention"))

    def behind(self, layer, part):
        """What comes next belongs to that part: a norm stands before it."""
        def hook(*_):
            self.layer, self.part = layer, part
        return hook

    def __torch_function__(self, function, types, args=(), kwargs=None):
        before, self.function, self.attended = self.function, getattr(function, "__name__", str(function)), 0
        try:
            out = function(*args, **(kwargs or {}))
        finally:
            self.function = before
        if (self.part, getattr(function, "__name__", "")) in (("feed_forward", "silu"), ("feed_forward", "mul")):
            self.activated.add(pointer_of(out))
            self.held.append(out)
        return out

    def operator(self, tensor):
        if self.function == "scaled_dot_product_attention":
            self.attended += 1  # its operands come first, then what it gives and its sums of rows
            return "qkv" if self.attended <= 3 else "core attention"
        if pointer_of(tensor) in self.activated:
            return "mlp activation"
        return NAMES.get((self.part, self.function), self.function)

    def pack(self, tensor):
        operator, pointer = self.operator(tensor), pointer_of(tensor)
        if pointer not in self.known and tensor.dtype.is_floating_point:
            self.known.add(pointer)
            self.held.append(tensor)  # so that no other tensor gets its place
            of = self.bytes.setdefault(self.layer, {})
            of[operator] = of.get(operator, 0) + tensor.untyped_storage().nbytes()
        return tensor


def count(folder, sizes):
    module = module_of(folder)
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=module.DEVICES)
    try:
        for name, size in sizes.items():
            assert hasattr(module, name), name
            setattr(module, name, size)
        stage = module.Stage(*module.STAGES[0], module.Layout(module.make_groups("cpu"))).to(torch.float32)
        counter = Counter(stage)
        tokens = torch.randint(module.VOCAB, (module.MICRO_BATCH, module.SEQUENCE))
        with torch.autograd.graph.saved_tensors_hooks(counter.pack, lambda tensor: tensor), counter:
            stage(tokens)
        return counter.bytes[0]
    finally:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    json.dump([count(folder, sizes) for folder, sizes in json.loads(sys.argv[1])], sys.stdout)
