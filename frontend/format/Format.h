#pragma once
//===- Format.h - Formats a .dpl file ---------------------------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl {

/// Formats a file as docs/reference/format.md defines. Fails, and reports why, if the file does not
/// parse. The result has the same meaning, and formatting it again changes nothing.
FailureOr<std::string> format(const SourceManager& sources, std::uint32_t file,
                              DiagnosticEngine& diags);

} // namespace dpl
