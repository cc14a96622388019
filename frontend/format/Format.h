#pragma once
//===- Format.h - The one way to write a file -------------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl {

/// Formats a file as docs/reference/format.md says. Fails, with its mistakes reported, when it does
/// not parse. The result means the same, and formatting it again changes nothing.
FailureOr<std::string> format(const SourceManager& sources, std::uint32_t file,
                              DiagnosticEngine& diags);

} // namespace dpl
