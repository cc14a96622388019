//===- Rest.cpp - Options of a launch that were not read --------------------------------------===//
#include "frontend/import/Misspelt.h"
#include "frontend/import/UnsupportedOptions.h"
#include "frontend/import/megatron/LaunchOptions.h"
#include "frontend/import/megatron/OtherReleases.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

std::vector<std::string> LaunchOptions::ignored() const { return {dropped.begin(), dropped.end()}; }

WrittenSettings LaunchOptions::written() const {
  WrittenSettings out;
  for (const auto& [name, option] : options)
    out.push_back({name, name, option.at});
  return out;
}

/// Degrees, batch sizes and lengths that were read, and the sizes that every model has.
std::vector<std::string> LaunchOptions::knownSizes() const {
  std::set<std::string> out = {"--num-layers",        "--hidden-size",
                               "--ffn-hidden-size",   "--num-attention-heads",
                               "--num-query-groups",  "--num-experts",
                               "--seq-length",        "--micro-batch-size",
                               "--global-batch-size", "--tensor-model-parallel-size"};
  for (const std::string& option : consumed)
    if (isSizeOption(option))
      out.insert(option);
  return {out.begin(), out.end()};
}

/// Reports an unknown option whose name is that of a size, or is similar to that of a known size. A
/// degree of 1 is not reported.
void LaunchOptions::unknownSize(const std::string& name, const LaunchOption& option) {
  const std::string value = joined(option.values);
  const bool degree =
      llvm::StringRef(name).endswith("-parallel-size") || llvm::StringRef(name).endswith("-degree");
  if (degree && value == "1" && misspelt(name, knownSizes()).empty())
    return;
  auto report = diags.report<diag::ImportSizeUnknown>(option.at, name, oneLine(value));
  if (const std::string meant = meantSize(name, knownSizes()); !meant.empty())
    (void)std::move(report).help(meant);
}

std::vector<std::string> LaunchOptions::rest() {
  std::vector<std::string> nothing;
  UnsupportedOptions unsaid;
  const std::vector<std::string> known(consumed.begin(), consumed.end()), sizes = knownSizes();
  for (const auto& [name, option] : options) {
    if (withoutEffect.count(name) != 0)
      nothing.push_back(name);
    if (consumed.count(name) != 0)
      continue;
    const bool named = llvm::is_contained(request.ignore, name);
    const OtherOption* const row = otherRelease(name, joined(option.values));
    const bool manner =
        isPerformanceOption(name) || (row && row->effect == OptionEffect::Performance);
    if (hasNoEffectOnPlan(name) || isAtDefault(name, joined(option.values)) ||
        (row && row->effect == OptionEffect::Without))
      nothing.push_back(name);
    else if (isSizeOption(name) || !misspelt(name, sizes).empty())
      unknownSize(name, option);
    else if (named || (request.lenient && manner))
      dropped.insert(name);
    else
      unsaid.add(option.at, name, manner,
                 unsaid.many() ? "" : didYouMean(misspelt(name, known), ""));
  }
  unsaid.report(diags, "launch");
  for (const std::string& name : request.ignore)
    if (isSizeOption(name) || (consumed.count(name) == 0 && !misspelt(name, sizes).empty()))
      (void)diags.report<diag::ImportNotIgnored>(
          options.count(name) == 0 ? SourceRange{} : options[name].at, name);
    else if (options.count(name) == 0 ||
             (consumed.count(name) != 0 && withoutEffect.count(name) == 0 &&
              dropped.count(name) == 0))
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--ignore={}`: {}", name,
                          options.count(name) == 0 ? "the launch does not have this option"
                                                   : "the plan contains this option"));
  return nothing;
}
