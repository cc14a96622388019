#pragma once
//===- RenderText.h - Diagnostics for a screen of a width -------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl {

/// As `renderText` of Diagnostics.h, in at most `width` columns: sentences are wrapped, the line of
/// source is cut around its marks. Words and places that are wider stay whole.
std::string renderText(const DiagnosticEngine& engine, const SourceManager& sources, bool colour,
                       unsigned width);

} // namespace dpl
