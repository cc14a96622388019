//===- Timeline.cpp - The schedule of a plan as text ------------------------------------------===//
#include "cost/step/Timeline.h"
#include "backends/report/ActionStyle.h"
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/StepComponents.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using ir::ActionKind;

namespace {
constexpr char idle = '.';
/// The characters that fill an action after the number of its micro-batch, by chunk.
constexpr llvm::StringLiteral fills = "-=~+";

/// A part of the step that is drawn as a block of lines. Times are in ps.
struct Window {
  const char* name = "";
  std::uint64_t begin = 0, end = 0;
};

/// Selects the parts of a step to draw, so that a forward pass of median length has at least one
/// column.
class TimelineWindows {
public:
  TimelineWindows(const ir::Plan& plan, std::uint64_t columns) : plan(plan) {
    const ir::StepResult& times = *plan.step;
    end = ir::toPicoseconds(times.end);
    const std::uint64_t flush = plan.steady.empty() ? ir::toPicoseconds(times.makespan) : end;
    const std::uint64_t unit = std::max<std::uint64_t>(medianForward(plan), 1);
    if (2 * end <= columns * unit) {
      all = {{"", 0, end}};
      return;
    }
    const auto [warm, cool] = phases();
    const std::uint64_t length =
        std::clamp(std::max(warm, flush - cool), columns * unit / 2, columns * unit);
    // Of what follows the actions, only the beginning is shown.
    const std::uint64_t shown = std::min(end, flush + length / 4);
    const std::uint64_t parts = (shown + length - 1) / length;
    if (parts <= 3) {
      for (std::uint64_t i = 0; i < parts; ++i)
        all.push_back({"", shown * i / parts, shown * (i + 1) / parts});
      return;
    }
    const std::uint64_t middle = (shown - length) / 2;
    const bool flushed = plan.steady.empty(); // only schedules with a flush have warm-up and
                                              // cool-down
    all = {{flushed ? "warm-up" : "begin", 0, length},
           {flushed ? "steady" : "middle", middle, middle + length},
           {flushed ? "cool-down" : "end", shown - length, shown}};
  }
  const std::vector<Window>& drawn() const { return all; }
  /// Length of a window in ps. Windows are equally long, except for rounding.
  std::uint64_t length() const { return all.front().end - all.front().begin; }
  std::vector<Window> leftOut() const {
    std::vector<Window> out;
    std::uint64_t at = 0;
    for (const Window& w : all) {
      if (w.begin > at)
        out.push_back({"", at, w.begin});
      at = w.end;
    }
    if (end > at)
      out.push_back({"", at, end});
    return out;
  }

private:
  /// The start of the last rank's first backward pass, and the end of the first rank's last forward
  /// pass.
  std::pair<std::uint64_t, std::uint64_t> phases() const {
    std::uint64_t warm = 0, cool = UINT64_MAX;
    for (const ir::RankSchedule& rank : plan.schedule) {
      std::uint64_t first = 0, last = 0;
      for (std::size_t i = rank.actions.size(); i-- > 0;)
        if (rank.actions[i].forward())
          last = std::max(last, rank.endOf(i));
        else if (ir::isChunkAction(rank.actions[i].kind))
          first = rank.start[i];
      warm = std::max(warm, first), cool = std::min(cool, last);
    }
    return {warm, cool};
  }

  const ir::Plan& plan;
  std::uint64_t end = 0;
  std::vector<Window> all;
};

class Drawing {
public:
  Drawing(const ir::Plan& plan, unsigned width, bool colour)
      : plan(plan), width(width), colour(colour),
        label(fmt::format("{}", plan.schedule.size() - 1).size() + 8),
        columns(width - static_cast<unsigned>(label)), windows(plan, columns) {}

  std::string text() {
    const double column = ir::toSeconds(windows.length()) / columns;
    std::string out = wrapped(fmt::format("Schedule of {} ({}): {}; a column is {}", plan.name,
                                          plan.file, scheduleText(plan), duration(column)),
                              width, 0) +
                      "\n";
    for (const Window& window : windows.drawn()) {
      out += fmt::format("\n  {}{}{} to {}\n", window.name, *window.name ? ", " : "",
                         timeOf(window.begin), timeOf(window.end));
      for (const ir::RankSchedule& rank : plan.schedule)
        out += fmt::format("  {:<{}}", fmt::format("rank {}", rank.rank), label - 2) +
               line(rank, window) + "\n";
    }
    out += "\n" + legend();
    for (const Window& gap : windows.leftOut())
      out += "  " + wrapped(leftOut(gap), width - 2, 2) + "\n";
    return out;
  }

private:
  static std::string timeOf(std::uint64_t ps) { return ps == 0 ? "0s" : fromPicoseconds(ps); }

  /// One character of a rank's line.
  struct TimelineCell {
    char character = idle;
    unsigned colour = 0; ///< number of the terminal's colour; 0 for none
  };

