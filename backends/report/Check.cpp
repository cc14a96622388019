//===- Check.cpp - The screen of `dplc check` -------------------------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/Runs.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

constexpr unsigned labelWidth = 11;

/// "label      text": the text is wrapped in its column, with a hanging indent of `hang`.
std::string line(const char* label, const std::string& text, unsigned width, unsigned hang = 0) {
  return padded(label, labelWidth) + wrapped(text, width - labelWidth, labelWidth + hang, hang) +
         "\n";
}

std::string fitsText(const ir::Plan& plan) {
  const ir::RankMemory* worst = ir::tightest(plan.memory);
  if (!worst)
    return "not known";
  const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
  const std::string offloaded = host ? "; " + hostText(plan.cluster, *host) : "";
  const double usable = static_cast<double>(worst->usable);
  const double peak = static_cast<double>(worst->peak());
  const std::string where =
      plan.memory.size() > 1 ? fmt::format(" on pipeline rank {}", worst->rank) : "";
  if (peak > usable)
    return fmt::format("no: peak {} of {}{}, {} too much", memory(peak), memory(usable), where,
                       memory(peak - usable)) +
           offloaded;
  return fmt::format("{}: peak {} of {}{}, {} ({}) free{}", host && !host->fits() ? "no" : "yes",
                     memory(peak), memory(usable), where, memory(usable - peak),
                     percent((usable - peak) / usable), offloaded);
}

std::string speedText(const ir::Plan& plan, const figures::Figures& figures) {
  const auto step = figures.value("step_time");
  if (!step)
    return "not known";
  std::string out = duration(*step);
  if (const auto perSecond = figures.value("tokens_per_second"))
    out += ", " + rate(*perSecond, false);
  if (const auto perSecond = figures.value("samples_per_second"))
    out += ", " + rate(*perSecond, true);
  if (const auto mfu = figures.value("mfu"))
    out += fmt::format(", MFU {}{}", percent(*mfu), peakText(plan, figures));
  return out;
}

} // namespace

std::string report::renderCheck(const ir::Plan& plan, unsigned width, unsigned warnings) {
  width = std::max(width, 60U);
  const figures::Figures figures(plan);
  std::string out;
  auto say = [&](const char* label, const std::string& text) { out += line(label, text, width); };
  say("plan", fmt::format("{} ({})", plan.name, plan.file));
  say("model", modelText(plan, figures));
  say("cluster", clusterText(plan));
  for (const std::string& text : meshLines(plan))
    out += padded(text.rfind("mesh", 0) == 0 ? "mesh" : "", labelWidth) +
           sourceLine(text, width - labelWidth, labelWidth) + "\n";
  say("batch", batchText(plan));
  say("schedule", scheduleLine(plan));
  out += "\n";
  say("legal", "yes");
  say("fits", fitsText(plan));
  say("step", speedText(plan, figures));
  std::vector<StepLoss> most = losses(plan, figures);
  most.resize(std::min<std::size_t>(most.size(), 3));
  std::size_t timeWidth = 0;
  for (const StepLoss& loss : most)
    timeWidth = std::max(timeWidth, codePoints(duration(loss.seconds)));
  for (const StepLoss& loss : most) {
    const std::string start = fmt::format("{}  {} ", padded(duration(loss.seconds), timeWidth),
                                          padded(percent(loss.share), 6));
    out += line(&loss == &most.front() ? "slower by" : "", start + loss.reason, width,
                static_cast<unsigned>(codePoints(start)));
  }
  bool first = true;
  for (const ir::Run& run : plan.runs)
    if (const std::string text = runText(run, figures); !text.empty())
      say(std::exchange(first, false) ? "run" : "", text);
  auto list = [&](const char* label, const std::string& text) {
    if (!text.empty())
      out += padded(label, labelWidth) + wrappedFields(text, width - labelWidth, labelWidth) + "\n";
  };
  list("experts", assumedText(plan));
  list("framework", frameworkText(plan));
  say("warnings", warnings == 0 ? "none" : fmt::format("{}", warnings));
  return out;
}
