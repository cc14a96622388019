#!/usr/bin/env python3
# experts_tensor of tests/conformance/pytorch/plans/experts_tensor.dpl, plan HASH.
# Written by dplc 0.2.0 for PyTorch 2.11; an edit is lost with the next emit.
"""Trains a small model of the plan's shape on the plan's mesh, and compares each loss with that of one process.

Start it with launch.sh, or with torchrun and as many processes as the plan has devices; `--backend gloo` needs no GPU.
"""
import argparse
import os
import shutil
import signal
import sys
import zlib

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed import checkpoint
from torch.distributed.device_mesh import init_device_mesh

# ---- the plan

DEVICES = 4
MESHES = [{"data": 2, "tensor": 2}, {"expert_data": 2, "expert": 2}]  # outermost axis first
AXES = {"data": (2, 2), "tensor": (2, 1)}  # size and stride
GROUPS = {  # (count, stride) factors, slowest first
    "data": [(2, 2)],
    "tensor": [(2, 1)],
    "expert_data": [(2, 2)],
    "expert": [(2, 1)],
    "exchange": [(2, 1)],
    "expert_gradients": [(2, 2)],
    "gradients": [(2, 2)],
}
STAGES = [  # first layer, layers, embedding, head; in the order of the model
    (0, 3, True, True),
]
LAYERS = 3
HEADS = 8
KV_HEADS = 8
EXPERT_LAYERS = [*range(1, 3)]

# ---- scaled down

HEAD_SIZE = 4
HIDDEN = 32
WIDTH = 64
EXPERTS = 4
ACTIVE = 2
EXPERT_WIDTH = 32
VOCAB = 64
SEQUENCE = 8
MICRO_BATCH = 1
MICRO_BATCHES = 2
SEQUENCES = 4  # of a step


class Ranks:
    """The ranks of one group, and this one's place in it; without a group it is alone."""

    def __init__(self, group=None):
        self.group = group
        self.size = dist.get_world_size(group) if group else 1
        self.rank = dist.get_rank(group) if group else 0


class Layout:
    """The groups that a layer communicates in. Without any, a layer is whole: the reference model."""

    def __init__(self, groups=None):
        groups = groups or {}
        self.tensor = Ranks(groups.get("tensor"))
        self.expert = Ranks(groups.get("expert"))
        self.expert_tensor = Ranks(groups.get("expert_tensor"))
        self.exchange = Ranks(groups.get("exchange"))
        self.gradients = Ranks(groups.get("gradients"))
        self.expert_gradients = Ranks(groups.get("expert_gradients"))


