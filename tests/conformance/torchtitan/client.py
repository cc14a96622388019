"""torchtitan's own Trainer on a machine without a GPU, as far as its constructor goes.

`Client().build(arguments, world, rank)` reads the configuration with ConfigManager and constructs the Trainer in
a process group without processes: ParallelDims and its meshes, the model on the meta device, the split into
stages, tensor, expert, context and data parallelism, the schedule, the optimizers. It stops at the checkpointer.
`forward` runs the model once more, without values. Nothing that decides about a layout is replaced, only the
tokenizer, the data, and questions about the device.
"""
import contextlib
import importlib
import logging
import os
import sys
import traceback
import types
import warnings

import device


class Reached(Exception):
    """The constructor came to its end."""


def isolated(function, *arguments):
    """What the function returns, from a process of its own: torchtitan keeps meshes from one Trainer to the next."""
    import pickle
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = pickle.dumps(function(*arguments))
            device.check()
        except device.AskedTheMachine:
            traceback.print_exc()
            os._exit(1)
        except BaseException as error:  # pylint: disable=broad-except
            said = pickle.dumps(f"{type(error).__name__}: {error}")
        with os.fdopen(writing, "wb") as file:
            file.write(said)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as file:
        said = file.read()
    os.waitpid(child, 0)
    if not said:
        raise RuntimeError("the process died")
    return pickle.loads(said)


def server(function):
    """A stand-in for the function that runs every call in a fork of this process as it is now, before it has
    threads."""
    import multiprocessing
    here, there = multiprocessing.Pipe()
    if os.fork() == 0:
        here.close()
        try:
            while True:
                there.send(isolated(function, *there.recv()))
        except EOFError:
            os._exit(0)
    there.close()

    def call(*arguments):
        here.send(arguments)
        return here.recv()
    return call


class Device:
    """What torchtitan asks torch.cuda about."""

    def __getattr__(self, name):
        import torch
        return getattr(torch.cpu, name)

    @staticmethod
    def set_device(_):
        pass


class Monitor:
    device_name = device.NAME

    def __getattr__(self, name):
        return lambda *_: type("Stats", (), {"max_reserved_gib": 0.0, "max_reserved_pct": 0.0})()


def _everywhere(name, old, new):
    """Replaces a name that modules of torchtitan imported from one another."""
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("torchtitan") and vars(module).get(name) is old:
            setattr(module, name, new)


class Client:
    def __init__(self):
        os.environ.update(LOCAL_RANK="0")
        warnings.simplefilter("ignore")
        import torch
        device.stand_in(torch)
        from torchtitan.config import ConfigManager
        from torchtitan.tools import utils
        logging.disable(logging.CRITICAL)
        self.manager = ConfigManager
        self.old = importlib.util.find_spec("torchtitan.config.job_config") is not None  # 0.2
        self.module = importlib.import_module("torchtitan.train" if self.old else "torchtitan.trainer")
        metrics = importlib.import_module("torchtitan.components.metrics")
        _everywhere("device_module", utils.device_module, Device())
        _everywhere("device_type", utils.device_type, "cpu")
        metrics.build_device_memory_monitor = Monitor
        utils.subprocess = types.SimpleNamespace(  # lspci, for the peak of the device
            PIPE=None, run=lambda *_, **__: types.SimpleNamespace(stdout=device.NAME))
        torch.nn.Module.to_empty = lambda module, **_: module  # stays on the meta device
        if self.old:
            self._without_data()
            self.module.CheckpointManager = self._reached
        else:
            utils.get_local_device = lambda: torch.device("cpu")
            from torchtitan.components.checkpoint import CheckpointManager
            CheckpointManager.Config.build = self._reached
        self._warm()
        device.guard(torch)  # before agree.py makes its server

    def _warm(self):
        """Builds a Trainer, so that forks find loaded what every first one loads. Its world of 6 processes is like no
        layout's: what torchtitan keeps of its meshes is never taken for that of another."""
        arguments = {"model.name": "llama3", "model.flavor": "debugmodel"} if self.old else {
            "module": "llama3", "config": "llama3_debugmodel"}
        config = self.configure([*(f"--{name}={value}" for name, value in arguments.items()),
                                 "--parallelism.tensor_parallel_degree=2", "--training.seq_len=96"])
        with self.world(6, 0):
            self.trainer(config)

    @staticmethod
    def _reached(*_, **__):
        raise Reached

    def _without_data(self):
        import dataclasses
        specs = self.module.train_spec_module
        spec = specs.get_train_spec
        specs.get_train_spec = lambda name: dataclasses.replace(
            spec(name), build_tokenizer_fn=None, build_dataloader_fn=None)

    @contextlib.contextmanager
    def world(self, world, rank):
        """A process group of this many processes, none of which exists."""
        import torch.distributed as distributed
        from torch.testing._internal.distributed.fake_pg import FakeStore
        os.environ.update(WORLD_SIZE=str(world), RANK=str(rank))
        distributed.init_process_group("fake", store=FakeStore(), rank=rank, world_size=world)
        try:
            yield
        finally:
            distributed.destroy_process_group()

    def configure(self, arguments):
        """Stages parse, validate and configure: what the command line and the files say."""
        sys.modules.pop("dpl_plan", None)
        return self.manager().parse_args(list(arguments))

    def dimensions(self, config, world):
        """ParallelDims of a configuration."""
        from torchtitan.distributed import ParallelDims
        p = config.parallelism
        if not self.old:
            return ParallelDims.from_config(p, world)
        return ParallelDims(
            dp_shard=p.data_parallel_shard_degree, dp_replicate=p.data_parallel_replicate_degree,
            cp=p.context_parallel_degree, tp=p.tensor_parallel_degree, pp=p.pipeline_parallel_degree,
            ep=p.expert_parallel_degree, etp=p.expert_tensor_parallel_degree, world_size=world)

    def trainer(self, config):
        """Stages group and build, inside `world`; the Trainer as far as it came."""
        if self.old:
            config.optimizer.implementation = "for-loop"  # the fused one asks for a GPU's tensors
        else:
            self._without_data_of(config)
        trainer = self.module.Trainer.__new__(self.module.Trainer)
        try:
            trainer.__init__(config)
        except Reached:
            return trainer
        raise AssertionError("the Trainer was constructed without a checkpointer")

    @staticmethod
    def _without_data_of(config):
        for part in (config.tokenizer, config.dataloader):
            type(part).build = lambda *_, **__: None
        for group in config.optimizer.param_groups:
            group.optimizer_kwargs = {**group.optimizer_kwargs, "fused": False, "foreach": False}

    @staticmethod
    def forward(trainer, config):
        """Stage run, of a model that is split by tensor only: what attention makes of the heads of one rank.
        Experts hand their tokens on, since no other process answers the dispatcher."""
        import torch
        moe = importlib.import_module("torchtitan.models.moe.moe").MoE
        kept, moe.forward = moe.forward, lambda self, x: x
        try:
            trainer.model_parts[0](torch.zeros(1, config.training.seq_len, dtype=torch.long, device="meta"))
        finally:
            moe.forward = kept
