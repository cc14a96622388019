#pragma once
//===- Rules.h - Reporting what Megatron-LM cannot express or refuses -------------------------===//
#include "backends/megatron/Megatron.h"
#include "backends/megatron/Shape.h"
#include <fmt/core.h>

namespace dpl::megatron {

/// Where a run of Megatron-LM would have stopped.
enum class Stage : std::uint8_t { Parse, Validate, Configure, Group, Build, Run };

/// One row of Rules.def, for messages and the reference page. A missing counterpart has no stage.
struct RuleInfo {
  const char* id;
  bool refused;
  Stage stage;
  const char* errorClass;
  const char* since;
};

namespace rule {
#define MISSING(NAME, ID, FORMAT)                                                                  \
  struct NAME {                                                                                    \
    static constexpr RuleInfo info{ID, false, Stage::Parse, "", ""};                               \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(FORMAT, args...);                                                         \
    }                                                                                              \
  };
#define REFUSED(NAME, ID, STAGE, ERROR, SINCE, FORMAT)                                             \
  struct NAME {                                                                                    \
    static constexpr RuleInfo info{ID, true, Stage::STAGE, ERROR, SINCE};                          \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(FORMAT, args...);                                                         \
    }                                                                                              \
  };
#include "backends/megatron/Rules.def"
} // namespace rule

/// Every row of Rules.def, in its order.
llvm::ArrayRef<RuleInfo> allRules();

/// Collects what the rules find; each finding is located at the field that causes it.
class Findings {
public:
  Findings(const ir::Plan& plan, DiagnosticEngine& diags) : plan(plan), diags(diags) {}
  /// `path` is of the layout ("mesh.tensor") or of its model ("model.heads").
  template <class Rule, class... Args> void report(const std::string& path, const Args&... args) {
    found = true;
    issue(Rule::info, path, Rule::format(args...));
  }
  bool any() const { return found; }

private:
  void issue(const RuleInfo& info, const std::string& path, const std::string& message);
  const ir::Plan& plan;
  DiagnosticEngine& diags;
  bool found = false;
};

void checkModel(const Shape& shape, Findings& findings);
void checkMesh(const Shape& shape, Findings& findings);
void checkLayout(const Shape& shape, Findings& findings);
void checkPrecision(const Shape& shape, Findings& findings);

} // namespace dpl::megatron
