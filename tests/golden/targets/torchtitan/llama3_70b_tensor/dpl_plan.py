# two_axes of tests/conformance/torchtitan/plans/llama3_70b_tensor.dpl, plan HASH.
# Written by dplc 0.2.0 for torchtitan 0.3.0; an edit is lost with the next emit.
from torchtitan.components.loss import ChunkedLossWrapper, CrossEntropyLoss
from torchtitan.components.optimizer import OptimizersContainer, ParamGroupConfig
from torchtitan.config import CompileConfig, ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader
from torchtitan.models.common.config_utils import decoder_vocab_size
from torchtitan.models.llama3 import model_registry
from torchtitan.trainer import Trainer


def plan() -> Trainer.Config:
    model_spec = model_registry("70B")
    return Trainer.Config(
        model_spec=model_spec,
        loss=ChunkedLossWrapper.Config(
            loss_fn=CrossEntropyLoss.Config(global_vocab_size=decoder_vocab_size(model_spec))
        ),
        dataloader=HuggingFaceTextDataLoader.Config(dataset="c4_test"),
        training=TrainingConfig(
            local_batch_size=1,
            global_batch_size=128,
            seq_len=8192,
            dtype="float32",
            mixed_precision_param="bfloat16",
            mixed_precision_reduce="float32",
            max_norm=1.0,
            disable_cuda_graphs=True,
        ),
        parallelism=ParallelismConfig(
            data_parallel_replicate_degree=1,
            data_parallel_shard_degree=16,
            fsdp_reshard_after_forward="never",
            context_parallel_degree=1,
            tensor_parallel_degree=8,
            enable_sequence_parallel=True,
            pipeline_parallel_degree=1,
        ),
        activation_checkpoint=FullAC.Config(),
        compile=CompileConfig(enable=True, enable_async_tensor_parallel=True),
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
