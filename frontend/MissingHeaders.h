#pragma once
//===- MissingHeaders.h - Blocks of a file that lack `for` or `on` and are used by none -------===//

namespace dpl {
class DiagnosticEngine;
namespace sema {
class Evaluator;
struct SourceModule;
} // namespace sema

/// A block without its header is a base or a fragment; one that nothing uses is checked with
/// nothing.
void warnOfMissingHeaders(sema::SourceModule& file, sema::Evaluator& evaluator,
                          DiagnosticEngine& diags);

} // namespace dpl
