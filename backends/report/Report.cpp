//===- Report.cpp - What `dplc report` prints: the full breakdown
//-------------------------------===//
#include "backends/report/Report.h"
#include "backends/report/Format.h"
#include "backends/report/Losses.h"
#include "backends/report/Table.h"
#include "backends/report/Traffic.h"
#include "ir/Names.h"
#include "support/Number.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {

double real(std::uint64_t n) { return static_cast<double>(n); }
/// A dash says that there is nothing, which is easier to see than a zero.
std::string orDash(double value, std::string text) { return value == 0 ? "-" : text; }
std::string memoryCell(std::uint64_t bytes) { return orDash(real(bytes), memory(real(bytes))); }
std::string timeCell(std::uint64_t ps) { return orDash(real(ps), fromPicoseconds(ps)); }

/// The sections of a report, each a function on the plan.
class Sections {
public:
  Sections(const ir::Plan& plan, unsigned width) : plan(plan), width(width) {}

  std::string all() {
    heading();
    time();
    throughput();
    memoryByRank();
    stages();
    traffic();
    groups();
    return std::move(out);
  }

private:
  void title(const std::string& text) { out += "\n" + wrapped(text, width, 0) + "\n"; }
  void say(const char* label, const std::string& text) {
    out += "  " + padded(label, 12) + wrapped(text, width - 14, 14) + "\n";
  }
  void heading() {
    out += wrapped(fmt::format("{} ({})", plan.name, plan.file), width, 0) + "\n";
    say("model", modelText(plan));
    say("cluster", clusterText(plan));
    say("mesh",
        fmt::format("mesh {{ {} }}{}", meshText(plan), plan.mesh.found ? "  // found" : ""));
    say("batch", batchText(plan));
    say("schedule", scheduleText(plan));
    say("recompute", recomputeText(plan));
    say("shard", shardText(plan));
    say("precision", precisionText(plan));
  }

  /// The parts of the step in the order of its results, which is the order they add up in.
  void time() {
    const auto step = figure(plan, "step_time");
    if (!step)
      return;
    title("Time of one step, on the pipeline rank that sets it");
    Table table({"part", "time", "share", "figure"});
    for (const ir::Quantity& q : plan.results.quantities) {
      const llvm::StringRef path = q.path;
      const bool part = path == "time.compute" || path == "time.recompute" ||
                        path == "time.bubble" || path == "time.optimizer" ||
                        path.startswith("time.exposed.");
      if (part && q.value > 0)
        table.row({partName(path), duration(q.value), percent(q.value / *step), q.path});
    }
    table.row({"step", duration(*step), percent(1), "step_time"});
    out += table.render(width);
  }
  static std::string partName(llvm::StringRef path) {
    if (path.startswith("time.exposed."))
      return path.drop_front(13).str() + " communication, exposed";
    if (path == "time.compute")
      return "compute";
    if (path == "time.recompute")
      return "recomputation";
    if (path == "time.jitter")
      return "waiting for the slowest device";
    return path == "time.bubble" ? "pipeline bubble" : "optimizer";
  }

  void throughput() {
    title("Throughput");
    auto row = [&](const char* label, const char* path, const std::string& suffix) {
      if (const ir::Quantity* q = plan.results.find(path))
        say(label, show(*q) + suffix + (q->note.empty() ? "" : " (" + q->note + ")"));
    };
    auto ratio = [&](const char* label, const char* path, const char* rate) {
      const ir::Quantity* q = plan.results.find(path);
      if (!q)
        return;
      std::string text = percent(q->value);
      if (const ir::Quantity* r = plan.results.find(rate))
        text += ", " + show(*r) + " a device";
      say(label, text + (q->note.empty() ? "" : " (" + q->note + ")"));
    };
    row("speed", "tokens_per_second", "");
    row("speed", "samples_per_second", "");
    ratio("MFU", "mfu", "flop_rate.model");
    ratio("HFU", "hfu", "flop_rate.hardware");
    row("price", "cost.per_step", " a step");
    if (const auto each = figure(plan, "cost.per_token"))
      say("", human(1e6 * *each, *dimensionNamed("Money")) + " a million tokens");
    row("energy", "energy.per_step", " a step");
    const std::vector<Loss> all = losses(plan);
    for (std::size_t i = 0; i < all.size(); ++i)
      say(i == 0 ? "lost to" : "",
          fmt::format("{} {}", padded(percent(all[i].share), 6), all[i].reason));
  }

