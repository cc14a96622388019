//===- ArrayJobChoice.cpp - The array job that `dplc emit slurm` writes -----------------------===//
#include "tools/dplc/ArrayJobChoice.h"
#include "tools/dplc/SearchChoice.h"
#include "tools/dplc/StudyRequest.h"
#include "llvm/ADT/StringExtras.h"
using namespace dpl;
using namespace dpl::tool;
using study::ArrayJobRequest;

namespace {
bool compileSearch(Session& session, const std::string& name, ArrayJobRequest& job) {
  const std::unique_ptr<CompiledUnit> unit = session.compile(job.path);
  if (unit->file.failed() || session.diags.errors() > 0)
    return false;
  const std::optional<SearchedBlock> chosen =
      chooseSearch(session, *unit->file, Session::nameOf(job.path), name);
  if (chosen)
    job.name = chosen->block.name;
  return chosen.has_value();
}

bool compileStudyOf(Session& session, const std::string& name, ArrayJobRequest& job) {
  study::StudyRequest request;
  if (!compileStudy(session, name, request))
    return false;
  job.name = request.study, job.layout = request.layout;
  return true;
}
} // namespace

std::optional<ArrayJobRequest> tool::arrayJobOf(Session& session, const EmitOptions& options) {
  const bool search = !options.search.empty();
  const char* const noun = search ? "search" : "study";
  const auto refused = [&](const std::string& why) {
    session.wrongUsage(fmt::format("--{}: {}", noun, why),
                       fmt::format("`dplc emit slurm FILE --{} NAME --array N -o DIR`", noun));
    return std::nullopt;
  };
  if (options.targets.size() > 1 || options.targets.front() != "slurm")
    return refused(fmt::format("a {} is a job of `slurm`, found `{}`", noun,
                               llvm::join(options.targets, "`, `")));
  if (options.output.empty())
    return refused(search ? "the job needs a folder for its shards"
                          : "the job needs a folder for its points");
  if (options.files.front() == "-")
    return refused("the job needs a file, found `-`");
  if (!session.prepare())
    return std::nullopt;
  ArrayJobRequest job;
  job.kind = search ? ArrayJobRequest::ArrayJobKind::Search : ArrayJobRequest::ArrayJobKind::Study;
  job.path = session.options.files.front(), job.overrides = session.settings();
  job.shards = options.array, job.folder = options.output;
  const bool found = search ? compileSearch(session, options.search, job)
                            : compileStudyOf(session, options.study, job);
  return found ? std::optional(job) : std::nullopt;
}
