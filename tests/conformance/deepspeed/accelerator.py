"""DeepSpeed's accelerator of a judge: tensors lie in this machine's memory, answers are those of the plan's device."""
import device


def stand_in():
    """Puts it in the place of the one that DeepSpeed found; before anything is built."""
    import torch
    from deepspeed.accelerator import set_accelerator
    from deepspeed.accelerator.cpu_accelerator import CPU_Accelerator

    class PlansDevice(CPU_Accelerator):
        """What CPU_Accelerator would ask the machine; all else it says is the same on every machine."""

        def device_count(self):
            return device.OF_A_NODE

        def is_bf16_supported(self):
            return True

        is_fp16_supported = is_bf16_supported

        def supported_dtypes(self):
            return [torch.float, torch.bfloat16, torch.float16]

        def total_memory(self, device_index=None):
            return device.MEMORY

        available_memory = total_memory

        def get_rss(self):
            return 0

        reset_rss = get_rss

    set_accelerator(PlansDevice())
