//===- LowerLaunch.cpp - Where a layout is started, from a launch's fields --------------------===//
#include "frontend/sema/Lower.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/Object.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::sema;

namespace {

constexpr std::uint64_t picosecondsPerSecond = 1'000'000'000'000;

template <class E> E choice(const Fields& from, llvm::StringRef field, E otherwise) {
  return choiceAs(
      from, field, [](llvm::StringRef s, E& v) { return ir::valueNamed(s, v); }, otherwise);
}

std::string optionalText(const Fields& from, llvm::StringRef field) {
  return from.has(field) ? from.text(field) : "";
}

class LaunchLowering {
public:
  LaunchLowering(Lowering& to, const Fields& fields, const Fields& run)
      : to(to), fields(fields), run(run) {}

  LogicalResult lower(const Object* layout) {
    launch.name = fields.name().str();
    launch.run = run.name().str();
    launch.ranges["launch"] = fields.raw()->range;
    for (const char* field :
         {"via", "name", "container", "mount", "env", "folder", "data", "checkpoints", "program",
          "arguments", "port", "cpus", "memory", "restarts"})
      locate(std::string("launch.") + field, fields, field);
    launch.job = optionalText(fields, "name");
    launch.folder = optionalText(fields, "folder");
    launch.data = optionalText(fields, "data");
    launch.checkpoints = optionalText(fields, "checkpoints");
    if (fields.has("container"))
      launch.image = fields.object("container").text("image");
    launch.mounts = texts("mount");
    launch.environment = texts("env");
    if (fields.has("program"))
      launch.program = fields.names("program");
    if (fields.has("arguments"))
      launch.arguments = fields.names("arguments");
    launch.port = fields.count("port");
    launch.cpus = fields.has("cpus") ? fields.count("cpus") : 0;
    launch.memory = fields.has("memory") ? fields.bytes("memory") : 0;
    launch.restarts = fields.count("restarts");
    via();
    checkpoint();
    phases(layout);
    if (fields.failed() || run.failed() || to.failed)
      return LogicalResult::failure();
    to.plan.launches.push_back(std::move(launch));
    return LogicalResult::success();
  }

private:
  void locate(const std::string& path, const Fields& object, llvm::StringRef field) {
    if (object.isSet(field))
      launch.ranges[path] = object.range(field);
  }

  std::map<std::string, std::string> texts(const char* field) {
    std::map<std::string, std::string> out;
    for (const Fields::Entry& entry : fields.entries(field)) {
      out[entry.key] = entry.value.text.str();
      launch.ranges[fmt::format("launch.{}.{}", field, entry.key)] = entry.range;
    }
    return out;
  }

  static std::uint64_t seconds(const Fields& from, llvm::StringRef field) {
    return (from.picoseconds(field) + picosecondsPerSecond - 1) / picosecondsPerSecond;
  }

  void via() {
    launch.via = choice(fields, "via", ir::ViaKind::Torchrun);
    const Fields chosen = fields.object("via");
    const auto place = [&](std::initializer_list<const char*> names) {
      for (const char* name : names)
        locate(std::string("launch.via.") + name, chosen, name);
    };
    switch (launch.via) {
    case ir::ViaKind::Torchrun:
      place({"rendezvous", "logs"});
      launch.rendezvous = choice(chosen, "rendezvous", ir::RendezvousKind::Static);
      launch.logs = optionalText(chosen, "logs");
      break;
    case ir::ViaKind::Slurm: {
      place({"partition", "time", "account", "qos", "constraint", "reservation", "gpu", "exclusive",
             "output"});
      ir::SlurmRequest& out = launch.slurm;
      out.partition = chosen.text("partition");
      out.time = seconds(chosen, "time");
      out.account = optionalText(chosen, "account");
      out.qos = optionalText(chosen, "qos");
      out.constraint = optionalText(chosen, "constraint");
      out.reservation = optionalText(chosen, "reservation");
      out.gpu = optionalText(chosen, "gpu");
      out.exclusive = chosen.flag("exclusive");
      out.output = chosen.text("output");
      break;
    }
    case ir::ViaKind::Kubernetes: {
      place({"job", "namespace", "queue", "gpu", "time", "shared_memory", "host_network"});
      ir::KubernetesRequest& out = launch.kubernetes;
      out.job = choice(chosen, "job", ir::KubernetesJobKind::TrainJob);
      if (out.job == ir::KubernetesJobKind::TrainJob) {
        const Fields job = chosen.object("job");
        locate("launch.via.job.version", job, "version");
        out.version = job.text("version");
      }
      out.nameSpace = chosen.text("namespace");
      out.queue = optionalText(chosen, "queue");
      out.gpu = chosen.text("gpu");
      out.time = chosen.has("time") ? seconds(chosen, "time") : 0;
      out.sharedMemory = chosen.has("shared_memory") ? chosen.bytes("shared_memory") : 0;
      out.hostNetwork = chosen.flag("host_network");
      break;
    }
    case ir::ViaKind::Mpirun:
      place({"hosts"});
      if (chosen.has("hosts"))
        launch.hosts = chosen.names("hosts");
      break;
    }
  }

