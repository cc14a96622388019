//===- Target.cpp - The list of targets, and what holds for all of them -----------------------===//
#include "backends/Target.h"
#include <algorithm>
#include <iterator>
using namespace dpl;

#define TARGET(NAME)                                                                               \
  namespace dpl::NAME {                                                                            \
  extern const Target target;                                                                      \
  }
#include "backends/Targets.def"
#undef TARGET

llvm::ArrayRef<const Target*> dpl::allTargets() {
  static const Target* const all[] = {
#define TARGET(NAME) &NAME::target,
#include "backends/Targets.def"
#undef TARGET
  };
  return all;
}

const Target* dpl::targetNamed(llvm::StringRef name) {
  const auto* const found =
      std::find_if(allTargets().begin(), allTargets().end(),
                   [&](const Target* target) { return name == target->name; });
  return found == allTargets().end() ? nullptr : *found;
}

std::string dpl::writtenBy(const TargetRequest& request) {
  const std::string release = request.release.any() ? "" : " " + request.release.text();
  return fmt::format("Written by {} for {}{}", generatorName(), request.target.product, release);
}

std::string dpl::headerOf(const TargetRequest& request, llvm::StringRef mark) {
  return fmt::format("{0} {1}.\n{0} {2}; an edit is lost with the next emit.\n", mark.str(),
                     subjectOf(request.plan), writtenBy(request));
}

LogicalResult dpl::check(const TargetRequest& request, DiagnosticEngine& diags) {
  Findings findings(request, diags);
  request.target.check(request, findings);
  return findings.any() ? LogicalResult::failure() : LogicalResult::success();
}

FailureOr<std::vector<EmittedFile>> dpl::emit(const TargetRequest& request,
                                              DiagnosticEngine& diags) {
  if (check(request, diags).failed())
    return LogicalResult::failure();
  return request.target.render(request);
}
