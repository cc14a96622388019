//===- Picture.cpp - The plot that a study asks for -------------------------------------------===//
#include "backends/report/PlotPicture.h"
#include "backends/report/SvgParts.h"
#include "driver/study/Candidate.h"
#include "driver/study/Study.h"
#include "ir/DrawnFigures.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
using namespace dpl;
using namespace dpl::study;

namespace {
// Lengths are in pixels of the unscaled picture.
constexpr double left = report::PlotPicture::left, right = report::PlotPicture::right,
                 top = report::PlotPicture::top, bottom = report::PlotPicture::bottom;
constexpr double digitWidth = 6.6; ///< approximate width in pixels of a digit of the small text
/// The axis is logarithmic if the largest value is at least this multiple of the smallest.
constexpr double leastDecades = 100;
constexpr std::size_t mostTicks = 12;

struct Dot {
  std::size_t at = 0; ///< index in the values of x
  double value = 0;
};

class StudyChart {
public:
  explicit StudyChart(const Results& results)
      : results(results), space(results.space), names(shortNames(space.open)) {
    for (std::size_t i = 0; i < space.open.size(); ++i)
      if (space.open[i].path == space.plot.x)
        xField = i;
    for (std::size_t i = 0; i < space.outputs.size(); ++i) {
      if (space.outputs[i] == space.plot.y)
        output = i;
      if (space.outputs[i] == space.plot.x)
        xOutput = i;
    }
    collect();
  }

  report::PlotPicture drawn() {
    if (low <= high) {
      grid();
      std::size_t number = 0;
      for (const std::string& name : order)
        line(name, number++);
    }
    axes();
    plot.finish(fmt::format("{}: {}{} over {}", space.name, report::inWords(space.plot.y),
                            decades ? " (logarithmic)" : "",
                            report::inWords(xField ? names[*xField] : space.plot.x)),
                space.plot.x + (logarithmic ? " (logarithmic)" : ""), space.plot.y, order.size());
    return plot;
  }

private:
  /// The position of a point on the x axis: the index of a candidate, or the value of an output.
  double xOf(const StudyPoint& point) const {
    return xOutput ? point.values[*xOutput]
                   : static_cast<double>(StudyPoints(space).at(point.number)[*xField]);
  }
  void collectX() {
    std::vector<double> used;
    for (const StudyPoint& point : results.points)
      if (const double x = xOf(point); !std::isnan(x))
        used.push_back(x);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const double x : used) {
      std::optional<ir::ResultValue> number = ir::ResultValue{x};
      if (xOutput) {
        const Dimension& of = results.dimensions[*xOutput];
        xTexts.push_back(human(x, of, of == *dimensionNamed("Bytes")));
      } else {
        xTexts.push_back(shortCandidate(space.open[*xField], static_cast<std::uint64_t>(x)));
        number = ir::numberWritten(xTexts.back());
        xTexts.back() = shortNumber(xTexts.back());
      }
      numeric = numeric && number;
      xValues.push_back(number ? number->value : 0);
    }
    xs = std::move(used);
  }
  void collect() {
    collectX();
    for (const StudyPoint& point : results.points) {
      const double value = point.values[output], x = xOf(point);
      if (std::isnan(value) || std::isnan(x))
        continue;
      const std::string name = seriesOf(StudyPoints(space).at(point.number));
      if (series.count(name) == 0)
        order.push_back(name);
      const auto at = std::lower_bound(xs.begin(), xs.end(), x) - xs.begin();
      series[name].push_back({static_cast<std::size_t>(at), value});
      low = std::min(low, value), high = std::max(high, value);
    }
    logarithmic = numeric && xValues.size() > 2 &&
                  *std::min_element(xValues.begin(), xValues.end()) > 0 &&
                  *std::max_element(xValues.begin(), xValues.end()) >=
                      8 * *std::min_element(xValues.begin(), xValues.end());
    if (low > high)
      return;
    if (low > 0 && high >= leastDecades * low) {
      decades = true;
      low = std::pow(10, std::floor(std::log10(low))),
      high = std::pow(10, std::ceil(std::log10(high)));
      return;
    }
    // The axis begins at zero, unless the values are close to one another and far from zero.
    const bool near = low > high / 2 && high > low;
    unit = results.dimensions[output] == *dimensionNamed("Bytes") && high > gibibyte ? gibibyte : 1;
    step = report::roundStep((near ? high - low : std::max(high, 0.0) - std::min(low, 0.0)) / unit,
                             6) *
           unit;
    if (!(step > 0) || !std::isfinite(step))
      step = 1;
    low = near ? std::floor(low / step) * step : std::min(0.0, std::floor(low / step) * step);
    high = std::max(low + step, std::ceil(high / step) * step);
  }

