#pragma once
//===- Screen.h - Scores as text, JSON and a web page -----------------------------------------===//
#include "driver/score/Statistics.h"
#include "support/Json.h"

namespace dpl::score {

/// The tables of errors for a terminal, with `worst` rows and the commands that explain them.
std::string screen(const Scores& scores, unsigned width, std::size_t worstRows);

/// The commands that explain a figure of a row.
std::string explanation(const Scores& scores, const ScoredRow& row, std::size_t quantity);

/// "dplc.score.1" (docs/reference/score.md). Rows are left out of it where there
/// are very many.
Json scoresJson(const Scores& scores);

/// The changes since a previous `--json` output, by family; fails after a report if it is not one.
/// `name` is for messages.
FailureOr<std::string> comparison(const Json& now, const std::string& name, llvm::StringRef before,
                                  unsigned width, DiagnosticEngine& diags);

/// One self-contained page.
std::string page(const Json& scores);
/// driver/score/page.html, in which `@DATA@` is replaced by the scores.
llvm::StringRef pageTemplate();

} // namespace dpl::score
