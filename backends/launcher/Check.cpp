//===- Check.cpp - Rules of all launchers -----------------------------------------------------===//
#include "backends/launcher/Check.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "support/Utf8.h"
#include "support/diagnostics/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::launcher;

std::string launcher::flawOf(llvm::StringRef text) {
  if (text.contains('\0'))
    return "a NUL";
  return validUtf8(text) == text ? "" : "bytes that are not UTF-8";
}

std::vector<std::pair<std::string, std::string>> launcher::textsOf(const Job& job) {
  const ir::Launch& launch = job.launch;
  std::vector<std::pair<std::string, std::string>> out = {
      {"launch.name", launch.job},
      {"launch.container", launch.image},
      {"launch.working_dir", launch.folder},
      {"launch.data_path", launch.data},
      {"launch.checkpoint_dir", launch.checkpoints},
      {"launch.launcher.log_dir", launch.logs}};
  for (const auto& [name, value] : launch.environment)
    out.emplace_back("launch.env." + name, value);
  for (const auto& [place, source] : launch.mounts) {
    out.emplace_back("launch.mount." + place, place);
    out.emplace_back("launch.mount." + place, source);
  }
  for (const std::string& word : launch.program)
    out.emplace_back("launch.program", word);
  for (const std::string& word : launch.arguments)
    out.emplace_back("launch.arguments", word);
  return out;
}

bool launcher::isVariableName(llvm::StringRef name) {
  const auto fits = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !name.empty() && !llvm::isDigit(name.front()) && llvm::all_of(name, fits);
}

std::string launcher::listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return out;
}

/// Removes dots from a path: "/a/../b/" becomes "/b".
static std::string withoutDots(llvm::StringRef path) {
  llvm::SmallString<128> out(path.size() > 1 ? path.rtrim('/') : path);
  llvm::sys::path::remove_dots(out, /*remove_dot_dot=*/true);
  return out.str().str();
}

void launcher::checkCheckpoints(const Job& job, Findings& findings) {
  const ir::Launch& launch = job.launch;
  if (launch.checkpoints.empty() || launch.image.empty())
    return;
  // A relative path is below `working_dir`. Without it, it is below the working directory of the
  // image, which is unknown.
  const std::string path = launch.folder.empty() || launch.checkpoints.front() == '/'
                               ? withoutDots(launch.checkpoints)
                               : withoutDots(launch.folder + "/" + launch.checkpoints);
  for (const auto& [place, source] : launch.mounts) {
    const std::string at = withoutDots(place);
    if (path == at || llvm::StringRef(path).startswith(at == "/" ? at : at + "/"))
      return;
  }
  findings.warn<diag::CheckpointsAreLost>("launch.checkpoint_dir", oneLine(launch.checkpoints));
}

std::string launcher::batchesOf(const Job& job) {
  std::vector<std::string> batches;
  for (const ir::RunPhase& phase : job.run.phases)
    if (const std::string batch = std::to_string(phase.batch); !llvm::is_contained(batches, batch))
      batches.push_back(batch);
  return fmt::format("{} {}", listed(batches), ir::name(job.plan.layout.batchUnit));
}
