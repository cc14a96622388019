#pragma once
//===- Rules.h - Rules of a target: plans that it cannot express or refuses -------------------===//
//
// Each target has a table Rules.def with rows MISSING and REFUSED. RuleTypes.inc makes a type for
// each row. Checks report by that type, so that the compiler checks the values of each message.
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include "support/Release.h"
#include <fmt/core.h>

namespace dpl {

struct Target;

/// The phase in which the target itself would fail. In Parse and Validate it reads its options or
/// its configuration file. In Configure it makes its configuration objects, in Group its process
/// groups, in Build the model. Run is the first training step. Submit is the check of a scheduler.
enum class StartupPhase : std::uint8_t { Parse, Validate, Configure, Group, Build, Run, Submit };

/// One row of a table. A MISSING row has no phase and no error class.
struct RuleInfo {
  const char* code; ///< code of the rule, "M17". A code is never used again for another rule of the
                    ///< target
  const char* name; ///< name of the rule, "kv-heads-by-tensor"
  bool refused;
  StartupPhase phase;
  const char* errorClass; ///< class of the exception that the target raises
  ReleaseRange releases;
  const char* message; ///< text of the message, with {} for values
  const char* fix;     ///< how to fix the plan, one or two sentences for `dplc explain`
};

/// Defines the type of a row, with its RuleInfo and a function that fills in the message.
#define DPL_RULE(NAME, MESSAGE, ...)                                                               \
  struct NAME {                                                                                    \
    static constexpr RuleInfo info{__VA_ARGS__};                                                   \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(MESSAGE, args...);                                                        \
    }                                                                                              \
  };

/// A request of `emit` or `check --target`. It refers to a plan after all compiler passes.
struct TargetRequest {
  const Target& target;
  const ir::Plan& plan;
  Release release; ///< release of the target; any() for a target without releases
  /// The other targets that the same command writes, in the order of the command line.
  std::vector<std::string> alsoEmitted;
};

/// Collects the violations of rules. Each is reported at the field that causes it. Rules that do
/// not apply to the requested release report nothing.
class Findings {
public:
  Findings(const TargetRequest& request, DiagnosticEngine& diags)
      : request(request), diags(diags) {}
  /// Reports a violation. `path` names a field of the layout ("mesh.tensor"), of the model
  /// ("model.heads") or of the launch ("launch.launcher.partition").
  template <class Rule, class... Args> void report(const std::string& path, const Args&... args) {
    if (Rule::info.releases.holds(request.release))
      issue(Rule::info, path, Rule::format(args...));
  }
  /// Warns about a plan that the target runs, but badly. A warning does not count as a violation.
  template <class Diag, class... Args>
  DiagnosticEngine::InFlight warn(const std::string& path, const Args&... args) {
    return diags.report<Diag>(rangeOf(path), args...);
  }
  bool any() const { return found; }
  /// Returns findings for a target that this target starts. They are then passed to `add`.
  Findings within(const TargetRequest& other) const { return {other, diags}; }
  void add(const Findings& other) { found |= other.found; }

private:
  void issue(const RuleInfo& info, const std::string& path, const std::string& message);
  SourceRange rangeOf(const std::string& path) const;
  const TargetRequest& request;
  DiagnosticEngine& diags;
  bool found = false;
};

/// How the target fails on a refused plan: "ValueError when it runs the first step".
std::string fateOf(const RuleInfo& info);

} // namespace dpl
