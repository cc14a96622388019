//===- Report.cpp - The full breakdown of `dplc report` ---------------------------------------===//
#include "backends/report/Report.h"
#include "backends/report/Format.h"
#include "backends/report/Intervals.h"
#include "backends/report/Memory.h"
#include "backends/report/Runs.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "cost/step/Exposure.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "support/Number.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

using namespace dpl;
using namespace dpl::report;
using ir::real;

namespace {
/// The text, or a dash if the value is zero, which is easier to see.
std::string orDash(double value, std::string text) { return value == 0 ? "-" : text; }
std::string memoryCell(std::uint64_t bytes) { return orDash(real(bytes), memory(real(bytes))); }
std::string timeCell(std::uint64_t ps) { return orDash(real(ps), fromPicoseconds(ps)); }

/// The sections of a report. Each is a function of the plan.
class Sections {
public:
  Sections(const ir::Plan& plan, unsigned width) : plan(plan), figures(plan), width(width) {}

  std::string all() {
    heading();
    time();
    throughput();
    if (const std::string table = runsTable(plan, figures, width); !table.empty()) {
      title("Runs of this layout, with checkpoints and failures; save intervals in steps");
      out += table;
    }
    out += memoryByRank(plan, width);
    weighed();
    stages();
    traffic();
    groups();
    if (figures.find("step_time"))
      out += "\n" +
             wrapped("`--why PATH` shows the formula of a figure; `--why memory`, `--why time`, "
                     "`--why stage` and `--why communication` list them",
                     width, 0) +
             "\n";
    return std::move(out);
  }

private:
  void title(const std::string& text) { out += "\n" + wrapped(text, width, 0) + "\n"; }
  /// Adds a line. `hang` is the additional indent of its continuation lines.
  void say(const char* label, const std::string& text, unsigned hang = 0) {
    out += "  " + padded(label, 12) + wrapped(text, width - 14, 14 + hang, hang) + "\n";
  }
  void list(const char* label, const std::string& fields) {
    if (!fields.empty())
      out += "  " + padded(label, 12) + wrappedFields(fields, width - 14, 14) + "\n";
  }
  /// Adds a note below a table.
  void remark(const std::string& text) { out += "  " + wrapped(text, width - 2, 2) + "\n"; }
  void heading() {
    out += wrapped(fmt::format("{} ({})", plan.name, plan.file), width, 0) + "\n";
    say("model", modelText(plan, figures));
    say("cluster", clusterText(plan));
    for (const std::string& text : meshLines(plan))
      out += "  " + padded(text.rfind("mesh", 0) == 0 ? "mesh" : "", 12) +
             sourceLine(text, width - 14, 14) + "\n";
    if (!plan.layout.notes.empty())
      say("notes", oneLine(plan.layout.notes));
    say("batch", batchText(plan));
    say("schedule", scheduleLine(plan));
    for (const ir::SplitChoice& choice : plan.splitChoice)
      say("split", splitText(plan, choice));
    say("recompute", recomputeText(plan));
    say("shard", shardText(plan));
    say("precision", precisionText(plan));
    list("assumed", assumptionsText(plan));
    list("experts", assumedText(plan));
    list("framework", frameworkText(plan));
  }

  void time() {
    const auto step = figures.value("step_time");
    if (!step)
      return;
    title("Time of one step, on the pipeline rank that sets it");
    TextTable table({"part", "figure", "time", "share"}, 2);
    bool details = false;
    for (const StepRow& row : stepRows(figures)) {
      table.row({row.label, row.path, duration(row.seconds), percent(row.seconds / *step)});
      details |= row.detail;
    }
    table.row({"step", "step_time", duration(*step), percent(1)});
    out += table.render(width);
    if (details)
      remark("indented: what the step would save if the axis had no communication; these times "
             "need not add up");
  }

  void throughput() {
    title("Throughput");
    auto row = [&](const char* label, const char* path, const std::string& suffix) {
      if (const figures::Figure* q = figures.find(path))
        say(label, withInterval(show(*q), figures, path) + suffix +
                       (q->note.empty() ? "" : " (" + q->note + ")"));
    };
    auto ratio = [&](const char* label, const char* path, const char* rate) {
      const figures::Figure* q = figures.find(path);
      if (!q)
        return;
      std::string text = withInterval(percent(q->value), figures, path) + peakText(plan, figures);
      if (const figures::Figure* r = figures.find(rate))
        text += ", " + show(*r) + " per device";
      say(label, text + (q->note.empty() ? "" : " (" + q->note + ")"));
    };
    for (const auto& [label, path] : {std::pair("step", "step_time"), {"memory", "memory.peak"}})
      if (const figures::Figure* q = figures.find(path))
        say(label, withInterval(show(*q), figures, path));
    row("speed", "tokens_per_second", "");
    row("speed", "samples_per_second", "");
    ratio("MFU", "mfu", "flop_rate.model");
    ratio("HFU", "hfu", "flop_rate.hardware");
    money();
    const std::vector<StepLoss> all = losses(plan, figures);
    for (std::size_t i = 0; i < all.size(); ++i)
      say(i == 0 ? "lost to" : "",
          fmt::format("{} {}", padded(percent(all[i].share), 6), all[i].reason), 7);
  }

