//===- StudyRequest.cpp - The study of a file that the command line means ---------------------===//
#include "tools/dplc/StudyRequest.h"
#include "support/Near.h"
#include "support/diagnostics/Study.h"
#include "support/diagnostics/Tools.h"
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Chooses the study and the layout that the command line means; false after a report.
bool choose(Session& session, CompiledFile& file, study::StudyRequest& request) {
  std::vector<std::string> studies, layouts;
  for (const NamedBlock& block : file.studies)
    studies.push_back(block.name);
  if (request.study.empty() && studies.size() == 1)
    request.study = studies.front();
  if (request.study.empty() && !studies.empty()) {
    (void)session.diags.report<diag::StudyNeeded>({}, request.path, studies.size())
        .help(fmt::format("name it: `dplc study {} {}`; it has {}", request.path, studies.front(),
                          alternatives(studies)));
    return false;
  }
  if (!llvm::is_contained(studies, request.study)) {
    const std::string which = request.study.empty() ? "" : fmt::format(" `{}`", request.study);
    (void)session.diags.report<diag::NoSuchStudy>({}, request.path, which)
        .help(studies.empty() ? "a study is `study NAME for LAYOUT { vary { … } outputs = [ … ] }`"
                              : didYouMean(nearNames(request.study, studies),
                                           "it has " + alternatives(studies)));
    return false;
  }
  for (const ir::Plan* plan : study::plansOfStudy(file, request.study))
    layouts.push_back(plan->layout.name);
  if (layouts.empty()) {
    (void)session.diags.report<diag::NoLayout>({}, request.path)
        .help(fmt::format("study `{}` is not for a layout with a model and a cluster",
                          request.study));
    return false;
  }
  if (request.layout.empty() && layouts.size() == 1)
    request.layout = layouts.front();
  if (llvm::is_contained(layouts, request.layout))
    return true;
  if (request.layout.empty())
    (void)session.diags.report<diag::StudyOfLayouts>({}, request.study, layouts.size())
        .help("choose with `--layout`: " + alternatives(layouts));
  else
    (void)session.diags.report<diag::NoSuchLayout>({}, request.path, request.layout)
        .help("the study is of " + alternatives(layouts));
  return false;
}
} // namespace

std::unique_ptr<CompiledUnit> tool::compileStudy(Session& session, const std::string& name,
                                                 study::StudyRequest& request) {
  request = {session.options.files.front(), name, session.options.layout, {}, session.settings()};
  std::unique_ptr<CompiledUnit> unit = session.compile(request.path);
  if (unit->file.failed() || session.diags.errors() > 0)
    return nullptr;
  if (request.path == "-") {
    request.path = session.sources.name(*unit->source()).str();
    request.text = session.sources.text(*unit->source()).str();
  }
  return choose(session, *unit->file, request) ? std::move(unit) : nullptr;
}
