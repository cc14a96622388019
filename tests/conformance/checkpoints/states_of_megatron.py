"""A two-layer GPT of Megatron-LM with its distributed optimizer, on the CPU, and its `torch_dist` checkpoints.

Only questions about the device are answered differently: memory is the host's, and types of tensors have the names that they have on a GPU.
The fused Adam of a GPU counts its steps once, PyTorch's for each parameter; `load` leaves the latter's counts alone.
"""
import os

import torch
from torch.overrides import TorchFunctionMode

os.environ.setdefault("NO_VCS_VERSION", "1")


class OnHost(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if str(kwargs.get("device", "")).startswith("cuda"):
            kwargs["device"] = "cpu"
        if func is torch.Tensor.type and len(args) == 1 and not kwargs:
            return func(*args).replace("torch.", "torch.cuda.")
        if func is torch.Tensor.cuda:
            return args[0]
        return func(*("cpu" if isinstance(arg, str) and arg == "cuda" else arg for arg in args), **kwargs)


class Unused:
    def __init__(self, *_, **__):
        pass


torch.cuda.current_device = lambda: torch.device("cpu")
torch.cuda.synchronize = torch.cuda.empty_cache = lambda *_: None
torch.cuda.Stream = torch.cuda.Event = Unused
OnHost().__enter__()


def count_steps_once():
    from megatron.core.optimizer.distrib_optimizer import DistributedOptimizer

    given = DistributedOptimizer._set_main_param_and_optimizer_states
    if given.__name__ != "without_steps":
        def without_steps(self, parameter, tensors):
            return given(self, parameter, {"step": None, **tensors})
        DistributedOptimizer._set_main_param_and_optimizer_states = without_steps


class Job:
    def __init__(self, layout):
        from megatron.core import parallel_state
        from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
        from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec
        from megatron.core.models.gpt.gpt_model import GPTModel
        from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
        from megatron.core.transformer.transformer_config import TransformerConfig

        count_steps_once()
        tensor, pipeline, zero = layout["tensor"], layout["pipeline"], layout["zero"] > 0
        self.form = layout["form"]
        parallel_state.initialize_model_parallel(tensor, pipeline)
        config = TransformerConfig(
            num_layers=2, hidden_size=32, num_attention_heads=4, use_cpu_initialization=True,
            tensor_model_parallel_size=tensor, pipeline_model_parallel_size=pipeline, pipeline_dtype=torch.float32,
            gradient_accumulation_fusion=False, hidden_dropout=0, attention_dropout=0)
        torch.manual_seed(1)
        model = GPTModel(config, get_gpt_layer_local_spec(), 64, 16,
                         pre_process=parallel_state.is_pipeline_first_stage(),
                         post_process=parallel_state.is_pipeline_last_stage(),
                         share_embeddings_and_output_weights=False)
        self.model = DistributedDataParallel(
            config, DistributedDataParallelConfig(use_distributed_optimizer=zero, overlap_grad_reduce=False), model)
        self.optimizer = get_megatron_optimizer(
            OptimizerConfig(optimizer="adam", lr=0.01, use_distributed_optimizer=zero, clip_grad=0.0), [self.model])

    def train(self):
        for gradient in (0.1, 0.3):
            for parameter in self.model.parameters():
                parameter.main_grad.fill_(gradient)
            self.optimizer.step()

    def sharded(self, loading):
        model = self.model.module.sharded_state_dict(prefix="model.")
        optimizer = self.optimizer.sharded_state_dict(
            model, is_loading=loading, metadata={"distrib_optim_sharding_type": self.form})
        return {"model": model, "optimizer": optimizer}

    def save(self, folder):
        from megatron.core import dist_checkpointing

        os.makedirs(folder, exist_ok=True)
        torch.distributed.barrier()
        dist_checkpointing.save(self.sharded(False), folder)

    def load(self, folder):
        from megatron.core import dist_checkpointing

        self.train()  # torch's Adam has no moments before
        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.zero_()
            found = dist_checkpointing.load(self.sharded(True), folder)
            self.model.module.load_state_dict({name[len("model."):]: value for name, value in found["model"].items()})
            self.optimizer.load_state_dict(found["optimizer"])

    def state(self):
        out = {name: parameter.detach().clone() for name, parameter in self.model.named_parameters()}
        for i, part in enumerate(getattr(self.optimizer, "chained_optimizers", [self.optimizer])):
            for j, moments in enumerate(part.optimizer.state.values()):
                out.update({f"{i}.{j}.{name}": value.clone() for name, value in moments.items() if torch.is_tensor(value)})
        return out


def build(layout):
    return Job(layout)


def convert(_rank, _folder):
    """A torch_dist checkpoint is loaded as it is."""


def forget():
    from megatron.core import parallel_state

    parallel_state.destroy_model_parallel()