  void money() {
    const auto eachOf = [&](const char* kind) {
      for (const auto& [unit, what] :
           {std::pair("token", "tokens"), std::pair("sample", "samples")})
        if (const figures::Figure* each = figures.find(fmt::format("{}.per_{}", kind, unit))) {
          Dimension of = each->dimension;
          of.token = of.sample = 0;
          say("", fmt::format("{} per million {}", human(1e6 * each->value, of), what));
        }
    };
    if (const figures::Figure* step = figures.find("cost.per_step")) {
      std::string parts;
      for (const auto& [path, what] :
           {std::pair("cost.devices", "devices"), std::pair("cost.idle", "idle devices"),
            std::pair("cost.energy", "energy")})
        if (const figures::Figure* part = figures.find(path); part && part->value != step->value)
          parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", show(*part), what);
      say("price", fmt::format("{} per step{}", withInterval(show(*step), figures, "cost.per_step"),
                               parts.empty() ? "" : fmt::format(" ({})", parts)));
      eachOf("cost");
    }
    if (const figures::Figure* step = figures.find("energy.per_step")) {
      std::string parts;
      const auto add = [&](const figures::Figure* part, const std::string& what) {
        if (part)
          parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", show(*part), what);
      };
      for (std::size_t i = 0; i < plan.cluster.nodeTypes.size(); ++i)
        add(figures.find(fmt::format("energy.node_type[{}]", i)),
            plan.cluster.nodeTypes[i].displayName());
      add(figures.find("energy.idle"), "idle devices");
      say("energy", fmt::format("{} per step{}", show(*step),
                                parts.empty() ? "" : fmt::format(" ({})", parts)));
      eachOf("energy");
    }
  }

  void weighed() {
    if (plan.scheduleCandidates.empty())
      return;
    title("Schedules that `schedule = auto` compared");
    out += candidateLines(plan, width);
  }

  void stages() {
    if (plan.chunks.empty())
      return;
    title("Stages: one micro-batch on one device");
    const bool mixed = plan.cluster.nodeTypes.size() > 1;
    std::vector<std::string> header = {"stage", "layers"};
    if (mixed)
      header.emplace_back("nodes");
    const auto texts = static_cast<unsigned>(header.size());
    for (const char* number :
         {"parameters", "forward", "backward", "recompute", "exposed", "saved"})
      header.emplace_back(number);
    TextTable table(header, texts);
    std::vector<std::size_t> order(plan.chunks.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return plan.chunks[a].rank < plan.chunks[b].rank;
    });
    for (std::size_t i : order) {
      const ir::Chunk& c = plan.chunks[i];
      std::vector<std::string> cells = {plan.layout.chunks > 1
                                            ? fmt::format("{}.{}", c.rank, c.chunk)
                                            : fmt::format("{}", c.rank),
                                        layersText(c)};
      if (mixed)
        cells.push_back(nodeTypesText(plan, c.rank));
      if (i < plan.costs.size()) {
        const ir::ChunkCost& k = plan.costs[i];
        cells.insert(cells.end(),
                     {count(real(k.parameters + k.expertParameters)), timeCell(k.forward),
                      timeCell(k.backwardInput + k.backwardWeight), timeCell(k.recompute),
                      timeCell(cost::exposedInActions(plan, ir::ChunkId(i))),
                      memoryCell(k.activationBytes)});
      }
      cells.resize(header.size(), "-");
      table.row(std::move(cells));
    }
    table.dropDashes();
    out += table.render(width);
    remark(fmt::format(
        "{}{}{}saved: activations",
        plan.layout.chunks > 1 ? "stage: pipeline rank and its chunk; " : "",
        mixed ? "nodes: the node pools that hold the rank, the slowest sets its time; " : "",
        table.has("exposed") ? "exposed: communication that compute waits for; " : ""));
  }
  /// The modules of a chunk: "emb 0-4", "75-79 head". They are the embedding, layers by number, MTP
  /// layers and the head.
  static std::string layersText(const ir::Chunk& c) {
    std::string text = c.embedding ? "emb " : "";
    if (c.layers == 1)
      text += fmt::format("{} ", c.firstLayer);
    else if (c.layers > 1)
      text += fmt::format("{}-{} ", c.firstLayer, c.firstLayer + c.layers - 1);
    if (c.predictionLayers > 0)
      text += fmt::format("+{} mtp ", c.predictionLayers);
    if (c.head)
      text += "head ";
    return text.empty() ? "-" : text.substr(0, text.size() - 1);
  }

