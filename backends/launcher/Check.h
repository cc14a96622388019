#pragma once
//===- Check.h - Rules of all launchers -------------------------------------------------------===//
#include "backends/launcher/Job.h"
#include "ir/Names.h"

namespace dpl::launcher {

/// Why a text cannot be written to a script or YAML; empty if it can.
std::string flawOf(llvm::StringRef text);
/// The texts of the launch fields that all launchers share, each with its path.
std::vector<std::pair<std::string, std::string>> textsOf(const Job& job);
bool isVariableName(llvm::StringRef name);
/// The names as a list in words: "megatron and deepspeed", "a, b and c".
std::string listed(const std::vector<std::string>& names);
/// The batch sizes of the run's phases: "512 sequences", "512 and 1024 sequences".
std::string batchesOf(const Job& job);
/// Warns if checkpoints are written into a container, for launchers that start one.
void checkCheckpoints(const Job& job, Findings& findings);

/// Applies the rules of Common.def. `Rules` is the struct of Common.inc. Returns false if the
/// launch block names another launcher; its other fields then do not apply.
template <class Rules> bool checkJob(const Job& job, ir::ViaKind via, Findings& findings) {
  const ir::Launch& launch = job.launch;
  if (job.given && launch.via != via) {
    findings.report<typename Rules::LaunchVia>("launch.launcher", launch.name,
                                               ir::name(launch.via));
    return false;
  }
  if (job.frameworks.size() > 1)
    findings.report<typename Rules::TwoFrameworks>("launch", listed(job.frameworks));
  else if (job.frameworks.empty() && launch.program.empty())
    findings.report<typename Rules::NothingToStart>("launch");
  else if (!job.frameworks.empty() && !launch.program.empty())
    findings.report<typename Rules::ProgramAndFramework>("launch.program", job.framework());
  else if (!launch.program.empty() && launch.program.front() != "-m" &&
           (launch.program.front().empty() || launch.program.front()[0] == '-'))
    findings.report<typename Rules::ProgramOption>("launch.program", launch.program.front());
  for (const auto& [name, value] : launch.environment) {
    const std::string path = "launch.env." + name;
    if (!isVariableName(name))
      findings.report<typename Rules::VariableName>(path, oneLine(name));
    else if (isReserved(job, name))
      findings.report<typename Rules::VariableReserved>(path, name);
  }
  for (const auto& [path, text] : textsOf(job))
    if (const std::string flaw = flawOf(text); !flaw.empty())
      findings.report<typename Rules::UnusableText>(path, oneLine(path), flaw);
  const std::vector<ir::RunPhase>& phases = job.run.phases;
  const auto fits = [&](const ir::RunPhase& phase) { return phase.batch == job.plan.layout.batch; };
  if (!phases.empty() && std::none_of(phases.begin(), phases.end(), fits))
    findings.report<typename Rules::PhaseBatch>("run.phase", launch.run, job.plan.layout.batch,
                                                batchesOf(job));
  if (launch.port < 1 || launch.port > 65535)
    findings.report<typename Rules::Port>("launch.master_port", launch.port);
  if (launch.notice > 0 && launch.checkpoints.empty())
    findings.report<typename Rules::NoticeCheckpoints>("launch.grace_period");
  if (const Target* own = targetNamed(job.framework())) {
    if (launch.notice > 0 && !own->savesOnNotice)
      findings.report<typename Rules::NoticeUnheard>("launch.grace_period", own->name);
    if (launch.loader.given && !own->hasWorkers)
      findings.report<typename Rules::LoaderUnread>("launch.data_loader", "data_loader", own->name);
    else if (launch.loader.prefetch > 0 && !own->hasPrefetch)
      findings.report<typename Rules::LoaderUnread>("launch.data_loader.prefetch_factor",
                                                    "data_loader.prefetch_factor", own->name);
  }
  return true;
}

/// Checks the rules of launchers that start processes directly on the nodes, without a container.
template <class Container, class Mount, class Memory>
void checkBare(const Job& job, Findings& findings) {
  const ir::Launch& launch = job.launch;
  if (!launch.image.empty())
    findings.report<Container>("launch.container");
  for (const auto& [place, source] : launch.mounts)
    findings.report<Mount>("launch.mount." + place, oneLine(source), oneLine(place));
  if (launch.memory > 0)
    findings.report<Memory>("launch.memory");
}

} // namespace dpl::launcher
