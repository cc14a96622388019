"""Accelerate itself: the launcher's parser and environment, then plug-ins and mesh on a process group without
processes. Nothing that decides about a layout is replaced."""
import contextlib
import copy
import os
import types


class Client:
    """`judge`s what `accelerate launch` would have been called with; for many layouts in one process."""

    def __init__(self, deepspeed):
        self.deepspeed = deepspeed  # of ../deepspeed/client.py: its world and its engine
        import torch
        import torch.distributed
        from accelerate.commands import launch
        from accelerate.parallelism_config import ParallelismConfig
        from accelerate.utils import DistributedType, dataclasses
        from accelerate.utils import launch as environment
        self.launch, self.environment, self.dataclasses = launch, environment, dataclasses
        self.ParallelismConfig, self.DistributedType, self.distributed = ParallelismConfig, DistributedType, \
            torch.distributed
        self.parser = launch.launch_command_parser()

    def parse(self, arguments):
        """The options of `accelerate launch` with the file's settings, and the variables of its processes."""
        given = self.parser.parse_args(arguments)
        given, defaults, from_file = self.launch._validate_launch_command(given)
        if given.use_deepspeed:  # as launch_command does
            fields = list(defaults.deepspeed_config.keys()) + (["mixed_precision"] if from_file else [])
            given.deepspeed_fields_from_accelerate_config = ",".join(fields)
            _, variables = self.environment.prepare_deepspeed_cmd_env(given)
        elif given.use_fsdp or given.use_megatron_lm or given.multi_gpu:
            variables = self.environment.prepare_multi_gpu_env(given)
            if given.use_parallelism_config and "ACCELERATE_USE_PARALLELISM_CONFIG" not in variables:
                variables = self.environment.prepare_extend_env_parallelism_config(given, variables)
        else:
            _, variables = self.environment.prepare_simple_launcher_cmd_env(given)
        return given, defaults, variables

    @contextlib.contextmanager
    def world(self, variables, rank, size):
        """The process `rank` with these variables."""
        before = dict(os.environ)
        os.environ.update(variables)
        try:
            with self.deepspeed.world(rank, size):
                yield
        finally:
            os.environ.clear()
            os.environ.update(before)

    def accelerator(self, kind, variables, size):
        """What Accelerator() makes of its variables before it looks at a device: plug-in and mesh."""
        plug_in = {"FSDP": self.dataclasses.FullyShardedDataParallelPlugin,
                   "DEEPSPEED": self.dataclasses.DeepSpeedPlugin,
                   "MEGATRON_LM": self.dataclasses.MegatronLMPlugin}.get(kind)
        made = types.SimpleNamespace(plug_in=plug_in() if plug_in else None, mesh=None, parallelism=None)
        if kind in ("DEEPSPEED", "MEGATRON_LM"):
            made.plug_in.set_mixed_precision(variables["ACCELERATE_MIXED_PRECISION"])
        if variables.get("ACCELERATE_USE_PARALLELISM_CONFIG") == "true":
            made.parallelism = self.ParallelismConfig()
            made.mesh = made.parallelism.build_device_mesh("cpu")
            made.parallelism._validate_accelerator(types.SimpleNamespace(
                is_fsdp2=kind == "FSDP" and made.plug_in.fsdp_version == 2, multi_device=size > 1, num_processes=size,
                distributed_type=self.DistributedType(kind), is_main_process=True))
        return made

    def known(self, defaults):
        """Settings of the file's sections that no option of the launcher has: it would not read them."""
        names = {action.dest for action in self.parser._actions}
        sections = ("fsdp_config", "parallelism_config", "deepspeed_config", "megatron_lm_config")
        return sorted({key for section in sections for key in getattr(defaults, section)} - names)

    def engine_config(self, made):
        return copy.deepcopy(made.plug_in.deepspeed_config)
