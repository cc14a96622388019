//===- PrintedPlan.cpp - dplc ir: commands that read a printed plan ---------------------------===//
#include "tools/dplc/PrintedPlan.h"
#include "cost/step/PlanCheck.h"
#include "ir/Locations.h"
#include "support/FileIo.h"
#include "support/diagnostics/Plan.h"
#include "support/diagnostics/Tools.h"
using namespace dpl;
using namespace dpl::tool;

namespace {

/// Reads the file from which a plan was made. Returns the id of its text; 0 if the file cannot be
/// read, and then messages have no place.
std::uint32_t sourceNamed(SourceManager& sources, llvm::StringRef name) {
  if (name.startswith("std."))
    return sources.addStatic(name.str(), libraryText(name.drop_front(4)));
  DiagnosticEngine unheard;
  const FailureOr<std::uint32_t> file = loadSource(sources, unheard, name.str());
  return file.failed() ? 0 : *file;
}

} // namespace

const PassInfo* tool::knownPass(Session& session, const std::string& name) {
  std::vector<std::string> names;
  for (const PassInfo& pass : allPasses()) {
    if (name == pass.name)
      return &pass;
    names.emplace_back(pass.name);
  }
  (void)session.diags.report<diag::UnknownPass>({}, name).help(
      didYouMean(nearNames(name, names), "the passes are " + alternatives(names)));
  return nullptr;
}

void tool::runOnPrinted(Session& session, const IrOptions& options) {
  std::vector<const PassInfo*> passes;
  for (const std::string& name : options.passes)
    if (const PassInfo* pass = knownPass(session, name))
      passes.push_back(pass);
  if (passes.size() < options.passes.size())
    return;
  // A printed plan is checked like a source file when it is read.
  const std::string& given = options.files.front();
  const std::string path = given == "-" ? "/dev/stdin" : given;
  const FailureOr<std::uint32_t> file = loadSource(session.sources, session.diags, path);
  if (file.failed())
    return;
  ir::Locations locations;
  FailureOr<ir::Plan> plan =
      ir::read(session.sources.text(*file).str(), path, session.diags, locations);
  if (plan.failed())
    return;
  const std::vector<std::string> broken = cost::whatIsUnsound(*plan);
  for (const std::string& rule : broken)
    (void)session.diags.report<diag::PlanInconsistent>({}, "reading it", rule);
  if (!broken.empty())
    return;
  std::vector<std::uint32_t> files;
  for (const std::string& name : locations.files)
    files.push_back(sourceNamed(session.sources, name));
  ir::locate(*plan, locations, files, session.sources);
  for (const PassInfo* pass : passes)
    if (runPass(*plan, session.diags, *pass).failed())
      return;
  session.out = ir::print(*plan);
  if (options.locations)
    session.out += ir::print(locations);
}
