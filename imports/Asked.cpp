//===- Asked.cpp - What nobody knows and `--define` would say ---------------------------------===//
#include "imports/Asked.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;

void Asked::add(SourceRange at, const std::string& what, const std::string& define) {
  const auto name = [](llvm::StringRef text) { return text.split('=').first; };
  const auto same = [&](const Missing& other) { return name(other.define) == name(define); };
  if (llvm::none_of(missing, same))
    missing.push_back({at, what, define});
}

std::string Asked::help(const std::string& words, const std::string& says) {
  constexpr std::size_t longest = 150; // what is quoted and longer is shortened
  return words.size() > longest ? fmt::format("this says {}: {}", says, words)
                                : fmt::format("`{}` says {}", words, says);
}

void Asked::report(DiagnosticEngine& diags, const std::string& others) const {
  if (missing.empty())
    return;
  std::string words = others;
  std::vector<std::pair<SourceRange, std::string>> places; // with all that is missing there
  for (const Missing& one : missing) {
    words += (words.empty() ? "--define " : " --define ") + one.define;
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
  const bool arguments = llvm::any_of(missing, [](const Missing& m) { return m.define == "@="; });
  (void)std::move(report).help(
      help(words, missing.size() == 1 && others.empty() ? "it" : "all of it") +
      (arguments ? "; `--define '@=A B'` that the script has the arguments A and B" : ""));
}