  void traffic() {
    const std::uint64_t sets = plan.step->rank;
    const std::vector<cost::Traffic> all = cost::trafficOf(plan, sets);
    if (all.empty())
      return;
    title("Bytes that one device sends in a step, by link level" +
          (plan.schedule.size() > 1
               ? fmt::format(", on pipeline rank {}, which sets the step time", sets)
               : ""));
    std::vector<std::string> header = {"group", "contents", "collective"};
    const bool others = llvm::any_of(all, [&](const auto& t) { return t.rank != sets; });
    if (others)
      header.emplace_back("rank");
    const auto texts = static_cast<unsigned>(header.size());
    header.insert(header.end(), {"count", "time", "exposed"});
    for (const ir::LinkLevel& l : plan.cluster.levels)
      header.emplace_back(ir::name(l.level));
    TextTable table(header, texts);
    cost::Exposure exposure(plan);
    for (const cost::Traffic& t : all) {
      const double exposed = exposure.of(t);
      std::vector<std::string> cells = {plan.groups.has(t.group) ? plan.groups[t.group].name : "",
                                        contents(t.purpose), ir::name(t.kind)};
      if (others)
        cells.push_back(t.rank == sets ? "" : fmt::format("{}", t.rank));
      cells.insert(cells.end(),
                   {count(t.count), duration(t.time), orDash(exposed, duration(exposed))});
      for (double sent : t.perLevel)
        cells.push_back(orDash(sent, report::traffic(sent)));
      table.row(std::move(cells));
    }
    out += table.render(width);
    remark(std::string(others
                           ? "rank: the rank that sends most, if the one that sets the step sends "
                             "nothing; "
                           : "") +
           "time: of all collectives; exposed: what the step would save without them");
  }

  void groups() {
    if (plan.mesh.devices == 1)
      return;
    title("Groups: number and stride of their ranks, by level" +
          std::string(plan.placement.directions() > 1 ? "; mirrored, of opposite ranks" : ""));
    TextTable table({"group", "ranks", "groups", "within", "count x stride"}, 1);
    for (const ir::Group& g : plan.groups) {
      if (g.size > 1)
        table.row({g.name, fmt::format("{}", g.size), fmt::format("{}", g.groups),
                   ir::name(g.spans), stridesOf(g)});
    }
    out += table.render(width);
    for (const ir::LinkType& link : plan.cluster.network.links)
      if (link.kind == ir::LinkKind::Port)
        sharedPorts(link.displayName());
  }
  static std::string stridesOf(const ir::Group& g) {
    std::string text;
    for (const ir::Stride& s : g.strides)
      if (s.count > 1)
        text += fmt::format("{}{} x {}{}", text.empty() ? "" : ", ", s.count, s.stride,
                            s.mirrored ? " mirrored" : "");
    return text;
  }
  /// Adds the groups whose ranks share a port with other ranks, of their group or of others. Of
  /// groups with equal ranks only the first is named.
  void sharedPorts(const std::string& port) {
    const double count = figures.value("link[" + port + "].count").value_or(1);
    std::string sharing;
    std::set<std::string> said;
    for (const ir::Group& g : plan.groups) {
      const std::string load = "group[" + g.name + "].link[" + port + "].";
      const double ranks = figures.value(load + "ranks").value_or(0),
                   groups = figures.value(load + "groups").value_or(0);
      if (ranks * groups > count && said.insert(stridesOf(g)).second)
        sharing += fmt::format("{}{} {} x {}", sharing.empty() ? "" : ", ", g.name, ranks, groups);
    }
    if (sharing.empty())
      return;
    const std::string ports = count == 1 ? "one " + port : fmt::format("{} {}s", count, port);
    remark("ranks of a group x groups on " + ports + ": " + sharing);
  }

  const ir::Plan& plan;
  const figures::Figures figures;
  const unsigned width;
  std::string out;
};

} // namespace

std::string report::renderReport(const ir::Plan& plan, unsigned width) {
  return Sections(plan, std::max(width, 60U)).all();
}
