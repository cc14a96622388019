#pragma once
//===- Screen.h - Scores as text and JSON -----------------------------------------------------===//
#include "driver/score/Statistics.h"
#include "support/Json.h"

namespace dpl::score {

/// The tables of errors for a terminal, and the `worstRows` rows with the largest errors, with
/// commands that explain them.
std::string screen(const Scores& scores, unsigned width, std::size_t worstRows);

/// The commands that explain a figure of a row.
std::string explanation(const Scores& scores, const ScoredRow& row, std::size_t quantity);

/// The scores as JSON, "dplc.score.1" (docs/reference/score.md). If there are very many rows, they
/// are left out.
Json scoresJson(const Scores& scores);

/// A table of the changes since an earlier `--json` output, by family. Fails, after a report, if
/// `before` is not such an output. `name` is its name in messages.
FailureOr<std::string> comparison(const Json& now, const std::string& name, llvm::StringRef before,
                                  unsigned width, DiagnosticEngine& diags);

} // namespace dpl::score
