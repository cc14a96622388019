//===- MissingInputs.cpp - Values that an imported file does not contain ----------------------===//
#include "frontend/import/MissingInputs.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

namespace {
llvm::StringRef nameOf(llvm::StringRef define) { return define.split('=').first; }
} // namespace

void MissingInputs::add(SourceRange at, const std::string& what, const std::string& define) {
  const auto same = [&](const MissingInput& other) {
    return nameOf(other.define) == nameOf(define);
  };
  if (llvm::none_of(missing, same))
    missing.push_back({at, what, define});
}

void MissingInputs::addElsewhere(const std::string& define) {
  if (!llvm::is_contained(elsewhere, define))
    elsewhere.push_back(define);
}

std::string MissingInputs::help(const std::string& words, const std::string& says) {
  constexpr std::size_t longest = 150; // longer quoted texts are shortened in messages
  return words.size() > longest ? fmt::format("this says {}: {}", says, words)
                                : fmt::format("`{}` says {}", words, says);
}

void MissingInputs::report(DiagnosticEngine& diags) const {
  if (missing.empty())
    return;
  std::string words;
  const auto also = [&](const std::string& define) {
    words += (words.empty() ? "--define " : " --define ") + define;
  };
  for (const std::string& define : elsewhere)
    if (llvm::none_of(missing,
                      [&](const MissingInput& m) { return nameOf(m.define) == nameOf(define); }))
      also(define);
  std::vector<std::pair<SourceRange, std::string>> places; // each place, with what is missing there
  for (const MissingInput& one : missing) {
    also(one.define);
    const auto place =
        llvm::find_if(places, [&](const auto& other) { return other.first.begin == one.at.begin; });
    if (place == places.end())
      places.emplace_back(one.at, one.what);
    else
      place->second += ", " + one.what;
  }
  auto report = diags.report<diag::ImportMissing>(places.front().first, places.front().second);
  for (const auto& [at, what] : llvm::drop_begin(places))
    (void)std::move(report).note<diag::ImportMissingToo>(at, what);
  const bool arguments = llvm::StringRef(words).contains(" @=");
  (void)std::move(report).help(
      help(words, missing.size() == 1 && elsewhere.empty() ? "it" : "all of it") +
      (arguments ? "; `--define '@=A B'` sets the arguments of the script to A and B" : ""));
}
