//===- UnsupportedOptions.cpp - Options and settings that a plan cannot express ---------------===//
#include "frontend/import/UnsupportedOptions.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <tuple>

using namespace dpl;
using namespace dpl::imports;

void UnsupportedOptions::report(DiagnosticEngine& diags, const char* whole) {
  // The reports are sorted in the order in which they are shown, because the last one has the help.
  llvm::stable_sort(all, [](const UnsupportedOption& a, const UnsupportedOption& b) {
    return std::tuple(a.at.file, a.at.begin) < std::tuple(b.at.file, b.at.begin);
  });
  std::string words;
  for (const UnsupportedOption& one : all)
    words += (words.empty() ? "--ignore=" : " --ignore=") + one.name;
  const auto manners =
      llvm::count_if(all, [](const UnsupportedOption& one) { return one.lenient; });
  const bool single = all.size() == 1;
  std::string help =
      fmt::format("`{}` imports the {} without {}", words, whole, single ? "it" : "them");
  constexpr std::size_t longest = 150; // longer quoted texts are shortened in messages
  if (words.size() > longest)
    help = fmt::format("this imports the {} without all {}: {}", whole, all.size(), words);
  if (manners > 0)
    help = fmt::format("{}{}`--lenient` without {}", help, words.size() > longest ? "; " : ", ",
                       single ? "all such options" : fmt::format("{} of them", manners));
  for (const UnsupportedOption& one : all) {
    auto report = diags.report<diag::ImportOptionUnsaid>(one.at, one.name);
    if (&one == &all.back())
      (void)std::move(report).help(one.meant.empty() ? help : one.meant + " " + help);
    else if (!one.meant.empty())
      (void)std::move(report).help(one.meant);
  }
}
