"""The groups of every rank: those that a plan.json describes, and those that Megatron-LM makes.

One call of initialize_model_parallel makes all groups of all ranks, as every rank has to take part in making
each, so what it hands to `create_group` is the grouping of the whole world. Which of them a rank keeps is asked
rank by rank in small worlds.
"""
import contextlib

EVERY_RANK_UP_TO = 64  # ranks of a world in which every rank is asked; 2 seconds at 64
ASKED_IN_LARGER = 4

# Megatron-LM's name of a kind of group: (grid of the plan, axes outermost first). A kind whose axes the plan
# writes as a group of its own is taken from there.
DENSE = {
    "TENSOR_MODEL_PARALLEL_GROUP": ["tensor"],
    "CONTEXT_PARALLEL_GROUP": ["context"],
    "PIPELINE_MODEL_PARALLEL_GROUP": ["pipeline"],
    "DATA_PARALLEL_GROUP": ["replica", "data"],
    "DATA_PARALLEL_GROUP_WITH_CP": ["replica", "data", "context"],
    "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP": ["data", "context"],
    "TENSOR_AND_CONTEXT_PARALLEL_GROUP": ["context", "tensor"],
    "TENSOR_AND_DATA_PARALLEL_GROUP": ["replica", "data", "tensor"],
    "TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP": ["replica", "data", "context", "tensor"],
    "MODEL_PARALLEL_GROUP": ["pipeline", "tensor"],
    "EMBEDDING_GROUP": ["pipeline"],
    "POSITION_EMBEDDING_GROUP": ["pipeline"],
    "INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP": ["pipeline", "data", "context", "tensor"],
    "GTP_WEIGHT_REMAT_GROUP": [],
}
EXPERTS = {
    "EXPERT_MODEL_PARALLEL_GROUP": ["expert"],
    "EXPERT_TENSOR_PARALLEL_GROUP": ["expert_tensor"],
    "EXPERT_DATA_PARALLEL_GROUP": ["replica", "expert_data"],
    "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L0": ["expert_data"],
    "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1": ["replica"],
    "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP": ["expert", "expert_tensor"],
    "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP": ["pipeline", "expert", "expert_tensor"],
    "EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP_WITH_EGTP": ["pipeline", "expert", "expert_tensor"],
    "EXPERT_GTP_WEIGHT_REMAT_GROUP": [],
}
# The names that a file of communicator configurations uses.
NAMES = {
    "dp_cp": "DATA_PARALLEL_GROUP_WITH_CP",
    "intra_dp_cp": "INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP",
    "pp": "PIPELINE_MODEL_PARALLEL_GROUP",
    "ep": "EXPERT_MODEL_PARALLEL_GROUP",
    "ep_dp": "EXPERT_DATA_PARALLEL_GROUP",
    "intra_ep_dp": "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L0",
    "inter_ep_dp": "HIERARCHICAL_EXPERT_DATA_PARALLEL_GROUP_L1",
}
UNORDERED = {"INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP"}  # slice by slice; nothing depends on its order


def members(base, factors):
    """base + Σ index × stride, the first (count, stride) varying slowest."""
    ranks = [base]
    for count, stride in factors:
        ranks = [rank + index * stride for rank in ranks for index in range(count)]
    return tuple(ranks)


