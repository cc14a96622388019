//===- Svg.cpp - The schedule of a plan and its memory as a picture ---------------------------===//
#include "backends/report/ActionStyle.h"
#include "backends/report/DenseRow.h"
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/StepComponents.h"
#include "backends/report/SvgParts.h"
#include "cost/step/Timeline.h"
#include "ir/Arithmetic.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

using namespace dpl;
using namespace dpl::report;
using ir::ActionKind;
using ir::real;

namespace {
// Lengths are in pixels of the unscaled picture.
constexpr double left = 64, right = 1180, width = 1200, legendLine = 20, memoryHeight = 170;
constexpr double letter = 6.4; ///< largest width of a letter in text of 11 pixels
constexpr double numberLetter = 5.2;
constexpr std::size_t curves = 4; ///< number of ranks whose memory is drawn, the fullest ones
constexpr const char* curveColours[curves] = {"#1b9e77", "#d95f02", "#7570b3", "#e7298a"};
constexpr const char* dashed = " stroke-dasharray=\"4 3\"";
constexpr double gibibyte = 1ULL << 30;

class TimelinePicture {
public:
  explicit TimelinePicture(const ir::Plan& plan)
      : plan(plan), end(std::max(plan.step->end, ir::picosecond)),
        row(plan.schedule.size() <= 8    ? 26
            : plan.schedule.size() <= 32 ? 18
                                         : 10),
        dense(across(medianForward(plan)) - left < 2) {}

  std::string text() {
    const std::string what =
        fmt::format("schedule of {} ({}): {}, {}", plan.name, plan.file, scheduleText(plan),
                    plural(plan.mesh.microBatches, "micro-batch"));
    label(left, y += 24, escaped(fitted(what, width - left, 13)), "start", 13);
    if (const std::string launches = launchBoundText(plan); !launches.empty())
      label(left, y += 18, launches, "start");
    y += 10;
    legend();
    ranks();
    axis();
    y += 36;
    memory();
    return svgPage(width, y + 14, escaped(what), out);
  }

private:
  using Boxes = std::map<std::pair<ActionKind, std::uint64_t>, std::string>; ///< by kind, chunk

  double across(double seconds) const { return left + (right - left) * seconds / end; }
  double across(std::uint64_t ps) const { return across(ir::toSeconds(ps)); }

