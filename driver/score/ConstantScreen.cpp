//===- ConstantScreen.cpp - Fitted constants and mapping rules as text ------------------------===//
#include "backends/report/TextTable.h"
#include "driver/score/ConstantFit.h"
#include "support/Text.h"
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr std::size_t enoughRows = 8;

std::string placeOf(const ConstantUse& use) {
  return use.capability == 0 ? std::string("networks")
                             : fmt::format("devices of compute capability {}.{}",
                                           use.capability / 10, use.capability % 10);
}

/// The value of a constant with its unit.
std::string valueOf(const ConstantUse& use, double value) {
  return fmt::format("{:.4g}{}", value,
                     llvm::StringRef(constantName(use.constant)) == "launch_overhead" ? "us" : "");
}

std::string constantTable(const ConstantHistory& history, unsigned width) {
  report::TextTable table({"fitted constant", "of", "value", "rows", "families", "refitted",
                           "least without one family", "most"},
                          2);
  std::size_t few = 0, limited = 0;
  for (const ConstantBasis& basis : constantBases(history)) {
    few += basis.rows < enoughRows ? 1 : 0;
    limited += basis.atLimit ? 1 : 0;
    const bool several = basis.families.size() > 1;
    table.row({constantName(basis.use.constant), placeOf(basis.use),
               valueOf(basis.use, basis.use.value / 1e6), std::to_string(basis.rows),
               std::to_string(basis.families.size()),
               (basis.atLimit ? "limit " : "") + valueOf(basis.use, basis.fitted),
               several ? valueOf(basis.use, basis.least) : "-",
               several ? valueOf(basis.use, basis.most) : "-"});
  }
  if (table.empty())
    return "no measured step rests on a fitted constant\n";
  const std::string limits =
      limited == 0 ? ""
                   : fmt::format(" {} at a limit: a factor of {}, or a share of 1.",
                                 limited == 1 ? std::string("1 refit stops")
                                              : fmt::format("{} refits stop", limited),
                                 mostFactor);
  return table.render(width) +
         wrapped(fmt::format("  {} on fewer than {} rows.{}",
                             few == 1 ? std::string("1 constant rests")
                                      : fmt::format("{} constants rest", few),
                             enoughRows, limits),
                 width, 2) +
         "\n";
}

std::string ruleTable(const std::string& mapping, llvm::ArrayRef<RuleUse> rules, unsigned width) {
  report::TextTable table({fmt::format("rules of mapping {}: sets", mapping), "conditions on",
                           "why", "rows", "families"},
                          3);
  std::size_t all = 0, few = 0, named = 0, unused = 0;
  for (const RuleUse& rule : rules) {
    if (rule.text.reads.empty())
      continue;
    ++all;
    few += rule.rows < enoughRows ? 1 : 0;
    named += rule.text.readsFamily ? 1 : 0;
    if (rule.rows == 0) {
      ++unused;
      continue;
    }
    table.row({rule.text.sets, rule.text.reads, rule.text.why, std::to_string(rule.rows),
               std::to_string(rule.families.size())});
  }
  if (all == 0)
    return "";
  return fmt::format(
      "\n{}{}\n", table.empty() ? "" : table.render(width),
      wrapped(fmt::format("  Of {} of mapping {}, {} on fewer than {} measured steps, {} on none "
                          "and left out here, and {} the family of a row.",
                          plural(all, "rule"), mapping,
                          few == 1 ? "1 rests" : fmt::format("{} rest", few), enoughRows, unused,
                          named == 1 ? "1 reads" : fmt::format("{} read", named)),
              width, 2));
}

std::vector<std::string> cellsOf(const std::string& name, const Errors& library,
                                 const Errors& others) {
  std::vector<std::string> cells{name, std::to_string(library.count)};
  for (const Errors* errors : {&library, &others})
    for (const double share : {errors->mean, errors->median, errors->p90})
      cells.push_back(fmt::format("{:.1f}", 100 * share));
  cells.push_back(fmt::format("{:+.1f}", 100 * others.bias));
  return cells;
}
} // namespace

std::string score::screenOfConstants(const ConstantHistory& history, unsigned width) {
  std::string text = constantTable(history, width);
  for (const auto& [mapping, rules] : history.scores.rules)
    text += ruleTable(mapping, rules, width);
  return text;
}

std::string score::screenOf(llvm::ArrayRef<LeftOutSteps> steps, const std::string& label,
                            unsigned width) {
  report::TextTable table({label, "rows", "library: mean %", "median %", "p90",
                           "without it: mean %", "median %", "p90", "bias %"});
  std::vector<double> library, others;
  for (const LeftOutSteps& left : steps) {
    library.insert(library.end(), left.library.begin(), left.library.end());
    others.insert(others.end(), left.others.begin(), left.others.end());
  }
  table.row(cellsOf("all", errorsOf(library), errorsOf(others)));
  for (const LeftOutSteps& left : steps)
    table.row(cellsOf(left.value, errorsOf(left.library), errorsOf(left.others)));
  return fmt::format("step time with constants fitted to rows of another {}\n{}", label,
                     table.render(width));
}