  void memoryByRank() {
    if (plan.memory.empty())
      return;
    const double usable = real(plan.cluster.device().memory);
    title(fmt::format("Memory of one device at its peak, by pipeline rank ({} usable)",
                      memory(usable)));
    Table table({"rank", "parameters", "gradients", "optimizer", "activations", "transient",
                 "reserved", "peak", "free", "in flight"});
    for (const ir::RankMemory& m : plan.memory)
      table.row({fmt::format("{}", m.rank), memoryCell(m.parameters), memoryCell(m.gradients),
                 memoryCell(m.optimizer), memoryCell(m.activations), memoryCell(m.transient),
                 memoryCell(m.reserved), memory(real(m.peak())),
                 percent((usable - real(m.peak())) / usable), fmt::format("{:.4g}", m.inFlight)});
    table.mergeEqualRows();
    out += table.render(width);
    out += "  in flight: micro-batches whose activations are held at the peak\n";
  }

  void stages() {
    if (plan.chunks.empty())
      return;
    title("Stages: one micro-batch on one device");
    Table table({"rank", "chunk", "layers", "holds", "parameters", "forward", "backward",
                 "recompute", "exposed", "activations"},
                4);
    std::vector<std::size_t> order(plan.chunks.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return plan.chunks[a].rank < plan.chunks[b].rank;
    });
    for (std::size_t i : order) {
      const ir::Chunk& c = plan.chunks[i];
      std::vector<std::string> cells = {fmt::format("{}", c.rank), fmt::format("{}", c.chunk),
                                        layersText(c), holdsText(c)};
      if (i < plan.costs.size()) {
        const ir::ChunkCost& k = plan.costs[i];
        const std::uint64_t exposed =
            k.forwardCommunication + k.backwardCommunication + k.recomputeCommunication;
        cells.insert(cells.end(),
                     {count(real(k.parameters + k.expertParameters)), timeCell(k.forward),
                      timeCell(k.backwardInput + k.backwardWeight), timeCell(k.recompute),
                      timeCell(exposed), memoryCell(k.activationBytes)});
      } else {
        cells.resize(10, "-");
      }
      table.row(std::move(cells));
    }
    out += table.render(width);
    out += "  exposed: tensor, context and expert communication that compute waits for\n";
  }
  static std::string layersText(const ir::Chunk& c) {
    if (c.layers == 0)
      return "-";
    return c.layers == 1 ? fmt::format("{}", c.firstLayer)
                         : fmt::format("{}-{}", c.firstLayer, c.firstLayer + c.layers - 1);
  }
  static std::string holdsText(const ir::Chunk& c) {
    std::string text = fmt::format("{}", c.layers);
    if (c.embedding)
      text = "embedding, " + text;
    if (c.predictionLayers > 0)
      text += fmt::format(", {} prediction", c.predictionLayers);
    return c.head ? text + ", head" : text;
  }

  void traffic() {
    const std::vector<Traffic> all = trafficOf(plan);
    if (all.empty())
      return;
    title("Bytes that one device sends in a step, by link level, on the busiest pipeline rank");
    std::vector<std::string> header = {"group", "contents", "collective",
                                       "calls", "time",     "exposed"};
    for (const ir::LinkLevel& l : plan.cluster.levels)
      header.emplace_back(ir::name(l.level));
    Table table(header, 3);
    for (const Traffic& t : all) {
      std::vector<std::string> cells = {t.group < plan.groups.size() ? plan.groups[t.group].name
                                                                     : "",
                                        contents(t.purpose),
                                        ir::name(t.kind),
                                        count(t.calls),
                                        duration(t.time),
                                        orDash(t.exposed, duration(t.exposed))};
      for (double sent : t.perLevel)
        cells.push_back(orDash(sent, report::traffic(sent)));
      table.row(std::move(cells));
    }
    out += table.render(width);
    out += "  time: of all calls; exposed: the part that computation waits for\n";
  }

  void groups() {
    if (plan.groups.empty())
      return;
    title("Groups: the one of a rank is its base, plus the multiples of each stride");
    Table table({"group", "ranks", "groups", "within", "count x stride"}, 1);
    for (const ir::Group& g : plan.groups) {
      std::string strides;
      for (const ir::Stride& s : g.strides)
        strides += fmt::format("{}{} x {}", strides.empty() ? "" : ", ", s.count, s.stride);
      table.row({g.name, fmt::format("{}", g.size), fmt::format("{}", g.groups), ir::name(g.spans),
                 orDash(real(g.strides.size()), strides)});
    }
    out += table.render(width);
  }

  const ir::Plan& plan;
  const unsigned width;
  std::string out;
};

} // namespace

std::string report::renderReport(const ir::Plan& plan, unsigned width) {
  return Sections(plan, std::max(width, 60U)).all();
}
