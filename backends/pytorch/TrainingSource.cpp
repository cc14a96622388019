//===- TrainingSource.cpp - The PyTorch module: steps, checkpoints, main ----------------------===//
#include "backends/pytorch/Pytorch.h"

const char* const dpl::pytorch::trainingSource = R"py(|# ---- a step
|
|
|def batch_of(step, device):
|    """Inputs and targets of all sequences of a step, the same on every rank."""
|    generator = torch.Generator().manual_seed(step)
|    tokens = torch.randint(VOCAB, (SEQUENCES, SEQUENCE + 1), generator=generator).to(device)
|    return tokens[:, :-1], tokens[:, 1:]
|
|
|class Reference:
|    """The whole model in one process: what the losses have to be."""
|
|    def __init__(self, device):
|        self.model = Stage(0, LAYERS, True, True, Layout()).to(device)
|        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
|
|    def step(self, tokens, target):
|        self.optimizer.zero_grad()
|        loss = loss_of(self.model(tokens), target)
|        loss.backward()
|        self.optimizer.step()
|        return loss.item()
|
|
PV|class TurningStage(PipelineStage):
PV|    """The first step sends a word to each neighbour, which gloo cannot where that is on the same rank."""
PV|
PV|    def _get_init_p2p_neighbors_ops(self):
PV|        return [op for op in super()._get_init_p2p_neighbors_ops() if op.peer != dist.get_rank()]
PV|
PV|
|class Trainer:
|    """This rank's part of the plan."""
|
|    def __init__(self, groups, device):
|        self.layout, rank = Layout(groups), dist.get_rank()
|        self.place = {name: rank // stride % size for name, (size, stride) in AXES.items()}
P|        pipeline = groups["pipeline"]
Pv|        mine = [i for i in range(len(STAGES)) if i % AXES["pipeline"][0] == self.place["pipeline"]]
PV|        mine = [self.place["pipeline"], len(STAGES) - 1 - self.place["pipeline"]]
P|        self.parts = nn.ModuleList(Stage(*STAGES[i], self.layout) for i in mine).to(device)
Pv|        stages = [PipelineStage(part, i, len(STAGES), device, group=pipeline) for i, part in zip(mine, self.parts)]
PV|        stages = [TurningStage(part, i, len(STAGES), device, group=pipeline) for i, part in zip(mine, self.parts)]
PI|        self.schedule = SCHEDULE(stages, MICRO_BATCHES, loss_fn=loss_of, scale_grads=False)
PR|        self.schedule._load_csv(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schedule.csv"))
Pi|        self.schedule = SCHEDULE(stages[0], MICRO_BATCHES, loss_fn=loss_of, scale_grads=False)
P|        self.first, self.last = 0 in mine, len(STAGES) - 1 in mine
p|        self.parts = nn.ModuleList([Stage(*STAGES[0], self.layout)]).to(device)
BE|        experts = [module for module in self.parts.modules() if isinstance(module, Experts)]
BE|        self.routed = {id(weight) for module in experts for weight in (*module.up, *module.down)}
|        self.optimizer = torch.optim.SGD(self.parts.parameters(), lr=0.05)
|
|    def mine(self, whole):
|        """This rank's sequences, and its tokens of them."""
|        index = 0
|        for name in ("replica", "data"):
|            size, _ = AXES.get(name, (1, 1))
|            index = index * size + self.place.get(name, 0)
|        each = MICRO_BATCHES * MICRO_BATCH
|        rows = whole[index * each : (index + 1) * each]
C|        return rows.chunk(self.layout.context.size, dim=1)[self.layout.context.rank].contiguous()
c|        return rows.contiguous()
|
|    def step(self, tokens, target):
|        """The mean loss over the tokens of all ranks."""
|        self.optimizer.zero_grad()
|        tokens, target, losses = self.mine(tokens), self.mine(target), []
P|        self.schedule.step(*([tokens] if self.first else []), **(
P|            {"target": target, "losses": losses} if self.last else {}))
p|        for inputs, targets in zip(tokens.chunk(MICRO_BATCHES), target.chunk(MICRO_BATCHES)):
p|            losses.append(loss_of(self.parts[0](inputs), targets))
p|            losses[-1].backward()
BE|        for weight in self.parts.parameters():
BE|            shared = self.layout.expert_gradients if id(weight) in self.routed else self.layout.gradients
BE|            if shared.size > 1:
BE|                dist.all_reduce(weight.grad, group=shared.group)
Be|        for weight in self.parts.parameters():
Be|            dist.all_reduce(weight.grad, group=self.layout.gradients.group)
|        self.optimizer.step()
|        total = sum((loss.detach() for loss in losses), torch.zeros((), dtype=torch.float64, device=tokens.device))
|        dist.all_reduce(total)
T|        return total.item() / self.layout.tensor.size
t|        return total.item()
|
|
|# ---- checkpoints
|
|
|class Checkpoints:
|    """Folders step-N below `folder`, N steps done in each. A run begins where the newest ends."""
|
|    def __init__(self, folder, interval, keep, mode):
|        self.folder, self.interval, self.keep, self.mode = folder, interval, keep, mode
|        self.group, self.writing = dist.new_group(backend="gloo"), None
|        self.telling = dist.new_group(backend="gloo")  # its own: what is saved uses the other meanwhile
|        self.told = torch.zeros(1)
|        signal.signal(signal.SIGTERM, lambda *_: self.told.fill_(1))
|
|    def path(self, steps):
|        return os.path.join(self.folder, f"step-{steps}")
|
|    def written(self):
|        """The steps done in each whole checkpoint, ascending: .metadata is written last."""
|        names = os.listdir(self.folder) if os.path.isdir(self.folder) else []
|        return sorted(int(name[5:]) for name in names
|                      if name.startswith("step-") and os.path.exists(os.path.join(self.folder, name, ".metadata")))
|
|    @staticmethod
|    def state(trainer):
|        """What this rank holds; the optimizer has no state. Of tensors with one name only one would be kept."""
|        return {f"{dist.get_rank()}.{name}": weight for name, weight in trainer.parts.state_dict().items()}
|
|    def resume(self, trainer):
|        """Loads the newest one; returns the steps done in it."""
|        newest = [max(self.written(), default=0)]
|        dist.broadcast_object_list(newest, group=self.group)
|        if newest[0]:
|            checkpoint.load(self.state(trainer), checkpoint_id=self.path(newest[0]), process_group=self.group)
|        return newest[0]
|
|    def due(self, steps, last):
|        return steps == last or self.interval is not None and steps % self.interval == 0
|
|    def ends(self):
|        """Whether any rank got SIGTERM, so that all save after the same step."""
|        told = self.told.clone()
|        dist.all_reduce(told, group=self.telling)
|        return told.item() > 0
|
|    def save(self, trainer, steps):
|        self.finish()
|        save = checkpoint.async_save if self.mode == "async" else checkpoint.save
|        writing = save(self.state(trainer), checkpoint_id=self.path(steps), process_group=self.group)
|        if self.mode == "async":
|            self.writing = writing
|        else:
|            self.finish()
|
|    def finish(self):
|        """Waits for the one that is being written, then deletes the old ones."""
|        if self.writing is not None:
|            self.writing.result()
|        self.writing = None
|        for steps in self.written()[: -self.keep] if dist.get_rank() == 0 else ():
|            shutil.rmtree(self.path(steps))
|
|
|def main():
|    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
|    options.add_argument("--backend", default="nccl" if torch.cuda.is_available() else "gloo")
|    options.add_argument("--steps", type=int, default=3)
|    options.add_argument("--checkpoint-dir", help="where to save and resume")
|    options.add_argument("--checkpoint-interval", type=int, help="steps; otherwise only after the last step")
|    options.add_argument("--checkpoint-keep", type=int, default=1, help="how many")
|    options.add_argument("--checkpoint-mode", choices=("blocking", "async"), default="blocking")
|    given = options.parse_args()
|    store, rank, world = next(dist.rendezvous("env://"))
|    # A static rendezvous keeps its store from one start of the processes to the next, with the old addresses in it.
|    store = dist.PrefixStore("start " + os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"), store)
|    dist.init_process_group(given.backend, store=store, rank=rank, world_size=world)
|    device = torch.device("cpu")
|    if given.backend == "nccl":
|        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
|        torch.cuda.set_device(device)
|    if dist.get_world_size() != DEVICES:
|        raise SystemExit(f"the plan is for {DEVICES} processes, not {dist.get_world_size()}")
|    groups = make_groups(device.type)
|    trainer = Trainer(groups, device)
|    reference = Reference(device) if dist.get_rank() == 0 else None
|    checkpoints, first = None, 0
|    if given.checkpoint_dir:
|        checkpoints = Checkpoints(given.checkpoint_dir, given.checkpoint_interval, given.checkpoint_keep,
|                                  given.checkpoint_mode)
|        first = checkpoints.resume(trainer)
|    if reference and first:
|        print(f"resumed after {first} steps", flush=True)
|        for step in range(first):  # the one process was never interrupted
|            reference.step(*batch_of(step, device))
|    wrong, steps = False, first
|    while steps < given.steps:
|        tokens, target = batch_of(steps, device)
|        loss = trainer.step(tokens, target)
|        if reference:
|            alone = reference.step(tokens, target)
|            wrong = wrong or abs(loss - alone) > 1e-9 * abs(alone)
|            print(f"step {steps}: loss {loss:.12f}, of one process {alone:.12f}", flush=True)
|        steps += 1
|        told = checkpoints is not None and checkpoints.ends()
|        if checkpoints and (told or checkpoints.due(steps, given.steps)):
|            checkpoints.save(trainer, steps)
|        if told:
|            break
|    if checkpoints:
|        checkpoints.finish()
|        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Python takes its handler back while it ends
|    if reference and not wrong:
|        print(f"{len(groups)} groups and {steps - first} steps are as in the plan", flush=True)
|    dist.destroy_process_group()
|    return wrong
|
|
|if __name__ == "__main__":
|    sys.exit(main())
)py";
