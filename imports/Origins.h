#pragma once
//===- Origins.h - The option of an imported file that causes an error of its plan ------------===//
#include "support/Diagnostics.h"
#include <optional>
#include <string>

namespace dpl::imports {

/// An error of the plan in the words of the imported file.
struct Origin {
  SourceRange at;            ///< place of the option or setting
  std::string message, help; ///< `help` may be empty
};

/// The place in the file of an option that was read at `at`. Words that a shell was given as one
/// text have no place of their own, so that the line of the file with that option is searched.
SourceRange writtenAt(llvm::StringRef option, SourceRange at, const SourceManager& sources,
                      std::uint32_t file);

/// Finds the option or setting of an imported file that causes an error of its plan. `kind` is
/// "megatron", "torchtitan", "deepspeed" or "nemo". Nothing if no option or setting of the file is
/// known as the cause.
std::optional<Origin> originOf(const Diagnostic& error, llvm::StringRef kind,
                               const SourceManager& sources, std::uint32_t file);

/// Where the file writes what the field of its plan says, of which `field` is the text: "tensor =
/// 8".
std::optional<SourceRange> placeOfField(llvm::StringRef field, const SourceManager& sources,
                                        std::uint32_t file);

} // namespace dpl::imports
