#pragma once
//===- ErrorOrigins.h - The option or setting that causes an error of an imported plan --------===//
#include "frontend/import/WrittenSettings.h"
#include <optional>
#include <string>

namespace dpl::imports {

/// The place in the file of an option that was read at `at`. Words of a quoted text have no place
/// of their own. For these the option is searched in the text, or else in the file.
SourceRange locationOf(llvm::StringRef option, SourceRange at, const SourceManager& sources,
                       std::uint32_t file);

/// An error of the plan in the words of the imported file.
struct ErrorOrigin {
  SourceRange at; ///< option or setting; the beginning of the file if the cause is unknown
  std::string message, help; ///< `help` may be empty
};

/// Finds the options and settings of an imported file that cause errors of its plan.
class ErrorOrigins {
public:
  /// `kind` is "megatron", "torchtitan", "deepspeed", "nemo" or "hf". `settings` are empty for
  /// "hf", whose keys are searched in the text.
  ErrorOrigins(llvm::StringRef kind, const SourceManager& sources, std::uint32_t file,
               WrittenSettings settings)
      : kind(kind), sources(sources), file(file), settings(std::move(settings)) {}

  /// The place that sets a field of the plan. `field` is the field's text: "tensor = 8".
  std::optional<SourceRange> placeOf(llvm::StringRef field) const;
  /// Rewords an error of the plan at a field. `field` is the field's text.
  ErrorOrigin of(const Diagnostic& error, llvm::StringRef field) const;

private:
  std::optional<WrittenSetting> first(llvm::ArrayRef<const char*> names) const;
  std::string axesIn(llvm::StringRef text) const;
  std::string inTheirWords(llvm::StringRef text) const;
  ErrorOrigin processesOf(llvm::StringRef message) const;
  std::optional<SourceRange> placeInAssertion(const Diagnostic& error) const;

  llvm::StringRef kind;
  const SourceManager& sources;
  std::uint32_t file;
  WrittenSettings settings;
};

} // namespace dpl::imports
