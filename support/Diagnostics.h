#pragma once
//===- Diagnostics.h - What the user is told, and the engine that collects it -----------------===//
#include "support/OutOfLine.h"
#include "support/Result.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/core.h>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Formatted as its text, width and precision included.
template <> struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  format_context::iterator format(llvm::StringRef s, format_context& ctx) const;
};

namespace dpl {

/// A note stands on another message; a remark stands alone, reads `note[CODE]` and is no warning.
enum class Severity : std::uint8_t { Note, Remark, Warning, Error };
/// What messages call it: a remark is a "note" too.
const char* name(Severity s);

/// One row of Diagnostics.def.
struct DiagInfo {
  const char* code;
  const char* name; ///< mnemonic, as `--warn` takes it: "mesh-size-mismatch"
  Severity severity;
};

/// A message as a type: `report<diag::NAME>(…)`. support/diagnostics/ has a header of them a phase.
#define DPL_MESSAGE(CODE, NAME, MNEMONIC, SEVERITY, FORMAT)                                        \
  struct NAME {                                                                                    \
    static constexpr DiagInfo info{#CODE, MNEMONIC, Severity::SEVERITY};                           \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(FORMAT, args...);                                                         \
    }                                                                                              \
  };

/// Every row of the table, in its order.
llvm::ArrayRef<DiagInfo> allDiagnostics();

/// Replace `range` by `text`: an edit that we are sure of.
struct Edit {
  SourceRange range;
  std::string text;
};

struct Diagnostic {
  DiagInfo info;
  SourceRange range;
  std::string message;
  std::string label;             ///< beside the caret: what is wrong here; may be empty
  std::vector<Diagnostic> notes; ///< the other side, or context
  std::string help;              ///< advice, with `edits` when there is a sure one
  std::vector<Edit> edits;
};

/// Collects diagnostics. It alone knows limits, severity mapping, order and de-duplication;
/// renderers only render. A phase is a stretch of work whose messages are sorted together: parsing,
/// checking, one pass. The limit is applied when a phase ends, so that the first by position are
/// kept.
class DiagnosticEngine {
public:
  DPL_SPECIAL_MEMBERS(DiagnosticEngine);
  /// A diagnostic that issues itself when it dies.
  class InFlight {
  public:
    InFlight(DiagnosticEngine& engine, Diagnostic d);
    InFlight(DiagnosticEngine& engine, const DiagInfo& info, SourceRange at, std::string message);
    InFlight(InFlight&& o) noexcept;
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    InFlight& operator=(InFlight&&) = delete;
    ~InFlight();
    InFlight&& label(std::string text) &&;
    template <class D, class... Args> InFlight&& note(SourceRange at, const Args&... args) && {
      static_assert(D::info.severity == Severity::Note, "only notes can be attached");
      return std::move(*this).note(D::info, at, D::format(args...));
    }
    InFlight&& note(const DiagInfo& info, SourceRange at, std::string message) &&;
    InFlight&& help(std::string text) &&;
    InFlight&& edit(SourceRange at, std::string replacement) &&;
    operator LogicalResult() const {
      return LogicalResult::failure();
    } // NOLINT: `return report(...)`
    template <class T> operator FailureOr<T>() const { return LogicalResult::failure(); } // NOLINT

  private:
    DiagnosticEngine* engine;
    Diagnostic d;
  };

  template <class D, class... Args> InFlight report(SourceRange at, const Args&... args) {
    return {*this, D::info, at, D::format(args...)};
  }
  /// `--warn`/`--error`/`--no-warn` by mnemonic; false when no warning and no remark has that name.
  /// Only those can be mapped. A lint threshold's value is not kept here; this is only on and off.
  enum class SeverityMapping : std::uint8_t { Off, Warning, Error };
  bool map(llvm::StringRef mnemonic, SeverityMapping m);

  void issue(Diagnostic d);
  /// Those of closed phases in order, then those of the open one as they came.
  llvm::ArrayRef<Diagnostic> diagnostics() const { return issued; }
  /// Sorts what came since the last call by file and position, unlocated ones last, and holds back
  /// what is past the limit.
  void endPhase();
  /// Takes over what another engine was told, its phases closed: each message once.
  void absorb(DiagnosticEngine other);
  /// The same for phases that come after this one's: one limit holds for all.
  void continueWith(DiagnosticEngine later);
  /// "DPL0304: …"; empty without an error.
  std::string firstError() const;
  unsigned errors() const { return errorCount; } ///< held back ones included
  unsigned warnings() const { return warningCount; }
  /// How many were not kept because the limit was reached.
  unsigned heldBack() const { return dropped; }
  unsigned limit = 20; ///< of errors, and again of warnings and of remarks
  /// Forget everything from the n-th on: `mesh = auto` tries candidates silently. A phase may not
  /// end between `mark` and `rollback`.
  std::size_t mark() const { return issued.size(); }
  std::vector<Diagnostic> rollback(std::size_t mark);

private:
  std::vector<Diagnostic> issued;
  std::vector<std::pair<std::string, SeverityMapping>> mappings;
  std::size_t phaseBegin = 0;
  void count(const Diagnostic& d, int by);
  void takeOver(DiagnosticEngine other);
  void holdBack();
  unsigned errorCount = 0, warningCount = 0, dropped = 0;
};

/// The explain page of a code as Markdown; empty when there is none.
using ExplainPage = std::function<llvm::StringRef(llvm::StringRef code)>;

/// Text for people (colour only when asked), one JSON object a line, SARIF 2.1.0. They render the
/// closed phases; each ends with a line break unless it is empty.
std::string renderText(const DiagnosticEngine& engine, const SourceManager& sources, bool colour);
std::string renderJson(const DiagnosticEngine& engine, const SourceManager& sources);
std::string renderSarif(const DiagnosticEngine& engine, const SourceManager& sources,
                        llvm::StringRef version, const ExplainPage& page);

} // namespace dpl
