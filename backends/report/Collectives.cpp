//===- Collectives.cpp - NCCL's choice of algorithm and protocol, by size ---------------------===//
#include "backends/report/Collectives.h"
#include "backends/report/Format.h"
#include "backends/report/PlotPicture.h"
#include "backends/report/TextTable.h"
#include "ir/Names.h"
#include "support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using cost::ChoicePoint;
using cost::CollectiveChoices;

namespace {
constexpr std::size_t shownOctaves = 4; ///< every fourth power of two has a row, in addition to all
                                        ///< sizes that the layout sends

std::string rateText(double bytesASecond) {
  return human(bytesASecond, *dimensionNamed("Bandwidth"));
}

std::string linkText(const ChoicePoint& point, const ir::Cluster& cluster) {
  return point.link ? fmt::format("{} {}", cluster.network.links[*point.link].displayName(),
                                  percent(point.busy))
                    : "-";
}

std::string nameOf(const CollectiveChoices& choices) {
  return fmt::format("{} over {}", ir::name(choices.kind), llvm::join(choices.groups, ", "));
}

std::string headingOf(const CollectiveChoices& choices) {
  std::string text = fmt::format("{}: {} within one {}", nameOf(choices),
                                 plural(choices.ranks, "rank"), ir::name(choices.spans));
  if (!choices.everyRank)
    text += fmt::format(", of pipeline rank {}", choices.rank);
  if (choices.secondsOfStep > 0)
    text += fmt::format(", {} of a step", duration(choices.secondsOfStep));
  return text;
}

std::string rangesText(const CollectiveChoices& choices) {
  TextTable table({"size", "runs as"}, 2);
  for (const cost::ChoiceRange& range : choices.ranges) {
    const bool last = range.last == UINT64_MAX;
    const std::string size = last ? (range.first == 0 ? "any" : "larger")
                                  : "up to " + memory(static_cast<double>(range.last));
    table.row({size, range.choice.text()});
  }
  return table.render(UINT32_MAX);
}

std::string pointsText(const CollectiveChoices& choices, const ir::Cluster& cluster,
                       unsigned width) {
  std::vector<std::string> header = {"size", "runs as", "count",       "time",
                                     "bus",  "alone",   "busiest link"};
  for (const ir::LinkLevel& level : cluster.levels)
    header.emplace_back(ir::name(level.level));
  header.insert(header.end(), {"next best", "its time"});
  TextTable table(header, 2);
  for (std::size_t i = 0, octave = 0; i < choices.points.size(); ++i) {
    const ChoicePoint& point = choices.points[i];
    const bool power = llvm::isPowerOf2_64(point.bytes);
    const bool shown = power && octave++ % shownOctaves == 0;
    if (!shown && point.count == 0)
      continue;
    // Sizes whose text is equal share one row.
    const std::string size = memory(static_cast<double>(point.bytes));
    std::uint64_t calls = point.count;
    while (i + 1 < choices.points.size() && choices.points[i + 1].choice == point.choice &&
           memory(static_cast<double>(choices.points[i + 1].bytes)) == size)
      calls += choices.points[++i].count;
    std::vector<std::string> row = {
        memory(static_cast<double>(point.bytes)),
        point.choice.text(),
        calls ? std::to_string(calls) : "-",
        duration(point.seconds),
        rateText(point.busBandwidth),
        point.alone > point.busBandwidth * 1.00001 ? rateText(point.alone) : "-",
        linkText(point, cluster)};
    for (const double sent : point.sent)
      row.push_back(sent > 0 ? traffic(sent) : "-");
    row.push_back(point.other ? point.other->text() : "-");
    row.push_back(point.other ? duration(point.otherSeconds) : "-");
    table.row(std::move(row));
  }
  table.dropDashes();
  return table.render(width);
}

constexpr const char* legend =
    "size: the whole buffer of a rank; count: of one device in a step; time and bus: in a running "
    "step, bus bandwidth as nccl-tests defines it; alone: bus bandwidth without other traffic, if "
    "it is higher; busiest link: "
    "the link type that limits the collective, and the share of the time in which it carries bytes "
    "and the protocol's flags; "
    "under the name of a level: bytes that one device sends over its links; next best: the fastest "
    "other algorithm";

Json choiceJson(const cost::AlgorithmUse& choice) {
  return {{"algorithm", ir::name(choice.algorithm)},
          {"protocol", choice.protocol ? Json(choice.protocol) : Json()}};
}

Json pointJson(const ChoicePoint& point, const ir::Cluster& cluster) {
  Json sent = Json::object();
  for (std::size_t l = 0; l < point.sent.size(); ++l)
    if (point.sent[l] > 0)
      sent[ir::name(cluster.levels[l].level)] = point.sent[l];
  Json out = {{"bytes", point.bytes}, {"count", point.count}};
  out.update(choiceJson(point.choice));
  out.update({{"seconds", point.seconds},
              {"bus_bandwidth", point.busBandwidth},
              {"bus_bandwidth_isolated", point.alone},
              {"busiest_link",
               point.link ? Json(cluster.network.links[*point.link].displayName()) : Json()},
              {"utilization", point.busy},
              {"sent_bytes", std::move(sent)},
              {"next_best", Json()}});
  if (point.other) {
    out["next_best"] = choiceJson(*point.other);
    out["next_best"]["seconds"] = point.otherSeconds;
  }
  return out;
}
} // namespace