class Planned:
    """The groups of a plan.json, each a tuple of ranks in the plan's order."""

    def __init__(self, plan):
        self.world = plan["devices"]
        self.dense = {axis["axis"]: (axis["size"], axis["stride"]) for axis in plan["mesh"]}
        self.experts = {axis["axis"]: (axis["size"], axis["stride"]) for axis in plan["expert_mesh"]}
        self.named = {group["name"]: group for group in plan["groups"]}

    def kinds(self):
        """The kinds that the plan knows."""
        return {**DENSE, **(EXPERTS if self.experts else {})}

    def factors(self, kind, axes, grid):
        if kind == "POSITION_EMBEDDING_GROUP":
            return []  # the first pipeline rank alone
        if kind == "EMBEDDING_GROUP":
            return [(s["count"], s["stride"]) for s in self.named["embedding"]["strides"]]
        if group := self.named.get("+".join(axes)):
            return [(s["count"], s["stride"]) for s in group["strides"]]
        return [grid[axis] for axis in axes]

    def groups(self, kind):
        axes = self.kinds()[kind]
        grid = self.experts if kind in EXPERTS else self.dense
        factors = self.factors(kind, axes, grid)
        taken = [grid[axis] for axis in axes]
        bases = (r for r in range(self.world) if all(r // stride % size == 0 for size, stride in taken))
        return [members(base, factors) for base in bases]


class Made:
    """What Megatron-LM hands to `create_group` while this is entered: {kind: [ranks in its order]}, and the kinds
    whose communicators get a stream of high priority."""

    def __init__(self, state):
        self.state, self.groups, self.prior = state, {}, set()

    @contextlib.contextmanager
    def recorded(self):
        create = self.state.create_group

        def create_group(ranks=None, *rest, group_desc=None, pg_options=None, **options):
            self.groups.setdefault(group_desc, []).append(tuple(ranks))
            if getattr(pg_options, "is_high_priority_stream", False):  # no process group without NCCL takes it
                self.prior.add(group_desc)
            return create(ranks, *rest, group_desc=group_desc, **options)

        self.state.create_group = create_group
        try:
            yield self
        finally:
            self.state.create_group = create


def compare(planned, made, same):
    """Every group of every rank, and the order of ranks in it; the number of groups."""
    kinds, count = planned.kinds(), 0
    unknown = sorted(kind for kind in made if kind not in DENSE and kind not in EXPERTS)
    same("kinds of groups that the plan does not describe", unknown, [])
    for kind, axes in kinds.items():
        if kind not in made:
            continue
        theirs, ours = made[kind], planned.groups(kind)
        if kind in UNORDERED:
            theirs, ours = [tuple(sorted(g)) for g in theirs], [tuple(sorted(g)) for g in ours]
        theirs, ours = sorted(theirs), sorted(ours)
        if theirs != ours:
            first, second = next(((t, o) for t, o in zip(theirs, ours) if t != o), (theirs, ours))
            same(f"{kind.lower()} over {' × '.join(axes)}", list(first), list(second))
        count += len(ours)
    return count


def asked(state, sharded_instances, experts):
    """What a rank keeps, by kind."""
    out = {
        "TENSOR_MODEL_PARALLEL_GROUP": state.get_tensor_model_parallel_group(),
        "CONTEXT_PARALLEL_GROUP": state.get_context_parallel_group(),
        "PIPELINE_MODEL_PARALLEL_GROUP": state.get_pipeline_model_parallel_group(),
        "DATA_PARALLEL_GROUP": state.get_data_parallel_group(),
        "DATA_PARALLEL_GROUP_WITH_CP": state.get_data_parallel_group(with_context_parallel=True),
        "TENSOR_AND_CONTEXT_PARALLEL_GROUP": state.get_tensor_and_context_parallel_group(),
        "MODEL_PARALLEL_GROUP": state.get_model_parallel_group(),
    }
    if sharded_instances:
        out["INTRA_PARTIAL_DATA_PARALLEL_GROUP_WITH_CP"] = state.get_data_parallel_group(
            with_context_parallel=True, partial_data_parallel=True)
    if experts:
        out |= {
            "EXPERT_MODEL_PARALLEL_GROUP": state.get_expert_model_parallel_group(),
            "EXPERT_TENSOR_PARALLEL_GROUP": state.get_expert_tensor_parallel_group(),
            "EXPERT_DATA_PARALLEL_GROUP": state.get_expert_data_parallel_group(),
            "EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP": state.get_expert_tensor_and_model_parallel_group(),
        }
    return out


def fully_sharded_mesh(state, instances, experts):
    """The device meshes of Megatron-FSDP on this rank, by its own functions; they compare themselves with the groups."""
    import inspect
    from megatron.core.distributed.fsdp import mcore_fsdp_adapter as fsdp
    hybrid = instances > 1
    outer = [state.get_inter_distributed_optimizer_instance_group()] if hybrid else []
    make = fsdp._get_hsdp_tp_mesh if hybrid else fsdp._get_dp_tp_mesh  # pylint: disable=protected-access
    make(*outer, state.get_data_parallel_group(with_context_parallel=True, partial_data_parallel=hybrid),
         state.get_tensor_model_parallel_group())
    if experts and "ep_size" in inspect.signature(make).parameters:
        make(*outer, state.get_expert_data_parallel_group(**({"partial_expert_data_parallel": True} if hybrid else {})),
             state.get_expert_tensor_parallel_group(), ep_size=state.get_expert_model_parallel_group().size())
