//===- PageLayout.cpp - One layout in the data of a page --------------------------------------===//
#include "backends/report/PageLayout.h"
#include "backends/report/Format.h"
#include "backends/report/Intervals.h"
#include "backends/report/PageLinks.h"
#include "backends/report/TimelineJson.h"
#include "backends/report/WhyJson.h"
#include "cost/step/ChunkRuns.h"
#include "cost/step/Operators.h"
#include "ir/FigureNames.h"
#include "ir/Names.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include <fmt/format.h>
using namespace dpl;
using figures::Figure;
using figures::Figures;

namespace {
/// The largest numbers of actions and of moments of memory on a page, which keep it below 1.5 MB.
constexpr std::size_t mostActions = 24'000, mostMoments = 4'000;
/// The largest number of values in the rows of a study.
constexpr std::size_t mostValues = 80'000;

/// The kind of unit that links of a kind lead out of; null for links of devices.
std::optional<ir::Level> unitOf(ir::LinkKind kind) {
  switch (kind) {
  case ir::LinkKind::ScaleUp:
  case ir::LinkKind::Network:
    return std::nullopt;
  case ir::LinkKind::Port:
  case ir::LinkKind::Host:
    return ir::Level::Node;
  case ir::LinkKind::Leaf:
    return ir::Level::Leaf;
  case ir::LinkKind::Pod:
    return ir::Level::Pod;
  case ir::LinkKind::Spine:
    return ir::Level::Cluster;
  case ir::LinkKind::Site:
    return ir::Level::Site;
  }
  return std::nullopt;
}

Json topologyJson(const ir::Cluster& cluster) {
  const ir::Network& network = cluster.network;
  Json units = Json::array();
  const auto add = [&](const char* unit, std::uint64_t devices, std::optional<ir::Level> of) {
    Json links = Json::array();
    for (const ir::LinkType& link : network.links)
      if (unitOf(link.kind) == of)
        links.push_back(link.displayName());
    units.push_back({{"unit", unit}, {"devices", devices}, {"links", std::move(links)}});
  };
  add("device", 1, std::nullopt);
  for (const ir::LinkLevel& level : cluster.levels)
    add(ir::name(level.level), level.devices, level.level);
  return {{"nodes", cluster.nodes},
          {"devices_per_node", cluster.gpusPerNode},
          {"library", ir::name(network.library)},
          {"torus", network.torus.empty() ? Json() : Json(network.torus.front().sizes)},
          {"units", std::move(units)}};
}

/// The value of the first input of a figure whose path ends so, up to a last index such as
/// "[bf16]"; null if it has none.
Json inputOf(const Figures& figures, const std::string& path, llvm::StringRef ending) {
  if (const Figure* figure = figures.find(path))
    for (const Figure* input : figure->inputs) {
      llvm::StringRef of = input->path;
      if (of.endswith("]"))
        of = of.take_front(of.rfind('['));
      if (of.endswith(ending))
        return input->value;
    }
  return nullptr;
}

/// The data type of the peak that a rate is computed from, as the note of the peak ends; null if it
/// has none.
Json peakTypeOf(const Figures& figures, const std::string& path) {
  if (const Figure* figure = figures.find(path))
    for (const Figure* input : figure->inputs)
      if (llvm::StringRef(input->note).startswith("dense peak in "))
        return llvm::StringRef(input->note).rsplit(' ').second.str();
  return nullptr;
}

/// The lines of the report's heading that a page repeats, by label; empty ones are left out.
Json headingJson(const ir::Plan& plan) {
  Json out = Json::object();
  for (const auto& [label, text] : {std::pair("recompute", report::recomputeText(plan)),
                                    {"shard", report::shardText(plan)},
                                    {"precision", report::precisionText(plan)},
                                    {"assumed", report::assumptionsText(plan)},
                                    {"experts", report::assumedText(plan)}})
    if (!text.empty())
      out[label] = text;
  return out;
}

/// The node pools of each pipeline rank as the report names them; empty if all nodes are alike.
Json nodesJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (std::uint64_t rank = 0; plan.cluster.nodeTypes.size() > 1 && rank < plan.placement.ranks;
       ++rank)
    out.push_back(report::nodeTypesText(plan, rank));
  return out;
}

/// How often the operators of a plan run in a step on the pipeline rank that sets it.
class OperatorRuns {
public:
  explicit OperatorRuns(const ir::Plan& plan) {
    const cost::ChunkEstimate estimate(plan);
    std::vector<std::vector<cost::NamedModule>> modules;
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      const ir::Chunk& chunk = plan.chunks[i];
      std::vector<cost::NamedModule>& named = modules.emplace_back();
      for (const cost::ChunkModule& module : estimate.modules(chunk)) {
        named.push_back({module, estimate.nameOf(chunk, module)});
        if (chunk.rank == plan.step->rank)
          runs[named.back().name] += module.count * cost::runsOf(plan, plan.costs[i]);
      }
    }
    for (const cost::ModuleOperators& of : cost::operatorsOf(plan, modules))
      for (std::size_t i = 0; i < of.operators.size(); ++i)
        recomputedShares[keyOf(of.module, of.names[i])] =
            of.recomputedShare(of.operators[i], plan.layout.recompute);
  }
  double of(llvm::StringRef module, llvm::StringRef op, llvm::StringRef direction) const {
    const double recomputed =
        direction == "forward" ? recomputedShares.lookup(keyOf(module, op)) : 0;
    return runs.lookup(module) * (1 + recomputed);
  }

