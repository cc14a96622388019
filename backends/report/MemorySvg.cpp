//===- MemorySvg.cpp - Memory components of the fullest rank, as a picture --------------------===//
#include "backends/report/Format.h"
#include "backends/report/Memory.h"
#include "backends/report/MemoryComponents.h"
#include "backends/report/SvgParts.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using ir::real;

namespace {
// Lengths are in pixels of the unscaled picture.
constexpr double left = 56, right = 900, width = 1170, top = 64, base = 404;
constexpr double gibibyte = 1ULL << 30;

class MemoryPicture {
public:
  explicit MemoryPicture(const ir::Plan& plan)
      : plan(plan), rank(ir::tightest(plan.memory)->rank), breakdown(plan, rank),
        end(std::max(plan.step->end, ir::picosecond)), most(breakdown.curve[breakdown.peak].bytes),
        usable(breakdown.memory.usable), toScale(usable <= 2 * most),
        high(1.03 * real(toScale ? std::max(most, usable) : most)) {}

  std::string text() {
    const std::string what =
        fmt::format("{} ({}): memory of a device of rank {}, {} at the peak of {} usable",
                    plan.name, plan.file, rank, memory(real(most)), memory(real(usable)));
    label(left, 22, escaped(fitted(what, width - left, 13)), "start", 13);
    label(left, 40, escaped("the peak, in red: " + peakWords(plan, breakdown)), "start");
    scale();
    areas();
    rule(left, limit(), right, limit(), "#333");
    const double at = across(breakdown.moment.time);
    rule(at, top, at, base, "#d62728");
    axis();
    legend();
    return svgPage(width, base + 50, escaped(what), out);
  }

private:
  double across(std::uint64_t ps) const {
    return left + (right - left) * std::min(1.0, ir::toSeconds(ps) / end);
  }
  double up(double bytes) const { return base - (base - top) * bytes / high; }
  double limit() const { return up(toScale ? real(usable) : high); }
  void label(double x, double y, const std::string& text, const char* anchor, int size = 11) {
    out += fmt::format(
        "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
        anchor, size, text);
  }
  void rule(double x1, double y1, double x2, double y2, const char* colour) {
    out += fmt::format(
        "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>\n", x1,
        y1, x2, y2, colour);
  }

  void scale() {
    const double step = roundStep(high / gibibyte, 8);
    for (int i = 0; i * step * gibibyte <= high; ++i) {
      const double y = up(i * step * gibibyte);
      out +=
          fmt::format("<path d=\"M{:.2f} {:.2f}H{:.2f}\" stroke=\"#e5e5e5\"/>\n", left, y, right);
      label(left - 8, y + 4, fmt::format("{:g}", i * step), "end");
    }
    label(left, top - 6, "GiB", "end");
  }

  /// Draws an area for each component, from the uppermost down. Each area reaches to the axis and
  /// covers the lower part of the previous one.
  void areas() {
    std::vector<std::vector<MemoryComponent>> all;
    for (std::size_t i = 0; i < breakdown.curve.size(); ++i)
      all.push_back(breakdown.at(i));
    for (std::size_t part = all.front().size(); part-- > 0;) {
      std::string edge;
      bool any = false;
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::size_t p = 0; p <= part; ++p)
          sum += all[i][p].bytes;
        any = any || all[i][part].bytes > 0;
        edge += fmt::format("H{:.2f}V{:.2f}", across(breakdown.curve[i].time), up(real(sum)));
      }
      if (any)
        out += fmt::format("<path d=\"M{0:.2f} {1:.2f}{2}H{3:.2f}V{1:.2f}Z\" fill=\"{4}\"/>\n",
                           left, base, edge, right, all.front()[part].colour);
    }
  }

  void axis() {
    const double all = end * 1000, step = roundStep(all, 10);
    out += fmt::format("<path d=\"M{:.2f} {:.2f}H{:.2f}\" stroke=\"#333\"/>\n", left, base, right);
    for (int i = 0; i * step <= all; ++i)
      label(left + (right - left) * i * step / all, base + 16, fmt::format("{:g}", i * step),
            "middle");
    label((left + right) / 2, base + 32, "ms", "middle");
  }

  /// Lists the components at the peak, the uppermost first.
  void legend() {
    double y = top + 14;
    label(right + 20, y, "at the peak (red)", "start");
    const std::vector<MemoryComponent> parts = breakdown.at(breakdown.peak);
    for (std::size_t i = parts.size(); i-- > 0;) {
      if (parts[i].bytes == 0)
        continue;
      y += 20;
      out +=
          fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
                      right + 20, y - 10, parts[i].colour);
      label(right + 38, y, parts[i].name, "start");
      label(right + 212, y, memory(real(parts[i].bytes)), "end");
      label(right + 262, y, percent(real(parts[i].bytes) / real(most)), "end");
    }
    label(right - 4, limit() + 13,
          toScale ? "usable" : fmt::format("usable {}, off the scale", memory(real(usable))),
          "end");
  }

  const ir::Plan& plan;
  const std::uint64_t rank;
  const MemoryBreakdown breakdown;
  const double end; ///< end of the step in seconds
  const std::uint64_t most, usable;
  const bool toScale; ///< whether usable memory is drawn to scale; it is at the upper edge if
                      ///< components would be too flat
  const double high;
  std::string out;
};
} // namespace

std::string report::renderMemorySvg(const ir::Plan& plan) { return MemoryPicture(plan).text(); }
