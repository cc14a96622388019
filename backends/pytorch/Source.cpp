//===- Source.cpp - The PyTorch module: groups, collectives, the model ------------------------===//
#include "backends/pytorch/Pytorch.h"

const char* const dpl::pytorch::modelSource = R"py(|
|
A|class Ranks:
A|    """The ranks of one group, and this one's place in it; without a group it is alone."""
A|
A|    def __init__(self, group=None):
A|        self.group = group
A|        self.size = dist.get_world_size(group) if group else 1
A|        self.rank = dist.get_rank(group) if group else 0
A|
A|
|class Layout:
|    """The groups that a layer communicates in. Without any, a layer is whole: the reference model."""
|
|    def __init__(self, groups=None):
A|        groups = groups or {}
a|        """A pipeline alone has none."""
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
C|        y = F.scaled_dot_product_attention(query, key, value, attn_mask=earlier, enable_gqa=True)
c|        y = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
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
|    """Consecutive layers, with the embedding before the first and the head after the last of the model."""
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
)py";
