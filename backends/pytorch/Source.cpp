//===- Source.cpp - The lines of the PyTorch module -------------------------------------------===//
#include "backends/pytorch/Pytorch.h"

const char* const dpl::pytorch::moduleSource = R"py(|
|
|class Ranks:
|    """The ranks of one group, and this one's place in it; without a group it is alone."""
|
|    def __init__(self, group=None):
|        self.group = group
|        self.size = dist.get_world_size(group) if group else 1
|        self.rank = dist.get_rank(group) if group else 0
|
|
|class Layout:
|    """The groups that a layer communicates in. Without any, a layer is whole: the reference model."""
|
|    def __init__(self, groups=None):
|        groups = groups or {}
T|        self.tensor = Ranks(groups.get("tensor"))
C|        self.context = Ranks(groups.get("context"))
X|        self.expert = Ranks(groups.get("expert"))
X|        self.expert_tensor = Ranks(groups.get("expert_tensor"))
X|        self.exchange = Ranks(groups.get("exchange"))
B|        self.gradients = Ranks(groups.get("gradients"))
BE|        self.expert_gradients = Ranks(groups.get("expert_gradients"))
|
|
|def members(rank, factors):
|    """The ranks of the group of `rank` whose (count, stride) factors are these, slowest first."""
|    ranks = [rank - sum(rank // stride % count * stride for count, stride in factors)]
|    for count, stride in factors:
|        ranks = [r + i * stride for r in ranks for i in range(count)]
|    return ranks
|
|
|def make_groups(device_type):
|    """A process group for each of GROUPS: of the mesh where it is one axis, else of its own."""
|    meshes = [init_device_mesh(device_type, tuple(axes.values()), mesh_dim_names=tuple(axes)) for axes in MESHES]
|    groups, world = {}, range(dist.get_world_size())
|    for name, factors in GROUPS.items():
|        mesh = next((m for m in meshes if name in m.mesh_dim_names), None)
|        if mesh is not None:
|            groups[name] = mesh.get_group(name)
|        else:
|            every = sorted({tuple(sorted(members(rank, factors))) for rank in world})
|            groups[name], _ = dist.new_subgroups_by_enumeration([list(ranks) for ranks in every])
|        found = sorted(dist.get_process_group_ranks(groups[name]))
|        if found != sorted(members(dist.get_rank(), factors)):
|            raise SystemExit(f"group {name} of rank {dist.get_rank()} is {found}, not as in the plan")
|    return groups
|
|
K|# ---- collectives and their gradients: each works on dimension 1, the sequence
K|
K|
T|def same(x, ranks):
T|    return x.view_as(x)
T|
T|
K|def summed(x, ranks):
K|    x = x.contiguous().clone()
K|    dist.all_reduce(x, group=ranks.group)
K|    return x
K|
K|
G|def joined(x, ranks):
G|    parts = [torch.empty_like(x, memory_format=torch.contiguous_format) for _ in range(ranks.size)]
G|    dist.all_gather(parts, x.contiguous(), group=ranks.group)
G|    return torch.cat(parts, dim=1)
G|
G|
G|def part(x, ranks):
G|    return x.chunk(ranks.size, dim=1)[ranks.rank].contiguous()
G|
G|
G|def summed_part(x, ranks):
G|    return part(summed(x, ranks), ranks)
G|
G|
K|class Collective(torch.autograd.Function):
K|    @staticmethod
K|    def forward(ctx, x, ranks, forward, backward):
K|        ctx.ranks, ctx.gradient = ranks, backward
K|        return forward(x, ranks)
K|
K|    @staticmethod
K|    def backward(ctx, gradient):
K|        return ctx.gradient(gradient, ctx.ranks), None, None, None
K|
K|
K|def collective(x, ranks, forward, backward):
K|    return x if ranks.size == 1 else Collective.apply(x, ranks, forward, backward)
K|
K|
|# ---- the model
|
|
W|def parameter(name, rows, columns, ranks=None, dim=0):
w|def parameter(name, rows, columns):
|    """A weight that depends on its name only, so that every rank makes the same one and keeps its part."""
|    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
|    weight = torch.randn(rows, columns, generator=generator, dtype=torch.float64) * columns**-0.5
W|    if ranks is not None:
W|        weight = weight.chunk(ranks.size, dim)[ranks.rank].clone()
|    return nn.Parameter(weight)
|
|
|class Attention(nn.Module):
|    """Causal attention; key-value heads serve HEADS / KV_HEADS heads each."""
|
|    def __init__(self, name, layout):
|        super().__init__()
|        self.layout = layout
T|        tensor = layout.tensor
T|        self.query = parameter(name + ".query", HEADS * HEAD_SIZE, HIDDEN, tensor)
T|        self.key = parameter(name + ".key", KV_HEADS * HEAD_SIZE, HIDDEN, tensor)
T|        self.value = parameter(name + ".value", KV_HEADS * HEAD_SIZE, HIDDEN, tensor)
T|        self.out = parameter(name + ".out", HIDDEN, HEADS * HEAD_SIZE, tensor, dim=1)
t|        self.query = parameter(name + ".query", HEADS * HEAD_SIZE, HIDDEN)
t|        self.key = parameter(name + ".key", KV_HEADS * HEAD_SIZE, HIDDEN)
t|        self.value = parameter(name + ".value", KV_HEADS * HEAD_SIZE, HIDDEN)
t|        self.out = parameter(name + ".out", HIDDEN, HEADS * HEAD_SIZE)
|
|    def forward(self, x):
T|        x = collective(x, self.layout.tensor, same, summed)
|        query, key, value = (F.linear(x, w) for w in (self.query, self.key, self.value))
C|        context, tokens = self.layout.context, x.shape[1]
C|        key, value = (collective(t, context, joined, summed_part) for t in (key, value))
C|        mine = torch.arange(tokens, device=x.device) + context.rank * tokens
C|        earlier = mine[:, None] >= torch.arange(key.shape[1], device=x.device)
|        query, key, value = (t.unflatten(-1, (-1, HEAD_SIZE)).transpose(1, 2) for t in (query, key, value))
|        key, value = (t.repeat_interleave(HEADS // KV_HEADS, dim=1) for t in (key, value))
C|        y = F.scaled_dot_product_attention(query, key, value, attn_mask=earlier)
c|        y = F.scaled_dot_product_attention(query, key, value, is_causal=True)
T|        y = F.linear(y.transpose(1, 2).flatten(2), self.out)
T|        return collective(y, self.layout.tensor, summed, same)
t|        return F.linear(y.transpose(1, 2).flatten(2), self.out)
|
|
F|class FeedForward(nn.Module):
F|    def __init__(self, name, layout):
F|        super().__init__()
F|        self.layout = layout
FT|        self.up = parameter(name + ".up", WIDTH, HIDDEN, layout.tensor)
FT|        self.gate = parameter(name + ".gate", WIDTH, HIDDEN, layout.tensor)
FT|        self.down = parameter(name + ".down", HIDDEN, WIDTH, layout.tensor, dim=1)
Ft|        self.up = parameter(name + ".up", WIDTH, HIDDEN)
Ft|        self.gate = parameter(name + ".gate", WIDTH, HIDDEN)
Ft|        self.down = parameter(name + ".down", HIDDEN, WIDTH)
F|
F|    def forward(self, x):
FT|        x = collective(x, self.layout.tensor, same, summed)
FT|        y = F.linear(F.silu(F.linear(x, self.gate)) * F.linear(x, self.up), self.down)
FT|        return collective(y, self.layout.tensor, summed, same)
Ft|        return F.linear(F.silu(F.linear(x, self.gate)) * F.linear(x, self.up), self.down)
F|
F|
E|class Experts(nn.Module):
E|    """Each token goes to its ACTIVE best experts. All tokens of an exchange group visit all its ranks, each of
E|    which applies the experts, or parts of experts, that it has."""
E|
E|    def __init__(self, name, layout):
E|        super().__init__()
E|        self.layout = layout
E|        self.router = parameter(name + ".router", EXPERTS, HIDDEN)
X|        each = EXPERTS // layout.expert.size
X|        self.mine = range(each * layout.expert.rank, each * (layout.expert.rank + 1))
X|        split = layout.expert_tensor
X|        self.up = nn.ParameterList(
X|            parameter(f"{name}.{e}.up", EXPERT_WIDTH, HIDDEN, split) for e in self.mine)
X|        self.down = nn.ParameterList(
X|            parameter(f"{name}.{e}.down", HIDDEN, EXPERT_WIDTH, split, dim=1) for e in self.mine)
Ex|        self.mine = range(EXPERTS)
Ex|        self.up = nn.ParameterList(parameter(f"{name}.{e}.up", EXPERT_WIDTH, HIDDEN) for e in self.mine)
Ex|        self.down = nn.ParameterList(parameter(f"{name}.{e}.down", HIDDEN, EXPERT_WIDTH) for e in self.mine)
ES|        self.shared = FeedForward(name + ".shared", layout)
E|
E|    def forward(self, x):
E|        tokens = x.reshape(1, -1, HIDDEN)
E|        scores = F.linear(tokens, self.router).softmax(-1)
E|        best, index = scores.topk(ACTIVE, -1)
E|        gates = torch.zeros_like(scores).scatter(-1, index, best)
ET|        # Tensor ranks hold the same tokens; each takes a part of them.
ET|        tokens, gates = (collective(t, self.layout.tensor, part, joined) for t in (tokens, gates))
X|        tokens, gates = (collective(t, self.layout.exchange, joined, summed_part) for t in (tokens, gates))
E|        y = torch.zeros_like(tokens)
E|        for expert, up, down in zip(self.mine, self.up, self.down):
E|            y = y + gates[..., expert, None] * F.linear(F.silu(F.linear(tokens, up)), down)
X|        y = collective(y, self.layout.exchange, summed_part, joined)
ET|        y = collective(y, self.layout.tensor, joined, part)
ES|        return y.view_as(x) + self.shared(x)
Es|        return y.view_as(x)
E|
E|
|def norm(x):
|    return F.rms_norm(x, (HIDDEN,))
|
|
|class Stage(nn.Module):
|    """Consecutive layers, with the embedding before the first and the head behind the last of the model."""
|
|    def __init__(self, first, count, embedding, head, layout):
|        super().__init__()
|        self.embedding = parameter("embedding", VOCAB, HIDDEN) if embedding else None
|        self.head = parameter("head", VOCAB, HIDDEN) if head else None
|        self.attention = nn.ModuleList(Attention(f"{i}.attention", layout) for i in range(first, first + count))
ED|        self.feed_forward = nn.ModuleList(
ED|            (Experts if i in EXPERT_LAYERS else FeedForward)(f"{i}.feed_forward", layout)
ED|            for i in range(first, first + count))
Ed|        self.feed_forward = nn.ModuleList(
Ed|            Experts(f"{i}.feed_forward", layout) for i in range(first, first + count))
e|        self.feed_forward = nn.ModuleList(
e|            FeedForward(f"{i}.feed_forward", layout) for i in range(first, first + count))
|
|    def forward(self, x):
|        if self.embedding is not None:
|            x = F.embedding(x, self.embedding)
|        for attention, feed_forward in zip(self.attention, self.feed_forward):
|            x = x + attention(norm(x))
|            x = x + feed_forward(norm(x))
|        return x if self.head is None else F.linear(norm(x), self.head)
|
|
|def loss_of(output, target):
|    """The share of these tokens in the mean over all tokens of a step."""
|    whole = SEQUENCES * SEQUENCE
|    return F.cross_entropy(output.flatten(0, 1), target.flatten(), reduction="sum") / whole
|
|
|# ---- a step
|
|
|def batch_of(step, device):
|    """Inputs and targets of all sequences of a step, the same on every rank."""
|    generator = torch.Generator().manual_seed(step)
|    tokens = torch.randint(VOCAB, (SEQUENCES, SEQUENCE + 1), generator=generator).to(device)
|    return tokens[:, :-1], tokens[:, 1:]
|
|
|class Reference:
|    """The whole model in one process: what the losses have to be."""
|
|    def __init__(self, device):
|        self.model = Stage(0, LAYERS, True, True, Layout()).to(device)
|        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.5)
|
|    def step(self, tokens, target):
|        self.optimizer.zero_grad()
|        loss = loss_of(self.model(tokens), target)
|        loss.backward()
|        self.optimizer.step()
|        return loss.item()
|
|
|class Trainer:
|    """This rank's part of the plan."""
|
|    def __init__(self, groups, device):
|        self.layout, rank = Layout(groups), dist.get_rank()
|        self.place = {name: rank // stride % size for name, (size, stride) in AXES.items()}
P|        pipeline = groups["pipeline"]
P|        mine = [i for i in range(len(STAGES)) if i % AXES["pipeline"][0] == self.place["pipeline"]]
P|        self.parts = nn.ModuleList(Stage(*STAGES[i], self.layout) for i in mine).to(device)
P|        stages = [PipelineStage(part, i, len(STAGES), device, group=pipeline) for i, part in zip(mine, self.parts)]
PI|        self.schedule = SCHEDULE(stages, MICRO_BATCHES, loss_fn=loss_of, scale_grads=False)
Pi|        self.schedule = SCHEDULE(stages[0], MICRO_BATCHES, loss_fn=loss_of, scale_grads=False)
P|        self.first, self.last = 0 in mine, len(STAGES) - 1 in mine
p|        self.parts = nn.ModuleList([Stage(*STAGES[0], self.layout)]).to(device)
BE|        experts = [module for module in self.parts.modules() if isinstance(module, Experts)]
BE|        self.routed = {id(weight) for module in experts for weight in (*module.up, *module.down)}
|        self.optimizer = torch.optim.SGD(self.parts.parameters(), lr=0.5)
|
|    def mine(self, whole):
|        """This rank's sequences, and its tokens of them."""
|        index = 0
|        for name in ("replica", "data"):
|            size, _ = AXES.get(name, (1, 1))
|            index = index * size + self.place.get(name, 0)
|        each = MICRO_BATCHES * MICRO_BATCH
|        rows = whole[index * each : (index + 1) * each]
C|        return rows.chunk(self.layout.context.size, dim=1)[self.layout.context.rank].contiguous()
c|        return rows
|
|    def step(self, tokens, target):
|        """The mean loss over the tokens of all ranks."""
|        self.optimizer.zero_grad()
|        tokens, target, losses = self.mine(tokens), self.mine(target), []
P|        self.schedule.step(*([tokens] if self.first else []), **(
P|            {"target": target, "losses": losses} if self.last else {}))
p|        for inputs, targets in zip(tokens.chunk(MICRO_BATCHES), target.chunk(MICRO_BATCHES)):
p|            losses.append(loss_of(self.parts[0](inputs), targets))
p|            losses[-1].backward()
BE|        for weight in self.parts.parameters():
BE|            shared = self.layout.expert_gradients if id(weight) in self.routed else self.layout.gradients
BE|            if shared.size > 1:
BE|                dist.all_reduce(weight.grad, group=shared.group)
Be|        for weight in self.parts.parameters():
Be|            dist.all_reduce(weight.grad, group=self.layout.gradients.group)
|        self.optimizer.step()
|        total = sum((loss.detach() for loss in losses), torch.zeros((), dtype=torch.float64, device=tokens.device))
|        dist.all_reduce(total)
T|        return total.item() / self.layout.tensor.size
t|        return total.item()
|
|
|def main():
|    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
|    options.add_argument("--backend", default="nccl" if torch.cuda.is_available() else "gloo")
|    options.add_argument("--steps", type=int, default=3)
|    given = options.parse_args()
|    dist.init_process_group(given.backend)
|    device = torch.device("cpu")
|    if given.backend == "nccl":
|        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
|        torch.cuda.set_device(device)
|    if dist.get_world_size() != DEVICES:
|        raise SystemExit(f"the plan is for {DEVICES} processes, not {dist.get_world_size()}")
|    groups = make_groups(device.type)
|    trainer = Trainer(groups, device)
|    reference = Reference(device) if dist.get_rank() == 0 else None
|    wrong = False
|    for step in range(given.steps):
|        tokens, target = batch_of(step, device)
|        loss = trainer.step(tokens, target)
|        if reference:
|            alone = reference.step(tokens, target)
|            wrong = wrong or abs(loss - alone) > 1e-9 * abs(alone)
|            print(f"step {step}: loss {loss:.12f}, of one process {alone:.12f}", flush=True)
|    if reference and not wrong:
|        print(f"{len(groups)} groups and {given.steps} steps are as in the plan", flush=True)
|    dist.destroy_process_group()
|    return wrong
|
|
|if __name__ == "__main__":
|    sys.exit(main())
)py";