  void label(double x, double at, const std::string& text, const char* anchor, int size = 11) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\"{}>{}</text>\n", x, at,
                       anchor, size == 11 ? "" : fmt::format(" font-size=\"{}\"", size), text);
  }
  void box(double x, double at, double w, double h, const std::string& fill) {
    out += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x, at,
        w, h, fill);
  }
  void rule(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") {
    out += fmt::format("<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\"{}/>\n", x1, y1, x2,
                       y2, colour, more);
  }

  /// Draws a sample of each kind of action, one per chunk.
  void legend() {
    constexpr double side = 13;
    double x = left;
    y += legendLine / 2;
    for (const ActionKind kind : kindsIn(plan)) {
      const std::uint64_t chunks = ir::isChunkAction(kind) ? plan.placement.chunks : 1;
      std::string text = styleOf(kind).word;
      if (chunks > 1)
        text += fmt::format(", chunks 0 to {}", chunks - 1);
      const double wide = real(chunks) * side + 5 + letter * real(text.size()) + 14;
      if (x > left && x + wide > right)
        x = left, y += legendLine;
      for (std::uint64_t c = 0; c < chunks; ++c)
        box(x + side * real(c), y, side, side, shadeOf(kind, c, chunks));
      label(x + side * real(chunks) + 5, y + 10, text, "start");
      x += wide;
    }
    std::string note = plan.steady.empty() ? "" : "pale: previous and next step";
    if (dense)
      note += fmt::format("{}the height is the share of time", note.empty() ? "" : "; ");
    if (x > left && x + letter * real(note.size()) > right)
      x = left, y += legendLine;
    if (!note.empty())
      label(x, y + 10, note, "start");
    y += legendLine + 4;
  }

  void ranks() {
    Boxes boxes, others; // boxes of actions in this step, and in neighbouring steps
    std::string numbers;
    for (const ir::RankSchedule& rank : plan.schedule) {
      label(left - 8, y + row / 2 + 4, fmt::format("rank {}", rank.rank), "end");
      box(left, y + 1, right - left, row - 2, "#f7f7f7");
      const cost::RankStepView drawn = cost::rankStepView(plan, rank.rank);
      if (dense) {
        out += denseRow(drawn);
      } else {
        operations(*drawn.schedule, boxes, numbers);
        operations(drawn.neighbours, others, numbers);
      }
      y += row;
    }
    if (!others.empty()) {
      out += "<g opacity=\"0.45\">\n";
      groups(others);
      out += "</g>\n";
    }
    groups(boxes);
    if (!numbers.empty())
      out += "<g font-size=\"9\" text-anchor=\"middle\">\n" + numbers + "</g>\n";
  }
  std::string denseRow(const cost::RankStepView& drawn) const {
    DenseRow areas(left, right, y + 1, y + row - 1);
    const auto add = [&](const ir::RankSchedule& rank, bool own) {
      for (std::size_t i = 0; i < rank.actions.size(); ++i) {
        const ir::ScheduledAction& op = rank.actions[i];
        const bool pass = ir::isChunkAction(op.kind);
        const std::uint64_t chunks = pass ? plan.placement.chunks : 1, chunk = pass ? op.chunk : 0;
        const auto kind =
            static_cast<std::uint64_t>(ir::isForward(op.kind) ? ActionKind::Forward : op.kind);
        areas.add((2 * kind + (own ? 0 : 1)) * plan.placement.chunks + chunk,
                  fmt::format("fill=\"{}\"{}", shadeOf(op.kind, chunk, chunks),
                              own ? "" : " opacity=\"0.45\""),
                  across(rank.start[i]), across(rank.endOf(i)));
      }
    };
    add(drawn.neighbours, false), add(*drawn.schedule, true);
    return areas.svg();
  }
  void groups(const Boxes& boxes) {
    for (const auto& [of, rects] : boxes) {
      const std::uint64_t chunks = ir::isChunkAction(of.first) ? plan.placement.chunks : 1;
      out += fmt::format("<g fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.4\">\n{}</g>\n",
                         shadeOf(of.first, of.second, chunks), rects);
    }
  }
  void operations(const ir::RankSchedule& rank, Boxes& boxes, std::string& numbers) const {
    for (std::size_t i = 0; i < rank.actions.size(); ++i)
      operation(rank.actions[i], across(rank.start[i]), across(rank.endOf(i)), boxes, numbers);
  }
  void operation(const ir::ScheduledAction& op, double begin, double finish, Boxes& boxes,
                 std::string& numbers) const {
    if (begin == finish)
      return;
    const bool pass = ir::isChunkAction(op.kind);
    boxes[{op.kind, pass ? op.chunk : 0}] +=
        fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>\n", begin,
                    y + 1, finish - begin, row - 2);
    const std::string number = pass ? fmt::format("{}", op.microBatch) : "";
    if (pass && row >= 12 && finish - begin >= numberLetter * real(number.size()) + 4)
      numbers += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\">{}</text>\n", (begin + finish) / 2,
                             y + row / 2 + 3, number);
  }

  void axis() {
    const double all = end * 1000, step = roundStep(all, 12);
    rule(left, y, right, y, "#333");
    for (int i = 0; i * step <= all; ++i) {
      const double x = across(i * step / 1000);
      rule(x, y, x, y + 4, "#333");
      label(x, y + 16, fmt::format("{:g}", i * step), "middle");
    }
    label((left + right) / 2, y + 30, "ms", "middle");
    y += 30;
  }

  /// The ranks with most memory, in the order of ranks.
  std::vector<std::uint64_t> fullest() const {
    std::vector<std::uint64_t> order;
    for (const ir::RankMemory& m : plan.memory)
      order.push_back(m.rank);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      return plan.memory[a].peak() > plan.memory[b].peak();
    });
    order.resize(std::min(order.size(), curves));
    std::sort(order.begin(), order.end());
    return order;
  }

  void memory() {
    const std::vector<std::uint64_t> drawn = fullest();
    if (drawn.empty())
      return;
    const std::uint64_t usable = ir::tightest(plan.memory)->usable;
    std::uint64_t most = 0;
    for (const std::uint64_t rank : drawn)
      most = std::max(most, plan.memory[rank].peak());
    // The limit is at the upper edge, off the scale, if the curves would be too flat.
    const bool toScale = usable <= 2 * most;
    memoryLegend(drawn, usable, toScale);
    const double high = 1.03 * real(toScale ? std::max(most, usable) : most);
    const double base = y + memoryHeight;
    const auto up = [&](double bytes) { return base - memoryHeight * bytes / high; };
    const double step = roundStep(high / gibibyte, 6);
    for (int i = 0; i * step * gibibyte <= high; ++i) {
      const double at = up(i * step * gibibyte);
      rule(left, at, right, at, "#e5e5e5");
      label(left - 8, at + 4, fmt::format("{:g}", i * step), "end");
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      std::string path;
      for (const cost::MemorySample& from : cost::memoryOverStep(plan, drawn[i]))
        path += fmt::format(fmt::runtime(path.empty() ? "M{:.2f} {:.2f}" : "H{:.2f}V{:.2f}"),
                            across(from.time), up(real(from.bytes)));
      out += fmt::format("<path d=\"{}H{:.2f}\" fill=\"none\" stroke=\"{}\"/>\n", path, right,
                         curveColours[i]);
    }
    const double limit = up(toScale ? real(usable) : high);
    rule(left, limit, right, limit, "#333", dashed);
    y = base;
    axis();
  }
  void memoryLegend(const std::vector<std::uint64_t>& drawn, std::uint64_t usable, bool toScale) {
    label(left, y, memoryHeading(drawn.size()), "start");
    y += legendLine;
    double x = left;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const std::string name = fmt::format("rank {}, peak {}", drawn[i],
                                           report::memory(real(plan.memory[drawn[i]].peak())));
      rule(x, y - 4, x + 16, y - 4, curveColours[i], " stroke-width=\"2\"");
      label(x + 20, y, name, "start");
      x += 20 + letter * real(name.size()) + 14;
    }
    rule(x, y - 4, x + 16, y - 4, "#333", dashed);
    label(
        x + 20, y,
        fmt::format("usable {}{}", report::memory(real(usable)), toScale ? "" : ", off the scale"),
        "start");
    y += 12;
  }
  std::string memoryHeading(std::size_t drawn) const {
    return fmt::format("Memory of a device in GiB{}",
                       drawn < plan.memory.size() ? fmt::format(", of the {} fullest of {} ranks",
                                                                drawn, plan.memory.size())
                                                  : "");
  }

  const ir::Plan& plan;
  const double end; ///< end of the step in seconds
  const double row; ///< height of one rank's row
  const bool dense; ///< whether most forward passes are narrower than two pixels, so that boxes
                    ///< would hide them
  double y = 0;     ///< vertical position of the next part
  std::string out;
};
} // namespace

std::string report::renderSvg(const ir::Plan& plan) { return TimelinePicture(plan).text(); }
