# own_order of tests/conformance/torchtitan/plans/llama3_8b_listed.dpl, plan HASH.
# Written by dplc 0.2.0 for torchtitan 0.3.0; an edit is lost with the next emit.
from pathlib import Path

from torchtitan.components.loss import ChunkedLossWrapper, CrossEntropyLoss
from torchtitan.components.optimizer import OptimizersContainer, ParamGroupConfig
from torchtitan.config import ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader
from torchtitan.models.common.config_utils import decoder_vocab_size
from torchtitan.models.llama3 import model_registry
from torchtitan.trainer import Trainer


def layers(first, end):
    return [f"layers.{i}" for i in range(first, end)]


def plan() -> Trainer.Config:
    model_spec = model_registry("8B")
    return Trainer.Config(
        model_spec=model_spec,
        loss=ChunkedLossWrapper.Config(
            loss_fn=CrossEntropyLoss.Config(global_vocab_size=decoder_vocab_size(model_spec))
        ),
        dataloader=HuggingFaceTextDataLoader.Config(dataset="c4_test"),
        training=TrainingConfig(
            local_batch_size=4,
            global_batch_size=8,
            seq_len=8192,
            dtype="float32",
            mixed_precision_param="bfloat16",
            mixed_precision_reduce="float32",
            max_norm=1.0,
            disable_cuda_graphs=True,
        ),
        parallelism=ParallelismConfig(
            data_parallel_replicate_degree=1,
            data_parallel_shard_degree=2,
            fsdp_reshard_after_forward="always",
            context_parallel_degree=1,
            tensor_parallel_degree=1,
            pipeline_parallel_degree=4,
            pipeline_parallel_schedule="1F1B",
            pipeline_parallel_schedule_csv=str(Path(__file__).with_name("schedule.csv")),
            pipeline_parallel_microbatch_size=1,
            module_fqns_per_model_part=[
                ["tok_embeddings", *layers(0, 7)],
                [*layers(7, 15)],
                [*layers(15, 24)],
                [*layers(24, 32), "norm", "lm_head"],
            ],
        ),
        activation_checkpoint=FullAC.Config(),
        optimizer=OptimizersContainer.Config(
            param_groups=[
                ParamGroupConfig(
                    pattern=".*",
                    optimizer_name="AdamW",
                    optimizer_kwargs={"lr": 0.0008, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1},
                )
            ]
        ),
    )