private:
  static std::string keyOf(llvm::StringRef module, llvm::StringRef op) {
    return (module + "\n" + op).str();
  }
  llvm::StringMap<double> runs;             ///< runs of each module, by its name
  llvm::StringMap<double> recomputedShares; ///< share of each operator that is recomputed
};

/// The operators of all modules by direction, for the roofline.
Json operatorsJson(const ir::Plan& plan, const Figures& figures) {
  const OperatorRuns runs(plan);
  Json out = Json::array();
  for (const Figure* figure : figures.all()) {
    const auto path = llvm::StringRef(figure->path).rsplit("].");
    const llvm::StringRef direction = path.second;
    const auto [module, op] = path.first.split(".operator[");
    if (op.empty() || llvm::none_of(cost::operatorDirections(),
                                    [&](const auto& known) { return direction == known.name; }))
      continue;
    const std::string whole = fmt::format("{}.operator[{}]", module, op);
    // An operator without FLOP has no time of its own for memory.
    Json memory = inputOf(figures, figure->path + ".memory", ".memory_bandwidth");
    if (memory.is_null())
      memory = inputOf(figures, figure->path, ".memory_bandwidth");
    out.push_back({{"figure", ir::writtenPath(figure->path)},
                   {"module", module},
                   {"operator", op},
                   {"action", direction},
                   {"flop", figures.value(figure->path + ".flop").value_or(0)},
                   {"bytes", figures.value(figure->path + ".bytes").value_or(0)},
                   {"time_s", figure->value},
                   {"runs", runs.of(module, op, direction)},
                   {"peak_flops", inputOf(figures, whole + ".rate", "peak")},
                   {"peak_type", peakTypeOf(figures, whole + ".rate")},
                   {"memory_bandwidth", std::move(memory)}});
  }
  return out;
}

/// The figures of operators, and those that depend on them, which differ from the report's.
Json detailsJson(const Figures& figures, const Json& report) {
  llvm::StringMap<const Json*> known;
  for (const auto& [path, value] : report["figures"].items())
    known[path] = &value;
  Json out = Json::object();
  for (const Figure* figure : figures.all()) {
    const std::string path = ir::writtenPath(figure->path);
    Json one = report::figureJson(figures, *figure);
    const auto at = known.find(path);
    if (at == known.end() || !(*at->second == one))
      out.append(path, std::move(one));
  }
  return out;
}
} // namespace

Json report::pageLayoutJson(const ir::Plan& plan, const Json& report, figures::FieldLocator where,
                            std::size_t layouts) {
  const Figures figures(plan, std::move(where), figures::Depth::Operators);
  const std::size_t shares = layouts * std::max<std::size_t>(plan.schedule.size(), 1);
  Json details = detailsJson(figures, report);
  Json links = linksJson(plan, figures, details);
  return {{"name", plan.layout.name},
          {"details", std::move(details)},
          {"timeline", timelineJson(plan, std::max<std::size_t>(mostActions / shares, 16))},
          {"links", std::move(links)},
          {"topology", topologyJson(plan.cluster)},
          {"nodes", nodesJson(plan)},
          {"heading", headingJson(plan)},
          {"operators", operatorsJson(plan, figures)}};
}

void report::thinMemory(Json& memory, std::size_t layouts) {
  const Json all = memory["fullest"]["timeline"];
  const std::size_t most = mostMoments / layouts;
  if (all.size() <= most)
    return;
  const auto bytesAt = [&](std::size_t i) { return all[i]["all_bytes"].get<std::uint64_t>(); };
  Json kept = Json::array();
  for (std::size_t bucket = 0; bucket < most; ++bucket) {
    const std::size_t begin = all.size() * bucket / most;
    const std::size_t end = all.size() * (bucket + 1) / most;
    std::size_t fullest = begin;
    for (std::size_t i = begin + 1; i < end; ++i)
      if (bytesAt(i) > bytesAt(fullest))
        fullest = i;
    kept.push_back(all[fullest]);
  }
  memory["fullest"]["timeline"] = std::move(kept);
}

void report::thinRows(Json& study) {
  const Json all = study["rows"];
  if (all.empty())
    return;
  const std::size_t values = all[0]["values"].size() + all[0]["outputs"].size();
  const std::size_t most = mostValues / std::max<std::size_t>(values, 1);
  if (all.size() <= most)
    return;
  Json kept = Json::array();
  for (std::size_t bucket = 0; bucket < most; ++bucket) {
    const std::size_t begin = all.size() * bucket / most, end = all.size() * (bucket + 1) / most;
    // Rows at equal distances could all have the same value of a field.
    constexpr std::uint64_t golden = 11'400'714'819'323'198'485ULL; // 2^64 / golden ratio
    kept.push_back(all[begin + (bucket * golden >> 32) % (end - begin)]);
  }
  study["rows_left_out"] = all.size() - most;
  study["rows"] = std::move(kept);
}
