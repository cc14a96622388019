//===- Job.cpp - The job that a launcher starts -----------------------------------------------===//
#include "backends/launcher/Job.h"
#include "backends/LaunchScript.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::launcher;

namespace {

const ir::Launch& launchOf(const ir::Plan& plan) {
  static const ir::Launch defaults = [] {
    ir::Launch launch;
    launch.port = 29500;
    return launch;
  }();
  return plan.launch() ? *plan.launch() : defaults;
}

const ir::Run& runOf(const ir::Plan& plan) {
  static const ir::Run defaults;
  return plan.launch() ? plan.runOf(*plan.launch()) : defaults;
}

std::vector<std::string> frameworksAlsoEmitted(const TargetRequest& request) {
  std::vector<std::string> out;
  for (const std::string& name : request.alsoEmitted)
    if (const Target* target = targetNamed(name); target && target->role == TargetRole::Framework)
      out.push_back(name);
  return out;
}

/// Whether the program is an executable, which torchrun must start without Python.
bool isExecutable(const std::vector<std::string>& program) {
  return !program.empty() && program.front() != "-m" &&
         !llvm::StringRef(program.front()).endswith(".py");
}

} // namespace

Job::Job(const TargetRequest& request)
    : request(request), plan(request.plan), launch(launchOf(request.plan)),
      run(runOf(request.plan)), given(request.plan.launch() != nullptr),
      nodes(request.plan.cluster.nodes), gpus(request.plan.cluster.gpusPerNode),
      frameworks(frameworksAlsoEmitted(request)) {}

std::string Job::name() const {
  if (!launch.job.empty())
    return launch.job;
  return given ? launch.name : plan.layout.name;
}

std::uint64_t Job::givenMemory() const {
  return launch.memory > 0 && launch.memory == ir::leastHostMemory(plan.cluster)
             ? std::max<std::uint64_t>(launch.memory / mebibyte, 1)
             : mebibytes(launch.memory);
}

std::vector<NeededVariable> Job::needed() const {
  std::vector<NeededVariable> out;
  if (const Target* target = targetNamed(framework()))
    for (const NeededVariable& variable : target->needs)
      if (launch.environment.count(variable.name) == 0)
        out.push_back(variable);
  return out;
}

std::vector<EnvironmentVariable> Job::variables() const {
  std::vector<EnvironmentVariable> out;
  const auto add = [&](const char* variable, const std::string& value) {
    if (!value.empty())
      out.emplace_back(variable, value);
  };
  add("DATA_PATH", launch.data);
  if (launch.loader.given)
    add("DATA_WORKERS", std::to_string(launch.loader.workers));
  if (launch.loader.prefetch > 0)
    add("DATA_PREFETCH", std::to_string(launch.loader.prefetch));
  if (const std::uint64_t steps = run.lastStep(plan.layout.batch); steps > 0)
    add("TRAIN_STEPS", std::to_string(steps));
  add("CHECKPOINT_DIR", launch.checkpoints);
  if (run.checkpoint.every > 0) {
    add("CHECKPOINT_INTERVAL", std::to_string(run.checkpoint.every));
    add("CHECKPOINT_KEEP", std::to_string(run.checkpoint.keep));
    add("CHECKPOINT_MODE", ir::name(run.checkpoint.mode));
  }
  if (plan.layout.launchBlocking)
    add("CUDA_LAUNCH_BLOCKING", "1");
  if (plan.layout.communication().checks > 0 &&
      launch.environment.count("TORCH_DISTRIBUTED_DEBUG") == 0)
    add("TORCH_DISTRIBUTED_DEBUG", "DETAIL");
  // Without this variable torchrun gives each process one thread.
  if (launch.cpus > 0 && launch.environment.count("OMP_NUM_THREADS") == 0)
    add("OMP_NUM_THREADS", std::to_string(std::max<std::uint64_t>(launch.cpus / gpus, 1)));
  for (const auto& [variable, value] : launch.environment)
    out.emplace_back(variable, value);
  return out;
}

std::vector<std::string> Job::words() const {
  std::vector<std::string> out;
  if (frameworks.empty()) {
    if (isExecutable(launch.program))
      out.emplace_back("--no-python");
    out.insert(out.end(), launch.program.begin(), launch.program.end());
  }
  out.insert(out.end(), launch.arguments.begin(), launch.arguments.end());
  return out;
}

