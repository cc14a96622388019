//===- Check.cpp - The screen of `dplc check` -------------------------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/Intervals.h"
#include "backends/report/Report.h"
#include "backends/report/Runs.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "figures/ErrorModel.h"
#include "ir/Arithmetic.h"
#include "ir/MeshText.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

constexpr unsigned labelWidth = 11;

/// A line "label      text". The text is wrapped in its column; continuation lines have a hanging
/// indent of `hang`.
std::string line(const char* label, const std::string& text, unsigned width, unsigned hang = 0) {
  return padded(label, labelWidth) + wrapped(text, width - labelWidth, labelWidth + hang, hang) +
         "\n";
}

/// "peak 41.7GiB of 79.65GiB on pipeline rank 0, 37.95GiB (47.6%) free".
std::string peakOf(const ir::Plan& plan, const ir::RankMemory& worst,
                   const figures::Figures* figures = nullptr) {
  const double usable = ir::real(worst.usable), peak = ir::real(worst.peak());
  const std::string where =
      plan.memory.size() > 1 ? fmt::format(" on pipeline rank {}", worst.rank) : "";
  const std::string fills =
      fmt::format("peak {} of {}{}",
                  figures ? withInterval(memory(peak), *figures, "memory.peak") : memory(peak),
                  memory(usable), where);
  return peak > usable ? fmt::format("{}, {} too much", fills, memory(peak - usable))
                       : fmt::format("{}, {} ({}) free", fills, memory(usable - peak),
                                     percent((usable - peak) / usable));
}

std::string fitsText(const ir::Plan& plan, const figures::Figures& figures) {
  const ir::RankMemory* worst = ir::tightest(plan.memory);
  if (!worst)
    return "not known";
  const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
  const std::string offloaded = host ? "; " + hostText(plan.cluster, *host) : "";
  const bool fits = worst->headroom() >= 0 && (!host || host->fits());
  const char* const verdict = !fits ? "no" : figures::fitsBarely(*worst) ? "barely" : "yes";
  return fmt::format("{}: {}{}", verdict, peakOf(plan, *worst, &figures), offloaded);
}

std::string speedText(const ir::Plan& plan, const figures::Figures& figures) {
  const auto step = figures.value("step_time");
  if (!step)
    return "not known";
  std::string out = withInterval(duration(*step), figures, "step_time");
  for (const auto& [path, samples] :
       {std::pair("tokens_per_second", false), {"samples_per_second", true}})
    if (const auto perSecond = figures.value(path))
      out += ", " + withInterval(rate(*perSecond, samples), figures, path);
  if (const auto mfu = figures.value("mfu"))
    out += fmt::format(", MFU {}{}", withInterval(percent(*mfu), figures, "mfu"),
                       peakText(plan, figures));
  return out;
}

/// The step time after a change: "step 10.2s instead of 10.49s, 2.76% less".
std::string gainText(const ir::Plan& before, const ir::Plan& after) {
  const auto step = [](const ir::Plan& plan) {
    return figures::Figures(plan, {}, figures::Depth::Values).value("step_time").value_or(0);
  };
  const double now = step(before), then = step(after);
  const std::string out = fmt::format("step {} instead of {}", duration(then), duration(now));
  return then < now ? fmt::format("{}, {} less", out, percent(1 - then / now))
                    : fmt::format("{}, {} more", out, percent(then / now - 1));
}

/// The largest part of the step, the overlap of communication, and how much faster more devices
/// are.
std::string regimeText(const figures::Figures& figures) {
  const figures::Figure* regime = figures.find("regime");
  if (!regime)
    return "";
  std::string out = fmt::format("{}: {} of the step", regime->note, percent(regime->value));
  if (const auto share = figures.value("communication.exposed.share"))
    out += fmt::format(", {} of communication is exposed", percent(*share));
  if (figures.value("cluster.devices").value_or(1) == 1)
    return out;
  if (const figures::Figure* speedup = figures.find("speedup.over_one_device"))
    out += fmt::format(", {} times as fast as one device", show(*speedup));
  if (const figures::Figure* limit = figures.find("speedup.limit"))
    out += fmt::format(", at most {} times with more data ranks", show(*limit));
  return out;
}

} // namespace

std::string report::renderAdvice(const ir::Plan& plan, const ChangedLayout* best, bool all,
                                 unsigned width) {
  width = std::max(width, 60U);
  const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
  const bool fits = ir::tightest(plan.memory)->headroom() >= 0 && (!host || host->fits());
  const std::string tried = all ? "" : "; not all changes were tried";
  if (!best)
    return line(
        "advice",
        fmt::format("no single change of the layout {}{}", fits ? "is faster" : "fits", tried),
        width);
  const auto rows = [&](const char* label, const std::string& text) {
    return padded(label, labelWidth) + wrappedFields(text, width - labelWidth, labelWidth) + "\n";
  };
  std::string out = rows("advice", best->change);
  if (best->plan.mesh.found)
    out += rows("", "for which `mesh = auto` finds " + ir::meshText(best->plan));
  return out + line("",
                    fmt::format("{}; {}{}", gainText(plan, best->plan),
                                peakOf(best->plan, *ir::tightest(best->plan.memory)), tried),
                    width);
}

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
  say("fits", fitsText(plan, figures));
  say("step", speedText(plan, figures));
  if (const std::string text = regimeText(figures); !text.empty())
    say("regime", text);
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
  list("assumed", assumptionsText(plan));
  list("experts", assumedText(plan));
  list("framework", frameworkText(plan));
  say("warnings", warnings == 0 ? "none" : fmt::format("{}", warnings));
  return out;
}
