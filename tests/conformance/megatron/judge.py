"""Lets Megatron-LM itself judge emitted folders: its parser, validation, configuration, placement, groups.

    python judge.py FOLDER... [--damaged FOLDER...]

Runs in the environment that environment.py makes. The plan's side of every comparison is plan.json.
"""
import contextlib
import importlib.metadata
import logging
import os
import random
import sys
import warnings

import groups
import judging
import shims
from judging import read_json, same
from launcher import Launch, tokens_of


class Judge:
    def __init__(self):
        shims.install()
        import torch.distributed
        import yaml
        from megatron.core import num_microbatches_calculator, parallel_state
        from megatron.core.transformer import transformer_block, transformer_layer
        from megatron.core.transformer.enums import LayerType
        from megatron.core.transformer.multi_token_prediction import get_mtp_num_layers_to_build
        from megatron.training import arguments, vocab_utils
        from torch.testing._internal.distributed.fake_pg import FakeStore
        self.distributed, self.FakeStore = torch.distributed, FakeStore
        self.micro_batches, self.state = num_microbatches_calculator, parallel_state
        self.block, self.layer, self.LayerType = transformer_block, transformer_layer, LayerType
        self.mtp_layers = get_mtp_num_layers_to_build
        self.arguments, self.vocab, self.yaml = arguments, vocab_utils, yaml
        self.variables = ("WORLD_SIZE", "RANK", "CUDA_DEVICE_MAX_CONNECTIONS")

    def judge(self, folder):
        """One line of praise, or an exception that says what is wrong."""
        plan, launch = read_json(folder, "plan.json"), Launch(folder)
        same("processes that launch.sh starts", launch.world, plan["devices"])
        same("processes a node", int(launch.options["--nproc-per-node"]), plan["gpus_per_node"])
        tokens = tokens_of(folder)
        same("arguments that launch.sh passes on", launch.arguments[:len(tokens)], tokens)
        before = {name: os.environ.get(name) for name in self.variables}
        try:
            args, config = self.configure(launch)
            self.sizes(args, plan)
            world, made = plan["devices"], groups.Made(self.state)
            with made.recorded(), self.world(args, 0, world, args.nccl_communicator_config_path):
                chunks = self.placement(args, config, plan)
                if args.use_megatron_fsdp:
                    groups.fully_sharded_mesh(self.state, args.num_distributed_optimizer_instances,
                                              plan["model"]["experts"])
            self.communicators(args, made)
            count, ranks = self.groups(args, plan, made.groups)
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
        size = plan["parallel"]
        experts = f" ep{size['expert']} etp{size['expert_tensor']}" if plan["model"]["experts"] else ""
        return (f"{world} ranks: tp{size['tensor']} cp{size['context']} dp{args.data_parallel_size} "
                f"pp{size['pipeline']}x{size['virtual_pipeline']}{experts}, "
                f"{plan['batch']['micro_batches']} micro-batches, {chunks} chunks, {count} groups, "
                f"{'every rank' if len(ranks) == world else f'{len(ranks)} ranks'} asked")

    def configure(self, launch):
        """Stages P, V and C: parse, validate, and the configuration objects."""
        os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
        if "CUDA_DEVICE_MAX_CONNECTIONS" in launch.environment:
            os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = launch.environment["CUDA_DEVICE_MAX_CONNECTIONS"]
        os.environ.update(WORLD_SIZE=str(launch.world), RANK="0")
        sys.argv = [launch.script, *launch.arguments]
        args = self.arguments.validate_args(self.arguments.parse_args())
        return args, self.arguments.core_transformer_config_from_args(args)

    def sizes(self, args, plan):
        size, batch = plan["parallel"], plan["batch"]
        same("tensor parallel size", args.tensor_model_parallel_size, size["tensor"])
        same("pipeline parallel size", args.pipeline_model_parallel_size, size["pipeline"])
        same("context parallel size", args.context_parallel_size, size["context"])
        same("virtual pipeline size", args.virtual_pipeline_model_parallel_size or 1, size["virtual_pipeline"])
        same("data parallel size", args.data_parallel_size, size["replica"] * size["data"])
        same("layers", args.num_layers, plan["model"]["layers"])
        same("experts", args.num_experts or 0, plan["model"]["experts"])
        if plan["model"]["experts"]:
            same("expert parallel size", args.expert_model_parallel_size, size["expert"])
            same("expert tensor parallel size", args.expert_tensor_parallel_size, size["expert_tensor"])
            pattern = args.moe_layer_freq
            if isinstance(pattern, int):
                pattern = [1 if i % pattern == 0 else 0 for i in range(args.num_layers)]
            same("layers with experts", sum(pattern), plan["model"]["expert_layers"])
            same("entries of the expert layer pattern", len(pattern), args.num_layers)
        self.micro_batches.destroy_num_microbatches_calculator()
        self.micro_batches.init_num_microbatches_calculator(
            0, None, args.global_batch_size, args.micro_batch_size, args.data_parallel_size)
        same("micro-batches", self.micro_batches.get_num_microbatches(), batch["micro_batches"])
        same("global batch", args.global_batch_size, batch["global"])
        same("padded vocabulary", self.vocab.calculate_padded_vocab_size(
            args.vocab_size, args.make_vocab_size_divisible_by, args.tensor_model_parallel_size),
            plan["model"]["padded_vocab"])

    def asked(self, plan):
        """Every rank of a small world; of a large one the first, the last and some between, always the same."""
        world = plan["devices"]
        if world <= groups.EVERY_RANK_UP_TO:
            return list(range(world))
        ranks, generator = {0, world - 1}, random.Random(plan["hash"])
        while len(ranks) < groups.ASKED_IN_LARGER:
            ranks.add(generator.randrange(world))
        return sorted(ranks)

    @contextlib.contextmanager
    def world(self, args, rank, world, configuration=None):
        """Stage G: a process group without processes, and Megatron-LM's own groups in it."""
        self.distributed.init_process_group("fake", store=self.FakeStore(), rank=rank, world_size=world)
        try:
            self.state.initialize_model_parallel(
                args.tensor_model_parallel_size, args.pipeline_model_parallel_size,
                args.virtual_pipeline_model_parallel_size,
                context_parallel_size=args.context_parallel_size,
                expert_model_parallel_size=args.expert_model_parallel_size,
                num_distributed_optimizer_instances=args.num_distributed_optimizer_instances,
                expert_tensor_parallel_size=args.expert_tensor_parallel_size,
                order="tp-cp-ep-pp-dp" if args.use_tp_pp_dp_mapping else "tp-cp-ep-dp-pp",
                nccl_communicator_config_path=configuration,
                create_gloo_process_groups=False)
            yield
        finally:
            self.state.destroy_model_parallel()
            self.distributed.destroy_process_group()

    def placement(self, args, config, plan):
        """Stage B: which layers each chunk of each pipeline rank builds."""
        virtual, offset = args.virtual_pipeline_model_parallel_size, 0
        layout = config.pipeline_model_parallel_layout
        planned = {(c["pipeline_rank"], c["chunk"]): c for c in plan["placement"]}
        same("number of chunks", args.pipeline_model_parallel_size * (virtual or 1), len(planned))
        for chunk in range(virtual or 1):
            for rank in range(args.pipeline_model_parallel_size):
                stage = chunk if virtual else None
                mine, where = planned[rank, chunk], f"pipeline rank {rank}, chunk {chunk}"
                if layout:
                    layers = layout.get_num_layers_to_build(self.LayerType.decoder, stage, rank)
                    first = layout.get_layer_offset(self.LayerType.decoder, stage, rank)
                    prediction = layout.get_num_layers_to_build(self.LayerType.mtp, stage, rank)
                else:
                    layers = self.block.get_num_layers_to_build(config, stage, rank)
                    first = self.layer.get_transformer_layer_offset(config, stage, rank)
                    last = rank == args.pipeline_model_parallel_size - 1 and chunk == (virtual or 1) - 1
                    prediction = (config.mtp_num_layers or 0) if last else 0
                same(f"layers of {where}", layers, mine["layers"])
                if layers:
                    same(f"first layer of {where}", first, mine["first_layer"])
                same(f"sum of the layers before {where}", offset, mine["first_layer"])
                same(f"prediction layers of {where}", prediction, mine["mtp_layers"])
                same(f"embedding of {where}", rank == 0 and chunk == 0, mine["embedding"])
                same(f"head of {where}", len(planned) == chunk * args.pipeline_model_parallel_size + rank + 1,
                     mine["head"])
                offset += layers
        same("layers in all", offset, config.num_layers)
        return len(planned)

    def communicators(self, args, made):
        """The groups that communicators.yaml names, and no others, get a stream of high priority."""
        named = {}
        if args.nccl_communicator_config_path:
            with open(args.nccl_communicator_config_path, encoding="utf-8") as file:
                named = self.yaml.safe_load(file)
        same("groups with a stream of high priority", sorted(made.prior), sorted(groups.NAMES.get(name, name) for name in named))

    def groups(self, args, plan, made):
        """Every group of the world, then what single ranks keep; (number of groups, ranks asked)."""
        planned, ranks = groups.Planned(plan), self.asked(plan)
        count = groups.compare(planned, made, same)
        kept = {kind: {rank: group for group in planned.groups(kind) for rank in group}
                for kind in planned.kinds()}
        for rank in ranks:
            with self.world(args, rank, planned.world):
                held = groups.asked(self.state, args.num_distributed_optimizer_instances > 1,
                                    bool(planned.experts))
                for kind, group in held.items():
                    same(f"{kind.lower()} of rank {rank}", self.distributed.get_process_group_ranks(group),
                         list(kept[kind][rank]))
                    same(f"rank {rank} in its {kind.lower()}", self.distributed.get_rank(group),
                         kept[kind][rank].index(rank))
        return count, ranks


def make():
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    with judging.quiet():
        judge = Judge()
    return f"megatron-core {importlib.metadata.version('megatron-core')}", judge.judge, None


if __name__ == "__main__":
    sys.exit(judging.main(make))