std::string report::collectivesText(llvm::ArrayRef<CollectiveChoices> all,
                                    const ir::Cluster& cluster, unsigned width) {
  if (all.empty())
    return "The plan has no collectives.\n";
  std::string text;
  for (const CollectiveChoices& choices : all)
    text += wrapped(headingOf(choices), width, 2, 2) + "\n" + rangesText(choices) + "\n" +
            pointsText(choices, cluster, width) + "\n";
  return text + wrapped(legend, width, 2, 2) + "\n";
}

Json report::collectivesJson(llvm::ArrayRef<CollectiveChoices> all, const ir::Cluster& cluster) {
  Json out = Json::array();
  for (const CollectiveChoices& choices : all) {
    Json ranges = Json::array(), points = Json::array();
    for (const cost::ChoiceRange& range : choices.ranges) {
      Json one = {{"first_bytes", range.first},
                  {"last_bytes", range.last == UINT64_MAX ? Json() : Json(range.last)}};
      one.update(choiceJson(range.choice));
      ranges.push_back(std::move(one));
    }
    for (const ChoicePoint& point : choices.points)
      points.push_back(pointJson(point, cluster));
    out.push_back({{"collective", ir::name(choices.kind)},
                   {"groups", choices.groups},
                   {"pipeline_rank", choices.everyRank ? Json() : Json(choices.rank)},
                   {"ranks", choices.ranks},
                   {"level", ir::name(choices.spans)},
                   {"seconds_of_step", choices.secondsOfStep},
                   {"ranges", std::move(ranges)},
                   {"points", std::move(points)}});
  }
  return out;
}

std::string report::collectivesSvg(llvm::ArrayRef<CollectiveChoices> all,
                                   const std::string& title) {
  constexpr std::size_t mostTicks = 9;
  constexpr double tick = 7; // length of a tick to each side, in pixels
  LogAxis sizes(PlotPicture::left, PlotPicture::right, 2),
      rates(PlotPicture::bottom, PlotPicture::top, 10);
  for (const CollectiveChoices& choices : all)
    for (const ChoicePoint& point : choices.points)
      sizes.hold(static_cast<double>(point.bytes)), rates.hold(point.busBandwidth);
  PlotPicture plot;
  if (!sizes.empty()) {
    for (const double rate : rates.ticks(mostTicks))
      plot.gridLine(rates.at(rate), rateText(rate));
    for (const double size : sizes.ticks(mostTicks)) {
      plot.stroke(sizes.at(size), PlotPicture::top, sizes.at(size), PlotPicture::bottom, "#ddd");
      plot.label(sizes.at(size), PlotPicture::bottom + 19, memory(size), "middle");
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<std::pair<double, double>> way;
    const ChoicePoint* before = nullptr;
    for (const ChoicePoint& point : all[i].points) {
      const double x = sizes.at(static_cast<double>(point.bytes));
      const double y = rates.at(point.busBandwidth);
      way.emplace_back(x, y);
      if (point.count > 0)
        plot.marker(x, y, i);
      if (before && before->choice != point.choice)
        plot.stroke(x, y - tick, x, y + tick, "#333");
      before = &point;
    }
    plot.curve(way, i);
    plot.legend(fmt::format("{} over {}", ir::name(all[i].kind), all[i].groups.front()), i,
                all.size());
  }
  plot.finish(
      title + (all.empty()
                   ? ": the plan has none"
                   : ": marks are sizes of the plan, ticks are changes of algorithm or protocol"),
      "size of a rank's buffer", "bus bandwidth", all.size());
  return plot.svg();
}
