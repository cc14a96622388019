#pragma once
//===- Diagnostics.h - Messages to the user, and the engine that collects them ----------------===//
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

/// Formats a StringRef like other texts, with width and precision.
template <> struct fmt::formatter<llvm::StringRef> : fmt::formatter<fmt::string_view> {
  format_context::iterator format(llvm::StringRef s, format_context& ctx) const;
};

namespace dpl {

/// The severity of a diagnostic. A note belongs to a message. A remark is a message of its own that
/// reads `note[CODE]` and is not a warning.
enum class Severity : std::uint8_t { Note, Remark, Warning, Error };
/// The word for a severity in messages: a remark is a "note" too.
const char* name(Severity s);

/// One row of Diagnostics.def.
struct DiagInfo {
  const char* code;
  const char* name; ///< mnemonic, as `--warn` takes it: "mesh-size-mismatch"
  Severity severity;
};

/// A message as a type, for `report<diag::NAME>(…)`; support/diagnostics/ has a header per phase.
#define DPL_MESSAGE(CODE, NAME, MNEMONIC, SEVERITY, FORMAT)                                        \
  struct NAME {                                                                                    \
    static constexpr DiagInfo info{#CODE, MNEMONIC, Severity::SEVERITY};                           \
    template <class... Args> static std::string format(const Args&... args) {                      \
      return fmt::format(FORMAT, args...);                                                         \
    }                                                                                              \
  };

/// All rows of the table, in order.
llvm::ArrayRef<DiagInfo> allDiagnostics();

/// An edit that is certainly right: replace `range` by `text`.
struct Edit {
  SourceRange range;
  std::string text;
};

struct Diagnostic {
  DiagInfo info;
  SourceRange range;
  std::string message;
  std::string label;             ///< the error at the caret in a few words; may be empty
  std::vector<Diagnostic> notes; ///< related places, or context
  std::string help;              ///< advice, with `edits` if one edit is certainly right
  std::vector<Edit> edits;
};

/// Collects diagnostics, and implements limits, severity mapping, order and de-duplication for all
/// renderers. Messages of a phase (parsing, checking or one pass) are sorted together. The limit is
/// applied at the end of a phase, so that the first messages by position remain.
class DiagnosticEngine {
public:
  DPL_SPECIAL_MEMBERS(DiagnosticEngine);
  /// A diagnostic that its destructor reports.
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
  /// Applies `--warn`, `--error` or `--no-warn` to a mnemonic. False if no warning or remark has
  /// that mnemonic; errors cannot be mapped. Thresholds of lints are not stored here.
  enum class SeverityMapping : std::uint8_t { Off, Warning, Error };
  bool map(llvm::StringRef mnemonic, SeverityMapping m);

  void issue(Diagnostic d);
  /// The messages of closed phases in order, then those of the open phase as reported.
  llvm::ArrayRef<Diagnostic> diagnostics() const { return issued; }
  /// Sorts the messages since the last call by file and position, those without a place last, and
  /// drops messages above the limit.
  void endPhase();
  /// Adds the messages of another engine with closed phases, without duplicates.
  void absorb(DiagnosticEngine other);
  /// The same for the messages of later phases, with a common limit.
  void continueWith(DiagnosticEngine later);
  /// The first error as a text, "DPL0304: …"; empty if there is none.
  std::string firstError() const;
  unsigned errors() const { return errorCount; } ///< number of errors, with dropped ones
  unsigned warnings() const { return warningCount; }
  /// The number of messages that the limit dropped.
  unsigned heldBack() const { return dropped; }
  unsigned limit = 20; ///< limit of the number of errors, and likewise of warnings and of remarks
  /// For silent trials of `mesh = auto`: `rollback` discards all messages that were added after
  /// `mark`. No phase may end between the two calls.
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

/// The explain page of a code as Markdown; empty if there is none.
using ExplainPage = std::function<llvm::StringRef(llvm::StringRef code)>;

/// Render the closed phases: as text for people (with colour on request), as one JSON object per
/// line, or as SARIF 2.1.0. The result ends with a newline unless it is empty.
std::string renderText(const DiagnosticEngine& engine, const SourceManager& sources, bool colour);
std::string renderJson(const DiagnosticEngine& engine, const SourceManager& sources);
std::string renderSarif(const DiagnosticEngine& engine, const SourceManager& sources,
                        llvm::StringRef version, const ExplainPage& page);

} // namespace dpl