def members(rank, factors):
    """The ranks of the group of `rank` whose (count, stride) factors are these, slowest first."""
    ranks = [rank - sum(rank // stride % count * stride for count, stride in factors)]
    for count, stride in factors:
        ranks = [r + i * stride for r in ranks for i in range(count)]
    return ranks


def make_groups(device_type):
    """A process group for each of GROUPS: of the mesh where it is one axis, else of its own."""
    meshes = [init_device_mesh(device_type, tuple(axes.values()), mesh_dim_names=tuple(axes)) for axes in MESHES]
    groups, world = {}, range(dist.get_world_size())
    for name, factors in GROUPS.items():
        mesh = next((m for m in meshes if name in m.mesh_dim_names), None)
        if mesh is not None:
            groups[name] = mesh.get_group(name)
        else:
            every = sorted({tuple(sorted(members(rank, factors))) for rank in world})
            groups[name], _ = dist.new_subgroups_by_enumeration([list(ranks) for ranks in every])
        found = sorted(dist.get_process_group_ranks(groups[name]))
        if found != sorted(members(dist.get_rank(), factors)):
            raise SystemExit(f"group {name} of rank {dist.get_rank()} is {found}, not as in the plan")
    return groups


# ---- collectives and their gradients: each works on dimension 1, the sequence


def same(x, ranks):
    return x.view_as(x)


def summed(x, ranks):
    x = x.contiguous().clone()
    dist.all_reduce(x, group=ranks.group)
    return x


def joined(x, ranks):
    parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(ranks.size)]
    dist.all_gather(parts, x.contiguous(), group=ranks.group)
    return torch.cat(parts, dim=1)


def part(x, ranks):
    return x.chunk(ranks.size, dim=1)[ranks.rank].contiguous()


def summed_part(x, ranks):
    return part(summed(x, ranks), ranks)


class Collective(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, ranks, forward, backward):
        ctx.ranks, ctx.gradient = ranks, backward
        return forward(x, ranks)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.gradient(gradient, ctx.ranks), None, None, None


def collective(x, ranks, forward, backward):
    return x if ranks.size == 1 else Collective.apply(x, ranks, forward, backward)


# ---- the model


def parameter(name, rows, columns, ranks=None, dim=0):
    """A weight that depends on its name only, so that every rank makes the same one and keeps its part."""
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
    weight = torch.randn(rows, columns, generator=generator, dtype=torch.float64) * columns**-0.5
    if ranks is not None:
        weight = weight.chunk(ranks.size, dim)[ranks.rank].clone()
    return nn.Parameter(weight)


class Attention(nn.Module):
    """Causal attention; key-value heads serve HEADS / KV_HEADS heads each."""

    def __init__(self, name, layout):
        super().__init__()
        self.layout = layout
        tensor = layout.tensor
        self.query = parameter(name + ".query", HEADS * HEAD_SIZE, HIDDEN, tensor)
        self.key = parameter(name + ".key", KV_HEADS * HEAD_SIZE, HIDDEN, tensor)
        self.value = parameter(name + ".value", KV_HEADS * HEAD_SIZE, HIDDEN, tensor)
        self.out = parameter(name + ".out", HIDDEN, HEADS * HEAD_SIZE, tensor, dim=1)

    def forward(self, x):
        x = collective(x, self.layout.tensor, same, summed)
        query, key, value = (F.linear(x, w) for w in (self.query, self.key, self.value))
        query, key, value = (t.unflatten(-1, (-1, HEAD_SIZE)).transpose(1, 2) for t in (query, key, value))
        y = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        y = F.linear(y.transpose(1, 2).flatten(2), self.out)
        return collective(y, self.layout.tensor, summed, same)


class FeedForward(nn.Module):
    def __init__(self, name, layout):
        super().__init__()
        self.layout = layout
        self.up = parameter(name + ".up", WIDTH, HIDDEN, layout.tensor)
        self.gate = parameter(name + ".gate", WIDTH, HIDDEN, layout.tensor)
        self.down = parameter(name + ".down", HIDDEN, WIDTH, layout.tensor, dim=1)

    def forward(self, x):
        x = collective(x, self.layout.tensor, same, summed)
        y = F.linear(F.silu(F.linear(x, self.gate)) * F.linear(x, self.up), self.down)
        return collective(y, self.layout.tensor, summed, same)


class Experts(nn.Module):
    """Each token goes to its ACTIVE best experts. All tokens of an exchange group visit all its ranks, each of
    which applies the experts, or parts of experts, that it has."""

    def __init__(self, name, layout):
        super().__init__()
        self.layout = layout
        self.router = parameter(name + ".router", EXPERTS, HIDDEN)
        each = EXPERTS // layout.expert.size
        self.mine = range(each * layout.expert.rank, each * (layout.expert.rank + 1))
        split = layout.expert_tensor
        self.up = nn.ParameterList(
            parameter(f"{name}.{e}.up", EXPERT_WIDTH, HIDDEN, split) for e in self.mine)
        self.down = nn.ParameterList(
            parameter(f"{name}.{e}.down", HIDDEN, EXPERT_WIDTH, split, dim=1) for e in self.mine)
        self.shared = FeedForward(name + ".shared", layout)

    def forward(self, x):
        tokens = x.reshape(1, -1, HIDDEN)
        scores = F.linear(tokens, self.router).softmax(-1)
        best, index = scores.topk(ACTIVE, -1)
        gates = torch.zeros_like(scores).scatter(-1, index, best)
        # Tensor ranks hold the same tokens; each takes a part of them.
        tokens, gates = (collective(t, self.layout.tensor, part, joined) for t in (tokens, gates))
        tokens, gates = (collective(t, self.layout.exchange, joined, summed_part) for t in (tokens, gates))
        y = torch.zeros_like(tokens)
        for expert, up, down in zip(self.mine, self.up, self.down):
            y = y + gates[..., expert, None] * F.linear(F.silu(F.linear(tokens, up)), down)
        y = collective(y, self.layout.exchange, summed_part, joined)
        y = collective(y, self.layout.tensor, joined, part)
        return y.view_as(x) + self.shared(x)


def norm(x):
    return F.rms_norm(x, (HIDDEN,))


class Stage(nn.Module):
    """Consecutive layers, with the embedding before the first and the head after the last of the model."""

    def __init__(self, first, count, embedding, head, layout):
        super().__init__()
        self.embedding = parameter("embedding", VOCAB, HIDDEN) if embedding else None
        self.head = parameter("head", VOCAB, HIDDEN) if head else None
        self.attention = nn.ModuleList(Attention(f"{i}.attention", layout) for i in range(first, first + count))
        self.feed_forward = nn.ModuleList(
            (Experts if i in EXPERT_LAYERS else FeedForward)(f"{i}.feed_forward", layout)
            for i in range(first, first + count))

    def forward(self, x):
        if self.embedding is not None:
            x = F.embedding(x, self.embedding)
        for attention, feed_forward in zip(self.attention, self.feed_forward):
            x = x + attention(norm(x))
            x = x + feed_forward(norm(x))
        return x if self.head is None else F.linear(norm(x), self.head)


def loss_of(output, target):
    """The share of these tokens in the mean over all tokens of a step."""
    whole = SEQUENCES * SEQUENCE
    return F.cross_entropy(output.flatten(0, 1), target.flatten(), reduction="sum") / whole


# ---- a step


def batch_of(step, device):
    """Inputs and targets of all sequences of a step, the same on every rank."""
    generator = torch.Generator().manual_seed(step)
    tokens = torch.randint(VOCAB, (SEQUENCES, SEQUENCE + 1), generator=generator).to(device)
    return tokens[:, :-1], tokens[:, 1:]


class Reference:
    """The whole model in one process: what the losses have to be."""

    def __init__(self, device):
        self.model = Stage(0, LAYERS, True, True, Layout()).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def step(self, tokens, target):
        self.optimizer.zero_grad()
        loss = loss_of(self.model(tokens), target)
        loss.backward()
        self.optimizer.step()
        return loss.item()


class Trainer:
    """This rank's part of the plan."""

    def __init__(self, groups, device):
        self.layout, rank = Layout(groups), dist.get_rank()
        self.place = {name: rank // stride % size for name, (size, stride) in AXES.items()}
        self.parts = nn.ModuleList([Stage(*STAGES[0], self.layout)]).to(device)
        experts = [module for module in self.parts.modules() if isinstance(module, Experts)]
        self.routed = {id(weight) for module in experts for weight in (*module.up, *module.down)}
        self.optimizer = torch.optim.SGD(self.parts.parameters(), lr=0.05)

    def mine(self, whole):
        """This rank's sequences, and its tokens of them."""
        index = 0
        for name in ("replica", "data"):
            size, _ = AXES.get(name, (1, 1))
            index = index * size + self.place.get(name, 0)
        each = MICRO_BATCHES * MICRO_BATCH
        rows = whole[index * each : (index + 1) * each]
        return rows.contiguous()

    def step(self, tokens, target):
        """The mean loss over the tokens of all ranks."""
        self.optimizer.zero_grad()
        tokens, target, losses = self.mine(tokens), self.mine(target), []
        for inputs, targets in zip(tokens.chunk(MICRO_BATCHES), target.chunk(MICRO_BATCHES)):
            losses.append(loss_of(self.parts[0](inputs), targets))
            losses[-1].backward()
        for weight in self.parts.parameters():
            shared = self.layout.expert_gradients if id(weight) in self.routed else self.layout.gradients
            if shared.size > 1:
                dist.all_reduce(weight.grad, group=shared.group)
        self.optimizer.step()
        total = sum((loss.detach() for loss in losses), torch.zeros((), dtype=torch.float64, device=tokens.device))
        dist.all_reduce(total)
        return total.item() / self.layout.tensor.size


# ---- checkpoints


class Checkpoints:
    """Folders step-N below `folder`, N steps done in each. A run begins where the newest ends."""

    def __init__(self, folder, interval, keep, mode):
        self.folder, self.interval, self.keep, self.mode = folder, interval, keep, mode
        self.group, self.writing = dist.new_group(backend="gloo"), None
        self.telling = dist.new_group(backend="gloo")  # its own: what is saved uses the other meanwhile
        self.told = torch.zeros(1)
        signal.signal(signal.SIGTERM, lambda *_: self.told.fill_(1))

    def path(self, steps):
        return os.path.join(self.folder, f"step-{steps}")

    def written(self):
        """The steps done in each whole checkpoint, ascending: .metadata is written last."""
        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
        return sorted(int(name[5:]) for name in names
                      if name.startswith("step-") and os.path.exists(os.path.join(self.folder, name, ".metadata")))

    @staticmethod
    def state(trainer):
        """What this rank holds; the optimizer has no state. Of tensors with one name only one would be kept."""
        return {f"{dist.get_rank()}.{name}": weight for name, weight in trainer.parts.state_dict().items()}

    def resume(self, trainer):
        """Loads the newest one; returns the steps done in it."""
        newest = [max(self.written(), default=0)]
        dist.broadcast_object_list(newest, group=self.group)
        if newest[0]:
            checkpoint.load(self.state(trainer), checkpoint_id=self.path(newest[0]), process_group=self.group)
        return newest[0]

    def due(self, steps, last):
        return steps == last or self.interval is not None and steps % self.interval == 0

    def ends(self):
        """Whether any rank got SIGTERM, so that all save after the same step."""
        told = self.told.clone()
        dist.all_reduce(told, group=self.telling)
        return told.item() > 0

    def save(self, trainer, steps):
        self.finish()
        save = checkpoint.async_save if self.mode == "async" else checkpoint.save
        writing = save(self.state(trainer), checkpoint_id=self.path(steps), process_group=self.group)
        if self.mode == "async":
            self.writing = writing
        else:
            self.finish()

    def finish(self):
        """Waits for the one that is being written, then deletes the old ones."""
        if self.writing is not None:
            self.writing.result()
        self.writing = None
        for steps in self.written()[: -self.keep] if dist.get_rank() == 0 else ():
            shutil.rmtree(self.path(steps))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--backend", default="nccl" if torch.cuda.is_available() else "gloo")
    options.add_argument("--steps", type=int, default=3)
    options.add_argument("--checkpoint-dir", help="where to save and resume")
    options.add_argument("--checkpoint-interval", type=int, help="steps; otherwise only after the last step")
    options.add_argument("--checkpoint-keep", type=int, default=1, help="how many")
    options.add_argument("--checkpoint-mode", choices=("blocking", "async"), default="blocking")
    given = options.parse_args()
    store, rank, world = next(dist.rendezvous("env://"))
    # A static rendezvous keeps its store from one start of the processes to the next, with the old addresses in it.
    store = dist.PrefixStore("start " + os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
    dist.init_process_group(given.backend, store=store, rank=rank, world_size=world)
    device = torch.device("cpu")
    if given.backend == "nccl":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    if dist.get_world_size() != DEVICES:
        raise SystemExit(f"the plan is for {DEVICES} processes, not {dist.get_world_size()}")
    groups = make_groups(device.type)
    trainer = Trainer(groups, device)
    reference = Reference(device) if dist.get_rank() == 0 else None
    checkpoints, first = None, 0
    if given.checkpoint_dir:
        checkpoints = Checkpoints(given.checkpoint_dir, given.checkpoint_interval, given.checkpoint_keep,
                                  given.checkpoint_mode)
        first = checkpoints.resume(trainer)
    if reference and first:
        print(f"resumed after {first} steps", flush=True)
        for step in range(first):  # the one process was never interrupted
            reference.step(*batch_of(step, device))
    wrong, steps = False, first
    while steps < given.steps:
        tokens, target = batch_of(steps, device)
        loss = trainer.step(tokens, target)
        if reference:
            alone = reference.step(tokens, target)
            wrong = wrong or abs(loss - alone) > 1e-9 * abs(alone)
            print(f"step {steps}: loss {loss:.12f}, of one process {alone:.12f}", flush=True)
        steps += 1
        told = checkpoints is not None and checkpoints.ends()
        if checkpoints and (told or checkpoints.due(steps, given.steps)):
            checkpoints.save(trainer, steps)
        if told:
            break
    if checkpoints:
        checkpoints.finish()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Python takes its handler back while it ends
    if reference and not wrong:
        print(f"{len(groups)} groups and {steps - first} steps are as in the plan", flush=True)
    dist.destroy_process_group()
    return wrong


if __name__ == "__main__":
    sys.exit(main())
