#pragma once
//===- RenderText.h - Diagnostics as text of a given width ------------------------------------===//
#include "support/Diagnostics.h"

namespace dpl {

/// Like `renderText` of Diagnostics.h, in at most `width` columns. Sentences are wrapped, and
/// source lines are cut around the marks. Longer words and places stay whole.
std::string renderText(const DiagnosticEngine& engine, const SourceManager& sources, bool colour,
                       unsigned width);

} // namespace dpl
