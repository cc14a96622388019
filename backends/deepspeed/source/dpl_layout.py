"""What ds_config.json cannot say of the plan, for the training script.

    deepspeed.init_distributed()
    model = MyModel(...)  # with stages: PipelineModule(layers, loss_fn=..., **dpl_layout.pipeline())
    engine, *_ = deepspeed.initialize(args, model=model, mpu=dpl_layout.mpu(),
                                      model_parameters=list(model.parameters()))
"""
import json
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.json"), encoding="utf-8") as file:
    PLAN = json.load(file)
SIZE = PLAN["parallel"]


def pipeline():
    """Stages and rank order as arguments of PipelineModule; empty where the plan has no stages."""
    if SIZE["pipeline"] == 1:
        return {}
    from deepspeed.runtime.pipe.topology import PipeModelDataParallelTopology

    return {
        "topology": PipeModelDataParallelTopology(
            num_pp=SIZE["pipeline"], num_mp=SIZE["tensor"], num_dp=SIZE["data"]),
        "partition_method": PLAN["pipeline"]["partition_method"],
    }


def mpu():
    """The process groups to give deepspeed.initialize; None where it makes them itself."""
    if SIZE["pipeline"] > 1:
        return None
    if SIZE["context"] > 1:
        from deepspeed.runtime.sequence_parallel import parallel_state_sp

        parallel_state_sp.initialize_sequence_parallel(SIZE["context"])
        return parallel_state_sp
    if SIZE["tensor"] > 1 and not PLAN["model"]["experts"]:
        from deepspeed.utils import groups

        groups._init_tp_mesh_device(tensor_model_parallel_size=SIZE["tensor"])
        return groups
    return None
