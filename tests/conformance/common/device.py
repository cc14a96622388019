"""The plan's device, which a judge answers for, and the machine at hand, which no judge may ask.

    device.stand_in(torch)  # before the framework is imported: torch.cuda answers for the plan's device
    device.guard(torch)     # when it is loaded: from here on a question to this machine raises AskedTheMachine

What is drawn runs on clusters.dgx_h100, and no rule that is compared turns on another kind of device. Tensors lie in
this machine's memory all the same: no device is visible, whatever the machine has (environment.variables).
"""
import contextlib
import importlib
import os
import sys
import types

NAME, CAPABILITY, MEMORY, MULTIPROCESSORS, OF_A_NODE = "NVIDIA H100 80GB HBM3", (9, 0), 80 << 30, 132, 8
PROCESSORS = os.cpu_count() or 1  # for work side by side; no verdict may depend on it

# What tells of the machine: attributes by module, the beginnings of files, and the only programs a judge starts.
QUESTIONS = {
    "os": ("cpu_count", "process_cpu_count", "sched_getaffinity", "sysconf", "getloadavg", "statvfs"),
    "multiprocessing": ("cpu_count",),
    "platform": ("processor",),
    "shutil": ("disk_usage",),
    "psutil": ("cpu_count", "cpu_percent", "cpu_freq", "cpu_stats", "virtual_memory", "swap_memory", "disk_usage",
               "Process.memory_info", "Process.memory_full_info", "Process.memory_percent", "Process.cpu_affinity"),
    "torch": ("get_num_threads", "get_num_interop_threads"),
    "torch.backends.cpu": ("get_cpu_capability",),
    "torch.ops.mkldnn": ("_is_mkldnn_bf16_supported", "_is_mkldnn_fp16_supported", "_is_mkldnn_acl_supported"),
}
FILES = ("/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/driver/nvidia", "/sys/devices",
         "/sys/fs/cgroup", "/sys/class", "/dev/nvidia")
PROGRAMS = ("bash", "dplc")
guarded, asked = [], []  # what raised: a framework may swallow even that


class AskedTheMachine(BaseException):
    """A framework asks the machine at hand; no Exception, so that it is not taken for a refusal."""

    def __init__(self, what):
        super().__init__(f"{what} asks the machine at hand, for which common/device.py has no answer")
        asked.append(str(self))


def stand_in(torch):
    """Lets torch.cuda answer for the plan's device."""
    properties = types.SimpleNamespace(
        name=NAME, major=CAPABILITY[0], minor=CAPABILITY[1], total_memory=MEMORY, multi_processor_count=MULTIPROCESSORS)
    answers = {"get_device_name": NAME, "get_device_capability": CAPABILITY, "get_device_properties": properties,
               "mem_get_info": (MEMORY, MEMORY), "is_bf16_supported": True, "device_count": OF_A_NODE,
               "is_available": False}  # no tensor is put there
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
    torch.set_num_threads(1)  # a fork has no other threads


def _refuse(owner, name, what):
    def refused(*_, **__):
        raise AskedTheMachine(what)

    if hasattr(owner, name):
        setattr(owner, name, refused)
        return refused
    return None


def _audit(event, arguments):
    what = None
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        path = os.fsdecode(arguments[0])
        what = path if path.startswith(FILES) else None
    elif event in ("subprocess.Popen", "os.posix_spawn", "os.exec"):
        program = os.fsdecode(arguments[0])
        what = None if os.path.basename(program) in PROGRAMS else program
    elif event == "os.system":
        what = os.fsdecode(arguments[0])
    if what:
        raise AskedTheMachine(what)


def guard(torch):
    """From here on no question to this machine is answered. Each that is known is asked once, and has to be refused."""
    if _audit in guarded:
        return
    guarded.append(_audit)
    owners, refused = {"torch.ops.mkldnn": torch.ops.mkldnn, "torch._C._cpu": torch._C._cpu}, []
    for module in QUESTIONS:
        with contextlib.suppress(ImportError):  # psutil, which not every framework brings
            owners[module] = owners.get(module) or importlib.import_module(module)
    instructions = tuple(name for name in vars(torch._C._cpu) if name.startswith(("_is_", "_get_")))
    for module, names in {**QUESTIONS, "torch._C._cpu": instructions}.items():
        for name in names if module in owners else ():
            *inner, last = name.split(".")
            place = getattr(owners[module], inner[0]) if inner else owners[module]
            refused.append(_refuse(place, last, f"{module}.{name}"))
    sys.addaudithook(_audit)
    questions = [*filter(None, refused), lambda: open("/proc/cpuinfo", encoding="utf-8"),
                 lambda: os.system("nproc")]
    for question in questions:
        try:
            question()
        except AskedTheMachine:
            continue
        raise AssertionError(f"{question} was answered by this machine")
    asked.clear()
    print(f"-- {len(questions)} ways of asking this machine are closed", flush=True)


def check():
    """Raises when a question was asked since the last call, also where the framework hid that."""
    if asked:
        what, asked[:] = asked[0], []
        raise AskedTheMachine(what.partition(" asks ")[0])