  void checkpoint() {
    if (!run.has("checkpoint"))
      return;
    const Fields from = run.object("checkpoint");
    launch.checkpoint.every = from.whole("every");
    launch.checkpoint.keep = from.count("keep");
    launch.checkpoint.mode = choice(from, "mode", ir::CheckpointMode::Blocking);
    launch.ranges["run.checkpoint"] = run.range("checkpoint");
  }

  /// Those that use this layout.
  void phases(const Object* layout) {
    for (const Fields::Run& phase : run.runs("phase")) {
      const Object* used =
          phase.fields.has("layout") ? phase.fields.object("layout").raw() : run.raw()->forObject;
      if (!used || used->decl != layout->decl)
        continue;
      launch.ranges["run.phase"] = phase.fields.raw()->range;
      for (std::uint64_t i = 0; i < phase.count; ++i)
        launch.phases.push_back(
            {phase.first + i, phase.fields.whole("tokens"), batchOf(phase.fields)});
    }
  }

  std::uint64_t batchOf(const Fields& phase) {
    const ir::Layout& layout = to.plan.layout;
    if (!phase.has("batch"))
      return layout.batch;
    const Number n = phase.number("batch");
    const auto context = static_cast<std::int64_t>(to.plan.model.context);
    if (layout.batchUnit == ir::BatchUnit::Sequences && n.dimension == Dimension{.token = 1}) {
      const std::optional<Rational> whole = Rational::divide(n.value, Rational(context));
      if (!whole || !whole->isInteger()) {
        to.failed = true;
        to.diags.report<diag::NotWholeSequences>(
            phase.range("batch"), n.str(), fmt::format("{:.2f}", whole ? whole->toDouble() : 0),
            fmt::format("{}tok", to.plan.model.context));
        return 1;
      }
    }
    return lowerBatch(to, phase, "batch", layout.batchUnit);
  }

  Lowering& to;
  const Fields& fields;
  const Fields& run;
  ir::Launch launch;
};

} // namespace

LogicalResult sema::lowerLaunch(const Fields& launch, const Fields& run, const Object& layout,
                                const SourceManager& sources, DiagnosticEngine& diags,
                                ir::Plan& plan) {
  Lowering to{sources, diags, plan};
  return LaunchLowering(to, launch, run).lower(&layout);
}

std::vector<Object*> sema::layoutsOf(const Fields& run) {
  std::vector<Object*> out;
  const auto add = [&](Object* layout) {
    const auto same = [&](const Object* o) { return o->decl == layout->decl; };
    if (layout && layout->decl && std::none_of(out.begin(), out.end(), same))
      out.push_back(layout);
  };
  const std::vector<Fields::Run> phases = run.runs("phase");
  for (const Fields::Run& phase : phases)
    add(phase.fields.has("layout") ? phase.fields.object("layout").raw() : run.raw()->forObject);
  if (phases.empty())
    add(run.raw()->forObject);
  return out;
}
