//===- CalibrationPicture.cpp - Measured and predicted bus bandwidth by size ------------------===//
#include "backends/report/PlotPicture.h"
#include "driver/calibrate/CalibrationText.h"
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr std::size_t mostTicks = 9;

class CalibrationChart {
public:
  explicit CalibrationChart(const Calibration& calibration) : groups(groupsOf(calibration)) {
    for (const Residual& row : calibration.rows) {
      sizes.hold(static_cast<double>(row.measured.bytes));
      rates.hold(row.busBandwidth(row.measured.seconds));
      rates.hold(row.busBandwidth(row.after));
    }
  }
  std::string text(const std::string& title) {
    grid();
    for (std::size_t i = 0; i < groups.size(); ++i)
      group(groups[i], i);
    plot.finish(title, "size of a rank's buffer", "bus bandwidth", groups.size());
    return plot.svg();
  }

private:
  void grid() {
    for (const double rate : rates.ticks(mostTicks))
      plot.gridLine(rates.at(rate), human(rate, *dimensionNamed("Bandwidth")));
    for (const double size : sizes.ticks(mostTicks)) {
      plot.stroke(sizes.at(size), plot.top, sizes.at(size), plot.bottom, "#ddd");
      plot.label(sizes.at(size), plot.bottom + 19, human(size, *dimensionNamed("Bytes"), true),
                 "middle");
    }
  }
  void group(const ResidualGroup& group, std::size_t number) {
    std::vector<std::pair<double, double>> way;
    for (const Residual* row : group.rows) {
      const double x = sizes.at(static_cast<double>(row->measured.bytes));
      way.emplace_back(x, rates.at(row->busBandwidth(row->after)));
      plot.marker(x, rates.at(row->busBandwidth(row->measured.seconds)), number);
    }
    plot.curve(way, number);
    plot.legend(group.name, number, groups.size());
  }

  const std::vector<ResidualGroup> groups;
  report::PlotPicture plot;
  report::LogAxis sizes{report::PlotPicture::left, report::PlotPicture::right, 2};
  report::LogAxis rates{report::PlotPicture::bottom, report::PlotPicture::top, 10};
};
} // namespace

std::string score::pictureOf(const Calibration& calibration, const CalibrationOf& of) {
  return CalibrationChart(calibration)
      .text(fmt::format("{}: bus bandwidth measured (marks) and predicted (lines)", of.cluster));
}