std::string Job::summary() const {
  std::string out =
      fmt::format("# {} process{}: {} node{} × {} GPU{}.\n", world(), world() == 1 ? "" : "es",
                  nodes, nodes == 1 ? "" : "s", gpus, gpus == 1 ? "" : "s");
  const char* unit = ir::name(plan.layout.batchUnit);
  for (const ir::RunPhase& phase : run.phases) {
    const std::string what = fmt::format(
        "Phase {} of run {}: {} {}", phase.index, oneLine(launch.run),
        phase.tokens > 0 ? phase.tokens : phase.steps, phase.tokens > 0 ? "tokens" : "steps");
    if (phase.batch == plan.layout.batch)
      out += phase.lastStep > 0 ? fmt::format("# {}, up to step {}.\n", what, phase.lastStep)
                                : fmt::format("# {}.\n", what);
    else
      out += fmt::format("# Not for this job: {} with a batch of {} {}, here it is {}.\n", what,
                         phase.batch, unit, plan.layout.batch);
  }
  return out;
}

bool launcher::isReserved(const Job& job, llvm::StringRef variable) {
  static constexpr const char* ours[] = {
      "NODE_RANK",           "MASTER_ADDR",    "MASTER_PORT",          "RANK",
      "LOCAL_RANK",          "WORLD_SIZE",     "LOCAL_WORLD_SIZE",     "GROUP_RANK",
      "DATA_PATH",           "CHECKPOINT_DIR", "CHECKPOINT_KEEP",      "CHECKPOINT_MODE",
      "CHECKPOINT_INTERVAL", "TRAIN_STEPS",    "CUDA_LAUNCH_BLOCKING", "DATA_WORKERS",
      "DATA_PREFETCH"};
  // torchrun also reads options from variables PET_*. Those listed here would change the
  // rendezvous, which launch.sh requires to be static.
  static constexpr const char* rendezvous[] = {"PET_RDZV_BACKEND", "PET_RDZV_ENDPOINT",
                                               "PET_RDZV_ID", "PET_RDZV_CONF", "PET_STANDALONE"};
  static constexpr const char* logging[] = {"PET_LOG_DIR", "PET_REDIRECTS", "PET_TEE"};
  const ir::Launch& launch = job.launch;
  const Target* framework = targetNamed(job.framework());
  return (framework && llvm::is_contained(framework->sets, variable)) ||
         llvm::is_contained(ours, variable) || llvm::is_contained(rendezvous, variable) ||
         (!launch.logs.empty() && llvm::is_contained(logging, variable)) ||
         (launch.via == ir::ViaKind::Torchrun && launch.restarts > 0 &&
          variable == "PET_MAX_RESTARTS");
}

std::uint64_t launcher::mebibytes(std::uint64_t bytes) { return ir::ceilDiv(bytes, mebibyte); }

std::string launcher::neededLines(const Job& job, unsigned width) {
  std::string out;
  for (const NeededVariable& variable : job.needed())
    out += fmt::format("#   {:<{}} {}\n", variable.name, width, variable.what);
  return out;
}

std::string launcher::exportsOf(const Job& job) {
  std::string out;
  for (const auto& [variable, value] : job.variables())
    out += fmt::format("export {}={}\n", variable, shellWord(value));
  return out;
}

std::string launcher::torchrunOf(const Job& job) {
  return beforeTorchrun(job.plan) +
         fmt::format("torchrun --nnodes {} --nproc-per-node {} --node-rank \"$NODE_RANK\" \\\n"
                     "  --master-addr \"$MASTER_ADDR\" --master-port \"$MASTER_PORT\"",
                     job.nodes, job.gpus);
}

std::string launcher::literalNotice(const Job& job) {
  std::vector<std::string> texts = job.words();
  texts.push_back(job.launch.folder);
  for (const auto& [variable, value] : job.variables())
    texts.push_back(value);
  const auto expands = [](const std::string& text) {
    return text.find_first_of("$`") != std::string::npos;
  };
  return llvm::any_of(texts, expands)
             ? "# shellcheck disable=SC2016  # values of the plan stay as they are\n"
             : "";
}

std::string launcher::folderOf(const Job& job) {
  return job.launch.folder.empty() ? "" : fmt::format("cd -- {}\n", shellWord(job.launch.folder));
}

std::string launcher::shellWords(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words)
    out += " " + shellWord(word);
  return out;
}
