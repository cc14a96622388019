//===- CalibrationPicture.cpp - Bus bandwidth over size, measured and predicted ---------------===//
#include "backends/report/SvgParts.h"
#include "score/calibration/CalibrationText.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
// Lengths are pixels at the picture's own size.
constexpr double width = 860, left = 90, right = 600, top = 48, bottom = 420, legendLine = 18;
constexpr std::size_t mostInLegend = 20;
// ColorBrewer Dark2; dashes tell groups apart without it.
constexpr const char* colours[] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#66a61e"};
constexpr const char* dashes[] = {"", "6 3", "2 3", "8 3 2 3"};

/// A logarithmic axis over whole powers of a base.
struct Axis {
  double from, to; ///< pixels
  double base;
  double low = INFINITY, high = -INFINITY; ///< exponents
  void hold(double value) {
    const double exponent = std::log(value) / std::log(base);
    low = std::min(low, std::floor(exponent + 1e-9));
    high = std::max({high, std::ceil(exponent - 1e-9), low + 1});
  }
  double at(double value) const {
    return from + (to - from) * (std::log(value) / std::log(base) - low) / (high - low);
  }
};

class Chart {
public:
  explicit Chart(const Calibration& calibration) : groups(groupsOf(calibration)) {
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
    const std::string shown = report::escaped(title);
    label(left, 18, shown, "start");
    label((left + right) / 2, bottom + 42, "size of a rank's buffer", "middle");
    label(8, top - 12, "bus bandwidth", "start");
    const double legend =
        top + legendLine * static_cast<double>(std::min(groups.size(), mostInLegend) + 3);
    return report::svgPage(width, std::max(bottom + 62, legend), shown, out);
  }

private:
  void label(double x, double y, const std::string& text, const char* anchor) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                       anchor, text);
  }
  void stroke(double x1, double y1, double x2, double y2) {
    out += fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" "
                       "stroke=\"#ddd\"/>\n",
                       x1, y1, x2, y2);
  }
  void grid() {
    for (double e = rates.low; e <= rates.high; ++e) {
      const double value = std::pow(rates.base, e);
      stroke(left, rates.at(value), right, rates.at(value));
      label(left - 8, rates.at(value) + 4, human(value, *dimensionNamed("Bandwidth")), "end");
    }
    const double every = std::max(1.0, std::ceil((sizes.high - sizes.low) / 8));
    for (double e = sizes.low; e <= sizes.high; e += every) {
      const double value = std::pow(sizes.base, e);
      stroke(sizes.at(value), top, sizes.at(value), bottom);
      label(sizes.at(value), bottom + 19, human(value, *dimensionNamed("Bytes"), true), "middle");
    }
  }
  void group(const ResidualGroup& group, std::size_t number) {
    const char* colour = colours[number % std::size(colours)];
    const std::string line =
        fmt::format("stroke=\"{}\" stroke-dasharray=\"{}\" stroke-width=\"1.6\" fill=\"none\"",
                    colour, dashes[number % std::size(dashes)]);
    std::string way;
    for (const Residual* row : group.rows) {
      const double x = sizes.at(static_cast<double>(row->measured.bytes));
      way += fmt::format("{}{:.2f} {:.2f}", way.empty() ? "M" : " L", x,
                         rates.at(row->busBandwidth(row->after)));
      mark(x, rates.at(row->busBandwidth(row->measured.seconds)), colour);
    }
    out += fmt::format("<path d=\"{}\" {}/>\n", way, line);
    if (number > mostInLegend)
      return;
    const double y = top + 8 + legendLine * static_cast<double>(number);
    if (number == mostInLegend)
      return label(right + 24, y + 4, fmt::format("and {} more", groups.size() - number), "start");
    out += fmt::format("<path d=\"M{:.2f} {:.2f} L{:.2f} {:.2f}\" {}/>\n", right + 24, y,
                       right + 56, y, line);
    mark(right + 40, y, colour);
    label(right + 62, y + 4, report::escaped(group.name), "start");
  }
  void mark(double x, double y, const char* colour) {
    out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3\" fill=\"{}\"/>\n", x, y, colour);
  }

  const std::vector<ResidualGroup> groups;
  Axis sizes{left, right, 2}, rates{bottom, top, 10};
  std::string out;
};
} // namespace

std::string score::pictureOf(const Calibration& calibration, const CalibrationOf& of) {
  return Chart(calibration)
      .text(fmt::format("{}: bus bandwidth measured (marks) and predicted (lines)", of.cluster));
}
