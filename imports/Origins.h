#pragma once
//===- Origins.h - What of an imported file an error of its plan comes from -------------------===//
#include "support/Diagnostics.h"
#include <optional>
#include <string>

namespace dpl::imports {

/// An error of the plan in the words of the file that was imported.
struct Origin {
  SourceRange at;            ///< of the option or setting
  std::string message, help; ///< `help` may be empty
};

/// Where the file writes an option that was read at `at`: what a shell was given in one word holds
/// the option's text, and the file's line of it is elsewhere.
SourceRange writtenAt(llvm::StringRef option, SourceRange at, const SourceManager& sources,
                      std::uint32_t file);

/// Where an error of the plan comes from in a file of `kind` ("megatron", "torchtitan",
/// "deepspeed", "nemo"); nothing where no option or setting of the file is known for it.
std::optional<Origin> originOf(const Diagnostic& error, llvm::StringRef kind,
                               const SourceManager& sources, std::uint32_t file);

/// Where the file writes what the field of its plan says, of which `field` is the text: "tensor =
/// 8".
std::optional<SourceRange> placeOfField(llvm::StringRef field, const SourceManager& sources,
                                        std::uint32_t file);

} // namespace dpl::imports
