//===- LowerLaunch.cpp - Lowers a launch ------------------------------------------------------===//
#include "frontend/sema/Lower.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/Object.h"
#include "support/Utf8.h"
#include "support/diagnostics/Schema.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace dpl;
using namespace dpl::sema;

namespace {

constexpr std::uint64_t picosecondsPerSecond = 1'000'000'000'000;

class LaunchLowering {
public:
  LaunchLowering(Lowering& to, const ObjectFields& fields, const ObjectFields& run,
                 const ast::BlockDecl* layout)
      : to(to), fields(fields), run(run), layout(layout) {}

  LogicalResult lower() {
    launch.name = fields.name().str();
    launch.run = run.name().str();
    launch.ranges["launch"] = fields.raw()->range;
    for (const char* field : {"launcher", "name", "container", "mount", "env", "working_dir",
                              "data_path", "data_loader", "checkpoint_dir", "program", "arguments",
                              "master_port", "cpus", "memory", "max_restarts", "grace_period"})
      locate(std::string("launch.") + field, fields, field);
    launch.job = text(fields, "name");
    launch.folder = text(fields, "working_dir");
    launch.data = text(fields, "data_path");
    launch.checkpoints = text(fields, "checkpoint_dir");
    if (fields.has("data_loader")) {
      const ObjectFields loader = fields.object("data_loader");
      locate("launch.data_loader.prefetch_factor", loader, "prefetch_factor");
      launch.loader.given = true;
      launch.loader.workers = loader.count("workers");
      launch.loader.prefetch = loader.has("prefetch_factor") ? loader.count("prefetch_factor") : 0;
    }
    if (fields.has("container"))
      launch.image = text(fields.object("container"), "image");
    launch.mounts = texts("mount", "indexed by a place in the container", false);
    launch.environment = texts("env", "indexed by the name of a variable", true);
    launch.program = words(fields, "program", "words that are not empty", true);
    if (fields.has("arguments"))
      launch.arguments = fields.names("arguments");
    launch.port = fields.count("master_port");
    launch.cpus = fields.has("cpus") ? given(fields, "cpus", fields.count("cpus")) : 0;
    launch.memory = fields.has("memory") ? given(fields, "memory", fields.bytes("memory")) : 0;
    launch.restarts = fields.count("max_restarts");
    launch.notice = fields.has("grace_period")
                        ? given(fields, "grace_period", seconds(fields, "grace_period"))
                        : 0;
    via();
    locateRun();
    if (fields.failed() || run.failed() || to.failed)
      return LogicalResult::failure();
    to.plan.launches.push_back(std::move(launch));
    return LogicalResult::success();
  }

private:
  void locate(const std::string& path, const ObjectFields& object, llvm::StringRef field) {
    if (object.isSet(field))
      launch.ranges[path] = object.range(field);
  }

  // In the plan an empty text, an empty list of hosts and 0 mean "not set", so a file must not set
  // these values.

  static constexpr const char* someText = "a string of at least one character";

  void refuse(SourceRange at, llvm::StringRef what, const char* needed, const std::string& found) {
    to.failed = true;
    to.diags.report<diag::OutsideRange>(at, what, needed, found);
  }

  /// The text of a field; empty if it is absent.
  std::string text(const ObjectFields& from, llvm::StringRef field) {
    const Value v = from.value(field);
    if (v.is(Value::ValueKind::String) && v.text.empty())
      refuse(from.range(field), field, someText, "\"\"");
    return v.is(Value::ValueKind::String) ? v.text.str() : "";
  }

  /// The words of a field; empty if it is absent. A list in the file may be empty only if
  /// `mayBeEmpty` is set.
  std::vector<std::string> words(const ObjectFields& from, llvm::StringRef field,
                                 const char* needed, bool mayBeEmpty) {
    if (!from.has(field))
      return {};
    std::vector<std::string> out = from.names(field);
    const Value v = from.value(field);
    if (v.is(Value::ValueKind::List) && out.empty() && !mayBeEmpty)
      refuse(from.range(field), field, needed, "[]");
    else if (llvm::any_of(out, [](const std::string& word) { return word.empty(); }))
      refuse(from.range(field), field, needed, "\"\"");
    return out;
  }

  /// Returns `value`, and reports if the file sets it to 0. If it could not be read, an error was
  /// reported before.
  std::uint64_t given(const ObjectFields& from, llvm::StringRef field, std::uint64_t value) {
    const Value v = from.value(field);
    if (value == 0 && v.is(Value::ValueKind::Number) && std::abs(v.number.toDouble()) < 1)
      refuse(from.range(field), field, "at least 1", v.number.str());
    return value;
  }

