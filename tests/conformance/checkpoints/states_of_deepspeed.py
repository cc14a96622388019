"""A two-layer network under DeepSpeed's ZeRO, and its checkpoints, made universal where a layout says so."""
import os
import subprocess
import sys

os.environ["DS_ACCELERATOR"] = "cpu"
import torch  # noqa: E402
from torch import nn  # noqa: E402

universal = False


class Job:
    def __init__(self, layout):
        global universal
        import deepspeed

        universal = layout["universal"]
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(32, 64), nn.Linear(64, 32))
        config = {"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": layout["zero"]}, "bf16": {"enabled": True},
                  "optimizer": {"type": "Adam", "params": {"lr": 0.01, "torch_adam": True}},
                  "checkpoint": {"load_universal": universal}}
        self.engine = deepspeed.initialize(model=model, config=config, model_parameters=model.parameters())[0]

    def train(self):
        for value in (1.0, 2.0):
            out = self.engine(torch.full((1, 32), value, dtype=torch.bfloat16))
            self.engine.backward(out.float().sum())
            self.engine.step()

    def save(self, folder):
        self.engine.save_checkpoint(folder, tag="step")

    def load(self, folder):
        tag = "universal" if universal else "step"
        self.engine.load_checkpoint(folder, tag=tag)

    def state(self):
        out = {name: parameter.detach().clone() for name, parameter in self.engine.module.named_parameters()}
        for i, moments in enumerate(self.engine.optimizer.optimizer.state.values()):
            out.update({f"{i}.{name}": value.clone() for name, value in moments.items() if torch.is_tensor(value)})
        return out


def build(layout):
    return Job(layout)


def convert(rank, folder):
    if rank == 0 and universal:
        subprocess.run([sys.executable, "-m", "deepspeed.checkpoint.ds_to_universal", "--input_folder", f"{folder}/step",
                        "--output_folder", f"{folder}/universal", "--inject_missing_state"], check=True, capture_output=True)


def forget():
    import deepspeed.comm.comm as communication
    import deepspeed.utils.groups as groups

    communication.cdb = groups.mesh_device = None
    for name, value in list(vars(groups).items()):
        if name.endswith(("_GROUP", "_RANKS")):
            setattr(groups, name, {} if isinstance(value, dict) else None)