  std::string line(const ir::RankSchedule& rank, const Window& window) const {
    std::vector<TimelineCell> cells(columns);
    const std::uint64_t length = windows.length();
    const auto columnOf = [&](std::uint64_t time) { // nearest column to a time
      const std::uint64_t at = std::clamp(time, window.begin, window.end) - window.begin;
      const auto exact = static_cast<double>(at) * columns / static_cast<double>(length);
      return std::min<std::size_t>(static_cast<std::size_t>(exact + 0.5), columns);
    };
    const auto drawAll = [&](const ir::RankSchedule& of, bool own) {
      for (std::size_t i = 0; i < of.actions.size(); ++i) {
        const std::size_t begin = columnOf(of.start[i]), end = columnOf(of.endOf(i));
        if (begin < end)
          draw(of.actions[i], own, of.start[i] >= window.begin,
               llvm::MutableArrayRef<TimelineCell>(cells).slice(begin, end - begin));
      }
    };
    const cost::RankStepView drawn = cost::rankStepView(plan, rank.rank);
    drawAll(drawn.neighbours, false), drawAll(*drawn.schedule, true);
    return painted(cells);
  }
  /// Draws an action into its cells. `own` says that it is of this step, `whole` that it begins
  /// inside the window.
  void draw(const ir::ScheduledAction& op, bool own, bool whole,
            llvm::MutableArrayRef<TimelineCell> cells) const {
    const ActionStyle& style = styleOf(op.kind);
    const bool pass = ir::isChunkAction(op.kind);
    const char fill = !pass ? style.letter : colour ? ' ' : fills[op.chunk % fills.size()];
    for (TimelineCell& cell : cells)
      cell = {fill, style.terminal[op.chunk % style.terminal.size()]};
    if (!pass || !whole)
      return;
    std::string name =
        fmt::format("{}{}", own ? style.letter : llvm::toLower(style.letter), op.microBatch);
    if (name.size() > cells.size())
      name.resize(1);
    for (std::size_t i = 0; i < name.size(); ++i)
      cells[i].character = name[i];
  }
  std::string painted(llvm::ArrayRef<TimelineCell> cells) const {
    std::string out;
    unsigned now = 0;
    for (const TimelineCell& cell : cells) {
      if (colour && cell.colour != now) {
        out += cell.colour ? fmt::format("\033[38;5;16;48;5;{}m", cell.colour) : "\033[0m";
        now = cell.colour;
      }
      out += cell.character;
    }
    return now ? out + "\033[0m" : out;
  }

  std::string legend() const {
    std::string kinds;
    for (const ActionKind kind : kindsIn(plan)) {
      const ActionStyle& style = styleOf(kind);
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ",
                           painted({{style.letter, style.terminal.front()}}), style.word);
    }
    const std::string text = fmt::format(
        "{}, {} idle; a number is a micro-batch{}", kinds, idle,
        plan.steady.empty() ? "" : "; lower-case letters belong to the previous or the next step");
    const std::string launches = launchBoundText(plan);
    return "  " + wrapped(text, width - 2, 2) + "\n" + chunks() +
           (launches.empty() ? "" : "  " + wrapped(launches, width - 2, 2) + "\n");
  }
  std::string chunks() const {
    if (plan.placement.chunks < 2)
      return "";
    std::string text;
    for (std::uint64_t c = 0; c < plan.placement.chunks; ++c) {
      const ActionStyle& style = styleOf(ActionKind::Forward);
      const unsigned shade = style.terminal[c % style.terminal.size()];
      text += fmt::format("{}chunk {} {}", text.empty() ? "" : ", ", c,
                          colour ? painted({{style.letter, shade}})
                                 : std::string{style.letter, fills[c % fills.size()]});
    }
    return "  " + wrapped(text, width - 2, 2) + "\n";
  }
  std::string leftOut(const Window& gap) const {
    std::uint64_t passes = 0;
    for (const ir::RankSchedule& rank : plan.schedule)
      for (std::size_t i = 0; i < rank.actions.size(); ++i)
        if (ir::isChunkAction(rank.actions[i].kind) && rank.start[i] >= gap.begin &&
            rank.endOf(i) <= gap.end)
          ++passes;
    return fmt::format("left out: {} to {}, {} actions", timeOf(gap.begin), timeOf(gap.end),
                       passes);
  }

  const ir::Plan& plan;
  const unsigned width;
  const bool colour;
  const std::size_t label;
  const unsigned columns;
  const TimelineWindows windows;
};

/// A line about the bubble of all ranks.
std::string idleText(const ir::Plan& plan) {
  const figures::Figures figures(plan);
  return fmt::format("idle: {} of the device-time {} (bubble_fraction)",
                     percent(figures.value("bubble_fraction").value_or(0)),
                     plan.steady.empty() ? "until the last action of all ranks ends"
                                         : "from one step to the next");
}
} // namespace

std::string report::renderTimeline(const ir::Plan& plan, unsigned width, bool colour) {
  return Drawing(plan, width, colour).text() + "  " + wrapped(idleText(plan), width - 2, 2) + "\n";
}
