#pragma once
//===- ErrorOrigins.h - The option or setting that causes an error of an imported plan --------===//
#include "frontend/import/WrittenSettings.h"
#include <optional>
#include <string>

namespace dpl::imports {

/// The place in the file of an option that was read at `at`. Words inside a quoted text have no
/// place of their own, so the option is searched in this text, and then in the file.
SourceRange locationOf(llvm::StringRef option, SourceRange at, const SourceManager& sources,
                       std::uint32_t file);

/// An error of a plan, reworded for the imported file.
struct ErrorOrigin {
  SourceRange at; ///< place of the option or setting; the beginning of the file if the cause is not
                  ///< known
  std::string message, help; ///< `help` is empty if there is none
};

/// Finds the options and settings of an imported file that cause errors of its plan.
class ErrorOrigins {
public:
  /// `kind` is "megatron", "torchtitan", "deepspeed", "nemo" or "hf". For "hf" `settings` are
  /// empty, because its keys are searched in the text.
  ErrorOrigins(llvm::StringRef kind, const SourceManager& sources, std::uint32_t file,
               WrittenSettings settings)
      : kind(kind), sources(sources), file(file), settings(std::move(settings)) {}

  /// The place in the file that sets a field of the plan. `field` is the text of the field: "tensor
  /// = 8".
  std::optional<SourceRange> placeOf(llvm::StringRef field) const;
  /// Rewords an error that is reported at a field of the plan. `field` is the text of the field.
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
