"""DeepSpeed itself, on a process group without processes: configuration, groups, and the engine of a tiny model.

Nothing that decides about a layout is replaced. The accelerator is that of accelerator.py, kernels of optimizers that need a
compiler or a GPU are torch's (`torch_adam`), and no collective has a peer, so no step is run.
"""
import contextlib
import copy
import importlib
import logging
import os
import types

import accelerator
import device
from judging import quiet

WIDTH = 8  # of the tiny model's feed-forward parts


class Reading(dict):
    """A configuration that remembers which of its keys were asked for."""

    def __init__(self, *args):
        super().__init__(*args)
        self.read = set()

    def __getitem__(self, key):
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key):
        if super().__contains__(key):
            self.read.add(key)
        return super().__contains__(key)


class Client:
    """`with client.world(rank, size): client.engine(...)`; can be used for many layouts in one process."""

    def __init__(self):
        os.environ.update(DS_ACCELERATOR="cpu", LOCAL_RANK="0", MASTER_ADDR="localhost", MASTER_PORT="29500")
        logging.disable(logging.CRITICAL)
        with quiet():
            import torch
            device.stand_in(torch)
            import deepspeed
            import torch._dynamo  # torch.optim asks for it later, when this process has forked
            import torch.distributed
            from deepspeed.moe.layer import MoE
            from deepspeed.pipe import LayerSpec, PipelineModule
            from deepspeed.runtime import bf16_optimizer, compiler
            from deepspeed.runtime.pipe import topology
            from deepspeed.runtime.sequence_parallel import parallel_state_sp
            from deepspeed.utils import groups
            from torch.testing._internal.distributed.fake_pg import FakeStore
        # Reductions over shared memory, which would be compiled: here they have no peer.
        importlib.import_module("deepspeed.comm.torch").build_shm_op = lambda: None
        compiler.compile = lambda: compiler.dummy_decorator  # of Muon, which no plan has: 10 s
        bf16_optimizer.see_memory_usage = lambda *a, **k: None  # collects garbage to print a figure
        accelerator.stand_in()
        self.deepspeed, self.torch, self.distributed, self.FakeStore = deepspeed, torch, torch.distributed, FakeStore
        self.groups, self.sequence, self.topology = groups, parallel_state_sp, topology
        self.PipelineModule, self.LayerSpec, self.MoE = PipelineModule, LayerSpec, MoE
        self.kept = [(module, {name: copy.copy(value) for name, value in vars(module).items()
                               if name in ("mpu", "mesh_device") or name.isupper()})
                     for module in (groups, parallel_state_sp)]
        self.layers = tiny_layers(torch)

    @contextlib.contextmanager
    def world(self, rank, size):
        """A process group of `size` ranks of which only this one exists."""
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(size))
        self.distributed.init_process_group("fake", store=self.FakeStore(), rank=rank, world_size=size)
        try:
            with quiet():
                self.deepspeed.init_distributed("fake", dist_init_required=False, verbose=False)
                yield
        finally:
            for module, values in self.kept:
                for name, value in values.items():
                    setattr(module, name, copy.copy(value))
            self.deepspeed.comm.comm.cdb = None
            self.distributed.destroy_process_group()

    def model(self, shape, pipeline=None):
        """A tiny model of the plan's shape: real counts of heads, experts and layers of stages, narrow matrices.

        `shape`: layers, heads, kv_heads, tensor, experts, active, for experts in stages expert and expert_tensor, and
        `ends`: whether an embedding and a head stand around the layers of stages.
        `pipeline`: arguments of PipelineModule; empty or None for a model without stages.
        """
        layers = self.layers
        if not pipeline:
            return layers.Model(shape, min(shape["layers"], 2))
        body = [self.LayerSpec(layers.TransformerOfExperts, self.MoE, shape) if shape["experts"] else
                self.LayerSpec(layers.Transformer) for _ in range(shape["layers"])]
        if shape.get("ends", True):
            body = [self.LayerSpec(layers.Embedding), *body, self.LayerSpec(layers.Head)]
        return self.PipelineModule(body, loss_fn=self.torch.nn.MSELoss(), **pipeline)

    def engine(self, config, model, mpu):
        """What deepspeed.initialize returns; refuses as it does in a job."""
        config = Reading(copy.deepcopy(dict(config)))
        settings = config.get("optimizer")
        if settings["type"].startswith("Adam"):
            settings["params"]["torch_adam"] = True
        engine, *_ = self.deepspeed.initialize(model=model, config=config, mpu=mpu, dist_init_required=False,
                                               model_parameters=list(model.parameters()))
        engine.keys_read = config.read
        return engine

    def ulysses(self, shape, sequence, group):
        """The checks of Ulysses attention and of its data loader."""
        from deepspeed.runtime.sequence_parallel import ulysses_sp

        size = self.distributed.get_world_size(group)
        with stand_in_for_transformers():
            ulysses_sp.UlyssesSPAttentionHF(
                attn=None, batch_size=1, attn_head_count=shape["heads"], attn_head_size=2,
                kv_head_count=shape["kv_heads"], num_hidden_layers=1, process_group=group,
                local_seq_length=max(1, sequence // size), global_seq_length=sequence)
        if sequence % size:  # UlyssesSPDataLoaderAdapter.refill, which has to exchange batches to say so
            raise ValueError(f"batch's seqlen={sequence} isn't divisible by sp-size={size}")


@contextlib.contextmanager
def stand_in_for_transformers():
    """Ulysses asks for the version of a package that it does not need for its checks."""
    import importlib.metadata

    real = importlib.metadata.version
    importlib.metadata.version = lambda name: "5.0.0" if name == "transformers" else real(name)
    try:
        yield
    finally:
        importlib.metadata.version = real


def tiny_layers(torch):
    """Modules with the names by which AutoTP, AutoEP and partition_method know parts of a model."""
    Module, Linear = torch.nn.Module, torch.nn.Linear

    class Embedding(Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(4, 4))

    class Head(Linear):
        def __init__(self):
            super().__init__(4, 4)

    class Transformer(Linear):
        def __init__(self):
            super().__init__(4, 4)

    class TransformerOfExperts(Module):
        def __init__(self, moe, shape):
            super().__init__()
            self.mlp = moe(4, Linear(4, 4), num_experts=shape["experts"], ep_size=shape["expert"],
                           k=shape["active"], drop_tokens=False,
                           enable_expert_tensor_parallelism=shape["expert_tensor"] > 1)

    class Attention(Module):
        def __init__(self, shape):
            super().__init__()
            heads, kv = 2 * shape["heads"], 2 * shape["kv_heads"]
            self.q_proj, self.o_proj = Linear(heads, heads, bias=False), Linear(heads, heads, bias=False)
            self.k_proj, self.v_proj = Linear(heads, kv, bias=False), Linear(heads, kv, bias=False)

    class Mlp(Module):
        def __init__(self, hidden, width):
            super().__init__()
            self.gate_proj, self.up_proj = Linear(hidden, width, bias=False), Linear(hidden, width, bias=False)
            self.down_proj = Linear(width, hidden, bias=False)

    class Experts(Module):
        def __init__(self, count, hidden):
            super().__init__()
            self.gate_up_proj = torch.nn.Parameter(torch.zeros(count, 2 * WIDTH, hidden))
            self.down_proj = torch.nn.Parameter(torch.zeros(count, hidden, WIDTH))

    class Mixture(Module):  # as transformers has Mixtral
        def __init__(self, count, hidden):
            super().__init__()
            self.gate, self.experts = Linear(hidden, count, bias=False), Experts(count, hidden)

    class Layer(Module):
        def __init__(self, shape):
            super().__init__()
            self.self_attn = Attention(shape)
            hidden = 2 * shape["heads"]
            self.mlp = Mixture(shape["experts"], hidden) if shape["experts"] else Mlp(hidden, WIDTH * shape["tensor"])

    class Body(Module):
        def __init__(self, shape, layers):
            super().__init__()
            self.layers = torch.nn.ModuleList(Layer(shape) for _ in range(layers))

    class Model(Module):
        def __init__(self, shape, layers):
            super().__init__()
            self.model = Body(shape, layers)
            columns, rows = ("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj")
            plan = {f"layers.*.self_attn.{name}": "colwise" for name in columns}
            plan.update({f"layers.*.mlp.{name}": "colwise" for name in rows})
            plan.update({"layers.*.self_attn.o_proj": "rowwise", "layers.*.mlp.down_proj": "rowwise"})
            self.config = types.SimpleNamespace(
                model_type="mixtral" if shape["experts"] else "llama", hidden_size=2 * shape["heads"],
                num_attention_heads=shape["heads"], num_key_value_heads=shape["kv_heads"],
                num_local_experts=shape["experts"], num_experts_per_tok=shape["active"], base_model_tp_plan=plan)

    return types.SimpleNamespace(Embedding=Embedding, Head=Head, Transformer=Transformer,
                                 TransformerOfExperts=TransformerOfExperts, Model=Model)
