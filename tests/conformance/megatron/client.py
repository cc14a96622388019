"""The stages in which Megatron-LM refuses a layout, each done by its own code, without a GPU.

Validate and Configure run for every layout; Group on a process group without processes; Build makes one
dense and one expert layer without memory (the meta device) and places the layers of every chunk; Run calls
the functions of the first step that look at shapes and counts.
"""
import contextlib
import importlib.util
import inspect
import io
import os
import sys
import types

import attention
import fields
import groups
import narrow
import shims
import translate


class Reached(Exception):
    """The checks that were wanted have passed."""


class Client:
    """The stages that the package has: without a checkout, releases before 0.17 have none before Configure."""

    def __init__(self):
        shims.install()
        import torch
        import torch.distributed
        import megatron.core
        from megatron.core import num_microbatches_calculator, parallel_state, tensor_parallel, utils
        from megatron.core.pipeline_parallel import schedules
        from megatron.core.transformer import transformer_block
        from torch.testing._internal.distributed.fake_pg import FakeStore
        self.torch, self.FakeStore, self.utils = torch, FakeStore, utils
        self.micro_batches, self.state, self.mappings = (
            num_microbatches_calculator, parallel_state, tensor_parallel.mappings)
        self.schedules, self.block = schedules, transformer_block
        self.release = tuple(map(int, megatron.core.__version__.split(".")[:2]))
        self.whole = narrow.whole(torch)
        self.arguments = None  # wheels before 0.17 lack the parser; a checkout has it
        if importlib.util.find_spec("megatron.training"):
            from megatron.training import arguments
            self.arguments = arguments
        from megatron.core.transformer.enums import LayerType
        self.decoder = LayerType.decoder
        import megatron.core.models.gpt.gpt_layer_specs  # noqa: F401  asks for Transformer Engine
        import megatron.core.optimizer  # noqa: F401
        from megatron.core.transformer import attention as its_attention
        its_attention.all_gather_last_dim_from_tensor_parallel_region = (  # the shape is what matters
            lambda part, group=None: torch.cat(
                [part] * parallel_state.get_tensor_model_parallel_world_size(), -1))
        from megatron.core.extensions import transformer_engine
        if not isinstance(transformer_engine.TELinear, type):
            transformer_engine.TELinear = shims.Unused  # modules are asked whether they are one
        shims.pretend_fused_adam()
        self.transformer_engine = narrow.TransformerEngine()
        self.attention = attention.Attention(torch)

    # -- stages

    def validated(self, d):
        """Parse and Validate; without a parser the sizes that they would have handed on."""
        if not self.arguments:
            return fields.sizes(d)
        connections = d.connections() if hasattr(d, "connections") else translate.connections(d)
        return self.parsed(self.options(d), d.world, connections)

    def options(self, d):
        """Those that a layout writes itself, or those of translate.py."""
        return d.options(self.release) if hasattr(d, "options") else translate.arguments(d, self.release)

    def parsed(self, arguments, world, connections):
        os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
        if connections:
            os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = connections
        os.environ.update(WORLD_SIZE=str(world), RANK="0")
        sys.argv = ["pretrain_gpt.py", *arguments]
        return self.arguments.validate_args(self.arguments.parse_args())

    def configured(self, d, args):
        from megatron.core.distributed import DistributedDataParallelConfig
        from megatron.core.optimizer import OptimizerConfig
        if not self.arguments:
            OptimizerConfig(**fields.optimizer(d, self.torch))
            DistributedDataParallelConfig(**fields.data_parallel(d))
            return fields.model(d, self.torch)
        return self.made(args)

    def made(self, args):
        """The configuration objects of these arguments."""
        import dataclasses
        from megatron.core.distributed import DistributedDataParallelConfig
        from megatron.core.optimizer import OptimizerConfig
        config = self.arguments.core_transformer_config_from_args(args)
        for kind in (OptimizerConfig, DistributedDataParallelConfig):
            names = {f.name for f in dataclasses.fields(kind)} & set(vars(args))
            kind(**{name: getattr(args, name) for name in names})
        return config

    @contextlib.contextmanager
    def grouped(self, args, rank, world):
        """A process group without processes, and Megatron-LM's groups of one rank in it."""
        self.torch.distributed.init_process_group("fake", store=self.FakeStore(), rank=rank, world_size=world)
        try:
            self.state.initialize_model_parallel(
                args.tensor_model_parallel_size, args.pipeline_model_parallel_size,
                args.virtual_pipeline_model_parallel_size, context_parallel_size=args.context_parallel_size,
                expert_model_parallel_size=args.expert_model_parallel_size,
                num_distributed_optimizer_instances=args.num_distributed_optimizer_instances,
                expert_tensor_parallel_size=args.expert_tensor_parallel_size,
                order="tp-cp-ep-pp-dp" if args.use_tp_pp_dp_mapping else "tp-cp-ep-dp-pp",
                create_gloo_process_groups=False)
            yield
        finally:
            self.state.destroy_model_parallel()
            self.torch.distributed.destroy_process_group()

    def placed(self, config):
        """The layers of every chunk of every pipeline rank; their sum has to be the model."""
        virtual, total = config.virtual_pipeline_model_parallel_size, 0
        layout = config.pipeline_model_parallel_layout
        for rank in range(config.pipeline_model_parallel_size):
            for chunk in range(virtual or 1):
                stage = chunk if virtual else None
                if layout:
                    total += layout.get_num_layers_to_build(self.decoder, stage, rank)
                else:
                    total += self.block.get_num_layers_to_build(config, stage, rank)
        if total != config.num_layers:
            raise AssertionError(f"the chunks hold {total} layers of {config.num_layers}")

    def built(self, d, config):
        """One layer of each kind, on the meta device and from Megatron-LM's own modules.

        All but norms and the attention kernel, which are Transformer Engine's wherever it matters.
        """
        from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
        from megatron.core.transformer import multi_latent_attention
        from megatron.core.transformer.identity_op import IdentityOp
        from megatron.core.transformer.torch_norm import WrappedTorchNorm
        from megatron.core.transformer.spec_utils import build_module
        torch, whole = self.torch, self.whole
        config.perform_initialization = config.gradient_accumulation_fusion = False  # kernels of APEX
        stage = 0 if config.virtual_pipeline_model_parallel_size else None
        kinds = [None] * (d.experts == 0 or d.dense_layers > 0) + [d.experts] * (d.experts > 0)
        WrappedTorchNorm.__new__ = lambda cls, *a, **k: IdentityOp()
        kept, norms = torch.cuda.current_device, config.qk_layernorm
        torch.cuda.current_device = lambda: torch.device("meta")
        if config.multi_latent_attention and config.q_lora_rank is None:
            config.qk_layernorm = False  # 0.19 would take Transformer Engine's class for norm and query projection
        try:
            with torch.device("meta"):
                for experts in kinds:
                    spec = get_gpt_layer_local_spec(
                        num_experts=experts, moe_grouped_gemm=False, qk_layernorm=config.qk_layernorm,
                        multi_latent_attention=config.multi_latent_attention, normalization=config.normalization)
                    parts = spec.submodules.self_attention.submodules
                    parts.core_attention = IdentityOp
                    if config.multi_latent_attention:  # whole on every rank in Transformer Engine's layer
                        parts.linear_q_down_proj = parts.linear_kv_down_proj = whole
                        multi_latent_attention.TELinear = whole
                    yield build_module(spec, config=config, layer_number=1, vp_stage=stage)
        finally:
            torch.cuda.current_device, config.qk_layernorm = kept, norms

    def optimized(self, d):
        """A sharded optimizer over the one that is asked for, up to its check of which one that is."""
        from megatron.core.optimizer import distrib_optimizer
        kept = distrib_optimizer.MixedPrecisionOptimizer.__init__
        weights = [self.torch.nn.Parameter(self.torch.zeros(1))]
        kind = self.torch.optim.SGD if d.optimizer == "sgd" else self.torch.optim.AdamW
        # A chunk that does its own sharding ends the constructor behind the check.
        chunk = types.SimpleNamespace(ddp_config=types.SimpleNamespace(use_megatron_fsdp=True))
        given = dict.fromkeys(inspect.signature(distrib_optimizer.DistributedOptimizer.__init__).parameters)
        del given["self"]
        config = types.SimpleNamespace(config_logger_dir="")
        try:
            distrib_optimizer.MixedPrecisionOptimizer.__init__ = lambda *_: None  # makes tensors on the device
            distrib_optimizer.DistributedOptimizer(
                **{**given, "optimizer": kind(weights, lr=0.1), "config": config, "model_chunks": [chunk]})
        finally:
            distrib_optimizer.MixedPrecisionOptimizer.__init__ = kept

    def stepped(self, d, config, layers):
        """The shape checks of the first step: the batch, the parts of a sequence, experts, the schedule."""
        torch = self.torch
        self.micro_batches.destroy_num_microbatches_calculator()
        data = d.world // (d.tensor * d.context * d.pipeline)
        self.micro_batches.init_num_microbatches_calculator(0, None, d.batch, d.micro, data)
        count = self.micro_batches.get_num_microbatches()
        whole = part = self.sequence_part(d)
        if config.sequence_parallel:
            part = self.mappings.scatter_to_sequence_parallel_region(part)
        if config.fp8:
            self.transformer_engine.step(torch, config, layers, part.shape[0] * d.micro, whole.shape[0] * d.micro)
        self.attention.step(d, config)
        for layer in layers:
            if not d.latent:
                self.attention_forward(layer.self_attention)
            if type(layer.mlp).__name__ == "MoELayer":
                self.expert_forward(layer.mlp)
                self.routing(torch.zeros(64, d.experts), config)
        if d.pipeline > 1 and (config.virtual_pipeline_model_parallel_size or 1) > 1:
            self.interleaved(config, count, d)

    def sequence_part(self, d):
        """What one context rank gets of a sequence."""
        torch = self.torch
        whole = torch.zeros(1, d.sequence, dtype=torch.int64)
        if d.context == 1:
            return torch.empty(d.sequence, 1, 1, device="meta")
        names = ("_get_batch_on_this_cp_rank_per_sequence_balancing",  # 0.19
                 "get_pretrain_batch_on_this_cp_rank",  # 0.18
                 "get_batch_on_this_cp_rank")
        cut = next(getattr(self.utils, name) for name in names if hasattr(self.utils, name))
        group = {}
        if "cp_group" in inspect.signature(cut).parameters:  # 0.15 takes it from its state
            group["cp_group"] = self.state.get_context_parallel_group()
        kept = torch.Tensor.cuda
        torch.Tensor.cuda = lambda tensor, *a, **k: tensor
        pin, torch.Tensor.pin_memory = torch.Tensor.pin_memory, lambda tensor, *a, **k: tensor
        try:
            batch = cut({"tokens": whole}, **group)
        finally:
            torch.Tensor.cuda, torch.Tensor.pin_memory = kept, pin
        return torch.empty(batch["tokens"].shape[1], 1, 1, device="meta")

    def attention_forward(self, attention):
        """How the product of the input is taken apart into queries, keys and values."""
        torch, width = self.torch, attention.linear_qkv.weight.shape[0]

        class Product(torch.nn.Module):
            def forward(self, _):
                return torch.empty(8, 1, width, device="meta"), None

        attention.linear_qkv = Product()
        attention.get_query_key_value_tensors(torch.empty(8, 1, 1, device="meta"))

    def routing(self, logits, config):
        from megatron.core.transformer.moe.moe_utils import topk_routing_with_score_function
        topk_routing_with_score_function(logits, config.moe_router_topk, config.moe_router_pre_softmax)

    def expert_forward(self, layer):
        def reached(*_, **__):
            raise Reached
        layer.train()
        layer.moe_layer_recompute = False  # by Transformer Engine where compute is narrow
        layer.route = layer.router_and_preprocess = layer.shared_experts_compute = reached
        try:
            layer(self.torch.empty(8, 1, 1, device="meta"))
        except Reached:
            pass

    def interleaved(self, config, count, d):
        """The schedule up to its first use of the model, which is where its checks are done."""
        torch = self.torch

        class Chunk(torch.nn.Module):
            @property
            def model_type(self):
                raise Reached

            def __getattr__(self, name):
                if name == "model_type":
                    raise Reached
                return super().__getattr__(name)

        chunks = []
        for _ in range(config.virtual_pipeline_model_parallel_size):
            chunks.append(Chunk())
            chunks[-1].config = config
        zeros, config.finalize_model_grads_func = torch.zeros, None
        torch.zeros = lambda *a, **k: zeros(*a, **{**k, "device": "cpu"})
        try:
            self.schedules.forward_backward_pipelining_with_interleaving(
                forward_step_func=None, data_iterator=[None] * len(chunks), model=chunks, num_microbatches=count,
                seq_length=d.sequence, micro_batch_size=d.micro)
        except Reached:
            pass
        finally:
            torch.zeros = zeros

    # -- all of them

    @contextlib.contextmanager
    def refusing(self):
        """A list: `[0]` is the stage, to be set as it goes on; at the end `[1]` is the refusal or None."""
        noise, said = io.StringIO(), ["Validate", None]
        try:
            with contextlib.redirect_stdout(noise), contextlib.redirect_stderr(noise):
                yield said
        except SystemExit:
            said[1] = "Parse SystemExit: " + " ".join(noise.getvalue().rsplit("error:", 1)[-1].split())
        except Exception as error:
            said[1] = f"{said[0]} {type(error).__name__}: " + (" ".join(str(error).split()) or "no message")

    def refusal(self, d):
        """"Stage ErrorClass: message", or None. Inexpressible passes through."""
        self.options(d)  # Inexpressible is no refusal by Megatron-LM's code
        with self.refusing() as said:
            args = self.validated(d)
            said[0] = "Configure"
            config = self.configured(d, args)
            said[0] = "Group"
            with self.grouped(args, 0, d.world):
                said[0] = "Build"
                self.placed(config)
                layers = list(self.built(d, config))
                if d.zero:
                    self.optimized(d)
                if d.zero > 1:
                    groups.fully_sharded_mesh(self.state, d.replica, d.experts)
                said[0] = "Run"
                self.stepped(d, config, layers)
            said[0] = "Group"
            with self.grouped(args, d.world - 1, d.world):
                pass
        return said[1]

    def refusal_of_launch(self, launch):
        """The same of a launch script, up to the groups and the placement of layers."""
        with self.refusing() as said:
            args = self.parsed(launch.arguments, launch.world,
                               launch.environment.get("CUDA_DEVICE_MAX_CONNECTIONS"))
            said[0] = "Configure"
            config = self.made(args)
            said[0] = "Group"
            with self.grouped(args, 0, launch.world):
                said[0] = "Build"
                self.placed(config)
        return said[1]