  double scaled(std::size_t at) const { return logarithmic ? std::log(xValues[at]) : xValues[at]; }
  double across(std::size_t at) const {
    if (xTexts.size() < 2)
      return (left + right) / 2;
    if (!numeric)
      return left +
             (right - left) * static_cast<double>(at) / static_cast<double>(xTexts.size() - 1);
    double first = scaled(0), last = first;
    for (std::size_t i = 0; i < xValues.size(); ++i)
      first = std::min(first, scaled(i)), last = std::max(last, scaled(i));
    return last > first ? left + (right - left) * (scaled(at) - first) / (last - first) : left;
  }
  double up(double value) const {
    const double part =
        decades ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return bottom - (bottom - top) * part;
  }

  void grid() {
    if (decades)
      for (double tick = low; tick <= high * 1.5; tick *= 10)
        gridLine(tick);
    else
      for (double value = low; value <= high + step / 2; value += step)
        gridLine(std::abs(value) < step / 1e6 ? 0 : value);
  }
  void gridLine(double tick) {
    const Dimension& of = results.dimensions[output];
    // At powers of ten, ticks are written in seconds, not in minutes or hours.
    const bool seconds = decades && of == *dimensionNamed("Duration") && tick >= 1;
    plot.gridLine(up(tick), seconds ? human(tick, {}) + "s" : human(tick, of, unit > 1));
  }
  void axes() {
    plot.stroke(left, bottom, right, bottom, "#333");
    plot.stroke(left, top, left, bottom, "#333");
    // There is a tick at each candidate, or at every n-th one if there are many.
    const std::size_t every = (xTexts.size() + mostTicks - 1) / mostTicks;
    std::vector<std::size_t> ticks;
    for (std::size_t i = 0; i < xTexts.size(); i += std::max<std::size_t>(every, 1))
      ticks.push_back(i);
    llvm::stable_sort(ticks, [&](std::size_t a, std::size_t b) { return across(a) < across(b); });
    double free = 0; // end of the label before
    for (const std::size_t i : ticks) {
      plot.stroke(across(i), bottom, across(i), bottom + 5, "#333");
      const double half = digitWidth / 2 * static_cast<double>(xTexts[i].size());
      if (across(i) - half < free)
        continue;
      plot.label(across(i), bottom + 19, xTexts[i], "middle");
      free = across(i) + half + digitWidth;
    }
  }

  void line(const std::string& name, std::size_t number) {
    std::vector<Dot>& dots = series[name];
    std::stable_sort(dots.begin(), dots.end(),
                     [&](const Dot& a, const Dot& b) { return across(a.at) < across(b.at); });
    std::vector<std::pair<double, double>> way;
    for (const Dot& dot : dots)
      way.emplace_back(across(dot.at), up(dot.value));
    if (!xOutput) // with a figure on the x axis, rows have no order
      plot.curve(way, number);
    for (const auto& [x, y] : way)
      plot.marker(x, y, number);
    if (order.size() > 1 || !name.empty())
      plot.legend(name, number, order.size());
  }
  /// Whether a field makes series. With `zip` all fields change together with x, and with a figure
  /// on the x axis all rows are one cloud. So in these cases only the field `series` of the plot
  /// makes series.
  bool makesSeries(std::size_t field) const {
    const ir::OpenField& of = space.open[field];
    const bool named = space.sampling.kind == ir::SamplingKind::Zip || xOutput;
    return field != xField && of.size() > 1 && (!named || of.path == space.plot.series);
  }
  /// The name of a series, "cv = 0.05, 1f1b". Numbers, booleans and `none` are preceded by the name
  /// of their field, choices are not.
  std::string seriesOf(llvm::ArrayRef<std::uint64_t> chosen) const {
    std::string name;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!makesSeries(i))
        continue;
      const std::string value = changedFields(space.open[i], chosen[i]);
      const bool word =
          !ir::numberWritten(value) && value != "true" && value != "false" && value != "none";
      name += (name.empty() ? "" : ", ") +
              (word ? value : fmt::format("{} = {}", names[i], shortNumber(value)));
    }
    return name;
  }
  /// A number in short form: "1M" for "1000000".
  static std::string shortNumber(const std::string& text) {
    const std::optional<ir::ResultValue> number = ir::numberWritten(text);
    return number && number->dimension.none() && number->value >= 1e5 ? human(number->value, {})
                                                                      : text;
  }
  static constexpr double gibibyte = 1ULL << 30;
  const Results& results;
  const ir::Space& space;
  const std::vector<std::string> names;       ///< short names of the fields
  std::optional<std::size_t> xField, xOutput; ///< field, or output, on the horizontal axis
  std::size_t output = 0;
  std::vector<double> xs;          ///< positions on the x axis that have points: indices of
                                   ///< candidates, or values
  std::vector<std::string> xTexts; ///< texts of the candidates on the x axis
  std::vector<double> xValues;
  bool numeric = true, logarithmic = false;
  bool decades = false;           ///< whether the vertical axis is logarithmic
  std::vector<std::string> order; ///< names of the series, in the order in which they appear
  std::map<std::string, std::vector<Dot>> series;
  double low = INFINITY, high = -INFINITY, step = 1, unit = 1;
  report::PlotPicture plot;
};
} // namespace

report::PlotPicture study::picture(const Results& results) { return StudyChart(results).drawn(); }
