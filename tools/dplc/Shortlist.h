#pragma once
//===- Shortlist.h - Layouts that the expected error cannot tell apart from the best ----------===//
#include "driver/search/SearchRun.h"

namespace dpl::tool {

/// Runs a search and leaves in its table the fastest layout of each kind, at most `length`, whose
/// 80 % interval overlaps that of the fastest. Layouts of one kind have equal tensor and pipeline
/// ranks and ZeRO stage. Without `figures` the columns include the half-width of the interval.
FailureOr<report::SearchTable> runShortlist(const ir::Plan& plan, const NamedBlock& block,
                                            search::RunOptions options, std::uint64_t length,
                                            const SourceManager& sources, DiagnosticEngine& diags);

/// "short.dpl" and 2 to "short.2.dpl".
std::string numberedFile(const std::string& path, std::size_t number);

} // namespace dpl::tool
