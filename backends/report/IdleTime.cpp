//===- IdleTime.cpp - What the ranks of a pipeline lose by waiting ----------------------------===//
#include "backends/report/IdleTime.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "support/Text.h"
#include <fmt/format.h>

using namespace dpl;

std::string report::idleTime(const figures::Figures& figures, bool flushed, unsigned width) {
  std::vector<std::string> columns{"measure", "figure", flushed ? "of the makespan" : "of a step"};
  if (flushed)
    columns.push_back("of the span");
  TextTable table(columns, 2);
  const auto cell = [&](const std::string& path) {
    const auto value = figures.value(path);
    return value ? percent(*value) : "-";
  };
  for (const auto& [what, path] : {std::pair("bubble fraction", "bubble_fraction"),
                                   std::pair("of equal stages", "bubble_fraction.equal_stages"),
                                   std::pair("bubble overhead", "bubble_overhead"),
                                   std::pair("utilisation", "pipeline_utilization")})
    if (figures.value(path))
      flushed ? table.row({what, path, cell(path), cell(std::string(path) + ".longest_rank")})
              : table.row({what, path, cell(path)});
  std::string out = "\nIdle time of the pipeline\n" + table.render(width);
  const auto remark = [&](const std::string& text) {
    out += "  " + wrapped(text, width - 2, 2) + "\n";
  };
  if (flushed) {
    remark(fmt::format("makespan: {}, the end of the last pass of all ranks (time.makespan)",
                       duration(figures.value("time.makespan").value_or(0))));
    remark(fmt::format(
        "span: {}, first pass to last of the rank that takes longest (time.longest_rank); its "
        "figures end in `.longest_rank`",
        duration(figures.value("time.longest_rank").value_or(0))));
  } else {
    remark(
        fmt::format("a step begins every {}, without a flush (time.makespan and time.longest_rank)",
                    duration(figures.value("time.makespan").value_or(0))));
  }
  remark("bubble fraction: idle device-time over all device-time; overhead: time beyond the ideal, "
         "in which no rank is idle, over the ideal; utilisation: 1 - bubble fraction");
  if (figures.value("bubble_fraction.equal_stages"))
    remark("of equal stages: what the order alone leaves idle, if all stages took the mean and "
           "messages no time");
  return out;
}
