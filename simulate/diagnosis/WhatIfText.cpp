//===- WhatIfText.cpp - Sensitivities as text, picture and JSON -------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/PlotPicture.h"
#include "backends/report/TextTable.h"
#include "simulate/diagnosis/WhatIf.h"
#include "support/Text.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
/// Effects below this share are not shown as bars.
constexpr double leastEffect = 0.0005;

double effectOf(const std::optional<ChangedMachine>& side, double step) {
  return side ? side->step / step - 1 : 0;
}

bool matters(const Sensitivity& row, double step) {
  return std::abs(effectOf(row.less, step)) >= leastEffect ||
         std::abs(effectOf(row.more, step)) >= leastEffect;
}

/// The largest share by which a property changes the step, at least a small one. The number of
/// devices is left out, because it changes by more than the other properties; its bar is cut off.
double largestEffect(const SensitivityTable& table) {
  double most = leastEffect;
  for (const Sensitivity& row : table.rows)
    for (const auto* side : {&row.less, &row.more})
      if (!row.devices)
        most = std::max(most, std::abs(effectOf(*side, table.step)));
  return most;
}

/// The change of the step, such as "+11.3%", with a mark if the plan does not fit.
std::string effectText(const std::optional<ChangedMachine>& side, double step) {
  if (!side)
    return "-";
  const double effect = effectOf(side, step);
  const std::string text =
      std::abs(effect) < leastEffect
          ? "0%"
          : fmt::format("{}{}", effect > 0 ? "+" : "-", report::percent(std::abs(effect)));
  return side->fits ? text : text + " (does not fit)";
}

std::string nameOf(const Sensitivity& row) {
  if (!row.devices)
    return row.words;
  const auto count = [](const std::optional<ChangedMachine>& side) {
    return side ? fmt::format("{:.0f}", side->value) : "-";
  };
  return fmt::format("{} {} | {}", row.words, count(row.less), count(row.more));
}

/// A bar to the left for a shorter step, and one to the right for a longer step, each of at most
/// `columns` characters.
std::string barOf(const Sensitivity& row, double step, double most, unsigned columns) {
  std::size_t left = 0, right = 0;
  for (const auto* side : {&row.less, &row.more}) {
    const double effect = effectOf(*side, step);
    const double share = std::min(1.0, std::abs(effect) / most);
    const auto length = static_cast<std::size_t>(std::lround(columns * share));
    (effect < 0 ? left : right) = std::max(effect < 0 ? left : right, length);
  }
  return std::string(columns - left, ' ') + std::string(left, '#') + "|" + std::string(right, '#');
}

Json json(const std::optional<ChangedMachine>& side) {
  return side ? Json{{"value", side->value}, {"step_s", side->step}, {"fits", side->fits}} : Json();
}
} // namespace

std::string diagnosis::sensitivitiesText(const ir::Plan& plan, const SensitivityTable& table,
                                         unsigned width) {
  const std::string share = fmt::format("{:.0f}%", 100 * sensitivityShare);
  std::string text =
      wrapped(fmt::format("a step of {} takes {}; with {} less or more of one property",
                          plan.layout.name, report::duration(table.step), share),
              width, 0) +
      "\n\n";
  report::TextTable rows({"property", "-" + share, "+" + share});
  const double most = largestEffect(table);
  std::vector<const Sensitivity*> drawn;
  std::vector<std::string> idle;
  for (const Sensitivity& row : table.rows) {
    const bool fits = (!row.less || row.less->fits) && (!row.more || row.more->fits);
    if (!matters(row, table.step) && fits) {
      idle.push_back(row.words);
      continue;
    }
    rows.row({nameOf(row), effectText(row.less, table.step), effectText(row.more, table.step)});
    drawn.push_back(&row);
  }
  llvm::SmallVector<llvm::StringRef, 16> lines;
  const std::string rendered = rows.render(width);
  llvm::StringRef(rendered).rtrim().split(lines, '\n');
  // The bars take the columns that the table leaves; too few of them, or a divided table, get none.
  constexpr unsigned mostColumns = 16, leastColumns = 6;
  const unsigned taken = static_cast<unsigned>(lines.front().size()) + 4,
                 columns = width > taken ? std::min(mostColumns, (width - taken) / 2) : 0;
  const bool bars = lines.size() == drawn.size() + 1 && columns >= leastColumns;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{}{}\n", lines[i].str(),
                        !bars    ? ""
                        : i == 0 ? fmt::format("  {:>{}}|{}", "shorter", columns, "longer")
                                 : "  " + barOf(*drawn[i - 1], table.step, most, columns));
  if (!idle.empty())
    text += "\n" +
            listRow("", fmt::format("no effect on the step: {}", fmt::join(idle, ", ")), 2, width) +
            "\n";
  return text;
}

std::string diagnosis::sensitivitiesSvg(const ir::Plan& plan, const SensitivityTable& table) {
  using Picture = report::PlotPicture;
  Picture picture;
  const double most = largestEffect(table), middle = (Picture::left + Picture::right) / 2,
               half = (Picture::right - Picture::left) / 2 - 100; // the texts of bars have the rest
  constexpr double first = Picture::top + 20, apart = 32;
  double y = first;
  for (const Sensitivity& row : table.rows) {
    if (!matters(row, table.step))
      continue;
    picture.label(Picture::left, y - 9, nameOf(row), "start");
    for (const auto* side : {&row.less, &row.more}) {
      const double effect = effectOf(*side, table.step),
                   end = middle + half * std::clamp(effect / most, -1.0, 1.0);
      picture.stroke(middle, y, end, y, side == &row.less ? "#b35806" : "#542788");
      const bool rightward = effect >= leastEffect; // texts of no effect are to the left
      picture.label(end + (rightward ? 4 : -4), y + 4, effectText(*side, table.step),
                    rightward ? "start" : "end");
    }
    y += apart;
  }
  picture.stroke(middle, Picture::top, middle, y, "#888888");
  picture.finish(fmt::format("{}: a step takes {}", plan.layout.name, report::duration(table.step)),
                 fmt::format("change of the step with {:.0f}% less (orange) or more (violet)",
                             100 * sensitivityShare),
                 "", 0);
  return picture.svg();
}

Json diagnosis::sensitivitiesJson(const SensitivityTable& table) {
  Json rows = Json::array();
  for (const Sensitivity& row : table.rows)
    rows.push_back({{"property", row.key},
                    {"unit", row.devices ? "devices" : "factor"},
                    {"less", json(row.less)},
                    {"more", json(row.more)}});
  return {{"step_s", table.step}, {"rows", std::move(rows)}};
}
