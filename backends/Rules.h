#pragma once
//===- Rules.h - What a target cannot express or refuses, as a table --------------------------===//
//
// Each target has a table Rules.def of rows MISSING and REFUSED, a type for each row
// (RuleTypes.inc) and checks that report by that type, so that a message always has the values it
// asks for.
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/Release.h"
#include <fmt/core.h>

namespace dpl {

struct Target;

/// Where the target would have stopped. Parse and Validate read its options or configuration file,
/// Configure makes its configuration objects, Group its process groups, Build the model, Run is the
/// first training step; Submit is a scheduler that takes or refuses the job.
enum class StartupPhase : std::uint8_t { Parse, Validate, Configure, Group, Build, Run, Submit };

/// One row of a table. A missing counterpart has no stage and no error class.
struct RuleInfo {
  const char* code; ///< "M17": never used again for another rule of the target
  const char* name; ///< "kv-heads-by-tensor"
  bool refused;
  StartupPhase phase;
  const char* errorClass; ///< as the target raises it
  ReleaseRange releases;
  const char* message; ///< with {} for values
  const char* fix;     ///< one or two sentences for `dplc explain`
};

/// Defines the type of a row: its info, and its message with values.
#define DPL_RULE(NAME, MESSAGE, ...)                                                               \
  struct NAME {                                                                                    \
    static constexpr RuleInfo info{__VA_ARGS__};                                                   \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(MESSAGE, args...);                                                        \
    }                                                                                              \
  };

/// What `emit` and `check --target` ask of a target. Refers to a plan that all passes completed.
struct TargetRequest {
  const Target& target;
  const ir::Plan& plan;
  Release release; ///< one of the target's, or any() for a target without releases
  /// Names of the targets that are written beside this one in the same call, in order.
  std::vector<std::string> alsoEmitted;
};

/// Collects what the rules find; each finding is located at the field that causes it. A rule that
/// does not hold for the asked release stays silent.
class Findings {
public:
  Findings(const TargetRequest& request, DiagnosticEngine& diags)
      : request(request), diags(diags) {}
  /// `path` is of the layout ("mesh.tensor"), of its model ("model.heads") or of the launch
  /// ("launch.launcher.partition").
  template <class Rule, class... Args> void report(const std::string& path, const Args&... args) {
    if (Rule::info.releases.holds(request.release))
      issue(Rule::info, path, Rule::format(args...));
  }
  /// What the target runs and its user will regret: a warning, which is no finding.
  template <class Diag, class... Args>
  DiagnosticEngine::InFlight warn(const std::string& path, const Args&... args) {
    return diags.report<Diag>(rangeOf(path), args...);
  }
  bool any() const { return found; }
  /// For a target that this one starts; `add` what was found.
  Findings within(const TargetRequest& other) const { return {other, diags}; }
  void add(const Findings& other) { found |= other.found; }

private:
  void issue(const RuleInfo& info, const std::string& path, const std::string& message);
  SourceRange rangeOf(const std::string& path) const;
  const TargetRequest& request;
  DiagnosticEngine& diags;
  bool found = false;
};

/// "ValueError when it runs the first step": the end of a refused job.
std::string fateOf(const RuleInfo& info);

} // namespace dpl