  /// The entries of a map. `key` is how messages describe an index.
  std::map<std::string, std::string> texts(const char* field, const char* key, bool emptyValues) {
    std::map<std::string, std::string> out;
    for (const ObjectFields::FieldsEntry& entry : fields.entries(field)) {
      const std::string value = entry.value.text.str();
      if (entry.key.empty())
        refuse(entry.range, field, key, "\"\"");
      else if (!emptyValues && value.empty())
        refuse(entry.range, fmt::format("{}[\"{}\"]", field, oneLine(entry.key)), someText, "\"\"");
      out[entry.key] = value;
      launch.ranges[fmt::format("launch.{}.{}", field, entry.key)] = entry.range;
    }
    return out;
  }

  void locateRun() {
    if (run.isSet("checkpoint"))
      launch.ranges["run.checkpoint"] = run.range("checkpoint");
    if (run.isSet("optimizer"))
      launch.ranges["run.optimizer"] = run.range("optimizer");
    for (const ObjectFields::FieldsRun& phase : run.runs("phase"))
      if (layoutOf(phase.fields, run) == layout)
        launch.ranges["run.phase"] = phase.fields.raw()->range;
  }

  static std::uint64_t seconds(const ObjectFields& from, llvm::StringRef field) {
    return ir::ceilDiv(from.picoseconds(field), picosecondsPerSecond);
  }

  void via() {
    launch.via = choice(fields, "launcher", ir::ViaKind::Torchrun);
    const ObjectFields chosen = fields.object("launcher");
    const auto place = [&](std::initializer_list<const char*> names) {
      for (const char* name : names)
        locate(std::string("launch.launcher.") + name, chosen, name);
    };
    switch (launch.via) {
    case ir::ViaKind::Torchrun:
      place({"rendezvous", "log_dir"});
      launch.rendezvous = choice(chosen, "rendezvous", ir::RendezvousKind::Static);
      launch.logs = text(chosen, "log_dir");
      break;
    case ir::ViaKind::Slurm: {
      place({"partition", "time", "account", "qos", "constraint", "reservation", "gpu_type",
             "exclusive", "output"});
      ir::SlurmRequest& out = launch.slurm;
      out.partition = text(chosen, "partition");
      out.time = seconds(chosen, "time");
      out.account = text(chosen, "account");
      out.qos = text(chosen, "qos");
      out.constraint = text(chosen, "constraint");
      out.reservation = text(chosen, "reservation");
      out.gpu = text(chosen, "gpu_type");
      out.exclusive = chosen.flag("exclusive");
      out.output = text(chosen, "output");
      break;
    }
    case ir::ViaKind::Kubernetes: {
      place({"job", "namespace", "queue", "gpu_resource", "time", "shared_memory", "host_network",
             "rdma"});
      ir::KubernetesRequest& out = launch.kubernetes;
      out.job = choice(chosen, "job", ir::KubernetesJobKind::TrainJob);
      if (out.job == ir::KubernetesJobKind::TrainJob) {
        const ObjectFields job = chosen.object("job");
        locate("launch.launcher.job.version", job, "version");
        out.version = text(job, "version");
      }
      out.nameSpace = text(chosen, "namespace");
      out.queue = text(chosen, "queue");
      out.gpu = text(chosen, "gpu_resource");
      if (chosen.has("time"))
        out.time = given(chosen, "time", seconds(chosen, "time"));
      if (chosen.has("shared_memory"))
        out.sharedMemory = given(chosen, "shared_memory", chosen.bytes("shared_memory"));
      out.hostNetwork = chosen.flag("host_network");
      if (chosen.has("rdma")) {
        const ObjectFields rdma = chosen.object("rdma");
        locate("launch.launcher.rdma.resource", rdma, "resource");
        out.rdma = text(rdma, "resource");
        out.rdmaCount = rdma.count("count");
      }
      break;
    }
    case ir::ViaKind::Mpirun:
      place({"hosts"});
      launch.hosts = words(chosen, "hosts", "at least one host, none empty", false);
      break;
    }
  }

  Lowering& to;
  const ObjectFields& fields;
  const ObjectFields& run;
  const ast::BlockDecl* layout;
  ir::Launch launch;
};

} // namespace

LogicalResult sema::lowerLaunch(const ObjectFields& launch, const ObjectFields& run,
                                const Object& layout, const SourceManager& sources,
                                DiagnosticEngine& diags, ir::Plan& plan) {
  Lowering to{sources, diags, plan};
  return LaunchLowering(to, launch, run, layout.decl).lower();
}
