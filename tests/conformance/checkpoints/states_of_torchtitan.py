"""A two-layer network under PyTorch's parallelism, and its distributed checkpoints, which torchtitan writes.

Stage 3 is `fully_shard`, 0 a replica on each rank. Tensor parallelism shards the first layer by columns and the second by rows.
"""
import torch
from torch import nn


class Job:
    def __init__(self, layout):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

        tensor = layout["tensor"]
        mesh = init_device_mesh("cpu", (layout["world"] // tensor, tensor), mesh_dim_names=("data", "tensor"))
        torch.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(32, 64), nn.Linear(64, 32))
        if tensor > 1:
            parallelize_module(self.model, mesh["tensor"], {"0": ColwiseParallel(), "1": RowwiseParallel()})
        if layout["zero"] == 3:
            for layer in self.model:
                fully_shard(layer, mesh=mesh["data"])
            fully_shard(self.model, mesh=mesh["data"])
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)

    def train(self):
        for gradient in (0.1, 0.3):
            for parameter in self.model.parameters():
                parameter.grad = torch.full_like(parameter, gradient)
            self.optimizer.step()

    def states(self):
        from torch.distributed.checkpoint.state_dict import get_state_dict

        model, optimizer = get_state_dict(self.model, self.optimizer)
        return {"model": model, "optimizer": optimizer}

    def save(self, folder):
        import torch.distributed.checkpoint as checkpoint

        checkpoint.save(self.states(), checkpoint_id=folder)

    def load(self, folder):
        import torch.distributed.checkpoint as checkpoint
        from torch.distributed.checkpoint.state_dict import set_state_dict

        with torch.no_grad():
            for parameter in self.model.parameters():
                parameter.zero_()
        states = self.states()
        checkpoint.load(states, checkpoint_id=folder)
        set_state_dict(self.model, self.optimizer, model_state_dict=states["model"], optim_state_dict=states["optimizer"])

    def state(self):
        def local(value):
            return (value.to_local() if hasattr(value, "to_local") else value).detach().clone()

        out = {name: local(parameter) for name, parameter in self.model.named_parameters()}
        for name, parameter in self.model.named_parameters():
            out.update({f"{name}.{key}": local(value) for key, value in self.optimizer.state[parameter].items()})
        return out


def build(layout):
    return Job(layout)


def convert(_rank, _folder):
    """A distributed checkpoint is loaded as it is."""


def forget():
    """The process group is all that is global."""
