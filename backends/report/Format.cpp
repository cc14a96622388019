//===- Format.cpp - Formats figures for people ------------------------------------------------===//
#include "backends/report/Format.h"
#include "cost/step/StageWords.h"
#include "cost/step/StepTimes.h"
#include "ir/Arithmetic.h"
#include "ir/BatchUnit.h"
#include "ir/FoundFields.h"
#include "ir/MeshText.h"
#include "ir/MicroBatchCosts.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include "support/Number.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
Dimension named(const char* type) { return dimensionNamed(type).value_or(Dimension{}); }
} // namespace

std::string report::memory(double bytes) { return human(bytes, named("Bytes"), true); }
std::string report::hostText(const ir::Cluster& cluster, const cost::FullestNode& node) {
  const std::string needed = "host memory " + memory(ir::real(node.needed));
  if (node.memory == 0)
    return needed + " per node; " +
           (cluster.hostMemory > 0 ? cluster.nodeTypes[node.nodeType].fieldLocation()
                                   : "the file") +
           " does not set `node.memory`";
  const double left = ir::real(node.memory) - ir::real(node.needed);
  return fmt::format("{} of {} of node {}, {} {}", needed, memory(ir::real(node.memory)), node.node,
                     memory(std::abs(left)), left < 0 ? "too much" : "free");
}
std::string report::duration(double seconds) { return human(seconds, named("Duration")); }
std::string report::within(std::optional<double> halfWidth) {
  return halfWidth ? fmt::format(" ± {}, 95 % confidence", duration(*halfWidth))
                   : ", too few for a confidence interval";
}
std::string report::fromPicoseconds(std::uint64_t ps) { return duration(ir::toSeconds(ps)); }
std::string report::traffic(double bytes) { return human(bytes, named("Bytes")); }
std::string report::flop(double n) { return human(n, named("Flop")); }

std::string report::count(double n) { return human(n, Dimension{}); }

std::string report::percent(double fraction) {
  const double p = 100 * fraction;
  return fmt::format("{:.{}f}%", p, std::abs(p) < 9.95 ? 2 : 1);
}

std::string report::peakText(const ir::Plan& plan, const figures::Figures& figures) {
  const figures::Figure* peak = figures.find("device.peak");
  if (!peak)
    return "";
  const ir::DataType type = cost::peakType(plan);
  const ir::Device& device = plan.cluster.device();
  const bool equal = llvm::all_of(plan.cluster.nodeTypes, [&](const ir::NodeType& nodes) {
    return nodes.device.peakOf(type) == device.peakOf(type);
  });
  return fmt::format(" of {}{} {}", equal ? "" : "a mean ", show(*peak),
                     ir::name(device.computesIn(type)));
}

std::string report::rate(double perSecond, bool samples) {
  return human(perSecond, named(samples ? "SampleRate" : "TokenRate"));
}

std::string report::show(const figures::Figure& figure) {
  // Memory is shown in GiB, traffic in GB.
  return human(figure.value, figure.dimension, !figure.overLinks && figure.dimension.byte == 1);
}

namespace {
/// An axis of the mesh with its size, and the level that the layout requests for it.
std::string axisText(const ir::MeshAxis& axis, const std::vector<ir::AxisRequest>& requests) {
  for (const ir::AxisRequest& request : requests)
    if (request.axis == axis.axis)
      return ir::axisText(request, axis.size);
  return fmt::format("{} = {}", ir::fieldOf(axis.axis), axis.size);
}

std::string denseText(const ir::Plan& plan) {
  std::string out;
  for (const ir::MeshAxis& a : plan.mesh.axes)
    if (a.size > 1)
      out += (out.empty() ? "" : ", ") + axisText(a, plan.layout.mesh.axes);
  return out.empty() ? "data = 1" : out;
}

/// The axes of experts: "experts { data = 16, expert = 16, tensor = 1 }". Empty without experts.
std::string expertsText(const ir::Plan& plan) {
  std::string experts;
  for (const ir::MeshAxis& a : plan.mesh.expertAxes)
    if (a.axis == ir::Axis::ExpertData || a.axis == ir::Axis::Expert ||
        a.axis == ir::Axis::ExpertTensor)
      experts += (experts.empty() ? "" : ", ") + axisText(a, plan.layout.mesh.experts);
  return experts.empty() ? "" : fmt::format("experts {{ {} }}", experts);
}
} // namespace

std::vector<std::string> report::meshLines(const ir::Plan& plan) {
  const std::string dense = denseText(plan), experts = expertsText(plan);
  if (!plan.mesh.found)
    return {fmt::format("mesh {{ {}{}{} }}", dense, experts.empty() ? "" : ", ", experts)};
  std::vector<std::string> lines;
  if (experts.empty())
    lines = {fmt::format("mesh {{ {} }}  // found", dense)};
  else
    lines = {"mesh {  // found", "  " + dense, "  " + experts, "}"};
  for (std::string& line : ir::foundFields(plan.layout))
    lines.push_back(std::move(line));
  const auto joined = [](const std::vector<const char*>& fields) {
    std::string text;
    for (const char* field : fields)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", field);
    return text;
  };
  const ir::VariedFields fields = ir::variedFields(plan.layout);
  lines.push_back("// varied: " + joined(fields.varied));
  if (!fields.fixed.empty())
    lines.push_back("// kept: " + joined(fields.fixed));
  return lines;
}

std::string report::wrappedFields(const std::string& text, unsigned width, unsigned column) {
  constexpr char joint = '\x01'; // stands for a space at which the line is not broken
  std::string joined = text;
  for (std::size_t at = 1; at < joined.size(); ++at)
    if (joined[at] == ' ' && joined[at - 1] != ',' && joined[at - 1] != ':')
      joined[at] = joint;
  std::string out = wrapped(joined, width, column);
  std::replace(out.begin(), out.end(), joint, ' ');
  return out;
}

std::string report::sourceLine(const std::string& text, unsigned width, unsigned column) {
  const std::size_t indent = std::min(text.find_first_not_of(' '), text.size());
  const std::string before(indent, ' ');
  const auto further = column + static_cast<unsigned>(indent);
  const auto room = static_cast<unsigned>(indent < width ? width - indent : 1);
  const std::size_t comment = text.find("// ");
  if (comment == std::string::npos)
    return before + wrappedFields(text.substr(indent), room, further);
  if (comment > indent && text.size() > width) // the comment gets a line of its own
    return sourceLine(text.substr(0, text.find_last_not_of(' ', comment - 1) + 1), width, column) +
           "\n" + std::string(column, ' ') +
           sourceLine(before + text.substr(comment), width, column);
  if (comment > indent)
    return text;
  std::string body = wrapped(text.substr(comment + 3), room > 3 ? room - 3 : 1, 0);
  for (std::size_t at = body.find('\n'); at != std::string::npos; at = body.find('\n', at + 1))
    body.insert(at + 1, std::string(further, ' ') + "// ");
  return before + "// " + body;
}

std::string report::scheduleText(const ir::Plan& plan) {
  std::string text = ir::name(plan.layout.schedule);
  if (plan.layout.inFlight > 0)
    text += fmt::format(", at most {} per rank", plural(plan.layout.inFlight, "micro-batch"));
  if (plan.layout.chunks > 1)
    text += fmt::format(", {} chunks per rank", plan.layout.chunks);
  if (plan.layout.group > 0)
    text += fmt::format(", groups of {}", plural(plan.layout.group, "micro-batch"));
  if (const ir::MicroBatchCosts costs(plan.layout.microBatchCosts); !costs.equal())
    text += fmt::format(", micro-batches of {:.3g} to {:.3g} of the mean cost", costs.least(),
                        costs.most());
  if (const std::uint64_t versions = cost::mostWeightVersions(plan); versions > 1)
    return text + fmt::format(", no flush, up to {} versions of weights", versions);
  return plan.layout.postValidation ? text + ", post-validation" : text;
}

std::string report::scheduleLine(const ir::Plan& plan) {
  for (const ir::ScheduleCandidate& row : plan.scheduleCandidates)
    if (row.outcome == ir::CandidateOutcome::Chosen)
      return fmt::format("schedule = {}  // found", row.text());
  return scheduleText(plan);
}

std::string report::orderText(const ir::Plan& plan) {
  if (plan.mesh.size(ir::Axis::Pipeline) == 1)
    return "";
  const std::string waits = cost::serialWait(plan);
  return "the schedule ends with buffered sends and with the sends and receives grouped as the "
         "framework groups them; " +
         (waits.empty() ? "it also ends if each send blocks until it is received"
                        : "if each send blocked until it is received, it would hang: " + waits);
}

std::string report::splitText(const ir::Plan& plan, const ir::SplitChoice& c) {
  const auto lacks = [](const ir::RankMemory& rank) { return rank.headroom() < 0; };
  if (llvm::any_of(plan.memory, lacks)) // fitting in memory is more important than time
    return fmt::format(
        "balanced: none of {} that were executed fits, this one needs the least memory",
        plural(c.executed, "split"));
  const auto slower = [&](std::uint64_t step) {
    const double more = ir::real(step) / ir::real(c.step) - 1;
    return step < c.step ? std::string("faster and does not fit")
           : more < 5e-5 ? std::string("as fast")
                         : percent(more) + " slower";
  };
  std::string text = c.executed == 1 ? "balanced: the only split that was executed"
                                     : fmt::format("balanced: the fastest of {} that were executed",
                                                   plural(c.executed, "split"));
  if (c.leastSlowest > 0)
    text += "; the split that minimizes the slowest stage is " + slower(c.leastSlowest);
  if (c.even > 0)
    text += ", the even split is " + slower(c.even);
  const double gap = ir::real(c.slowest) / ir::real(std::max<std::uint64_t>(1, c.least)) - 1;
  return text + (gap < 5e-5 ? "; no split has a faster slowest rank"
                            : "; its slowest rank takes at most " + percent(gap) +
                                  " more than with any other split");
}

std::string report::recomputeText(const ir::Plan& plan) {
  const ir::Recompute& r = plan.layout.recompute;
  const char* when = r.inAdvance ? ", in advance" : "";
  switch (r.kind) {
  case ir::RecomputeKind::None:
    return "none";
  case ir::RecomputeKind::Selective: {
    std::string modules;
    for (ir::ModuleKind m : r.modules)
      modules += fmt::format("{}{}", modules.empty() ? "" : ", ", ir::name(m));
    return fmt::format("selective [{}]{}", modules, when);
  }
  case ir::RecomputeKind::Saved: {
    std::string kept;
    for (const ir::SavedOperator op : r.saved)
      kept += fmt::format("{}{}", kept.empty() ? "" : ", ", ir::name(op));
    for (const ir::SavedOperator op : r.offloaded)
      kept += fmt::format("{}{} offloaded", kept.empty() ? "" : ", ", ir::name(op));
    return fmt::format("all but [{}]{}", kept, when);
  }
  case ir::RecomputeKind::Full:
    return fmt::format("full, {}, {}{}", ir::name(r.method), plural(r.layers, "layer"), when);
  }
  return "";
}

std::string report::shardText(const ir::Plan& plan) {
  const ir::Shard& s = plan.layout.shard;
  std::string out;
  auto add = [&](const char* what, ir::ShardAxis axis) {
    if (axis != ir::ShardAxis::None)
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", what, ir::name(axis));
  };
  add("parameters", s.parameters);
  add("gradients", s.gradients);
  add("optimizer", s.optimizer);
  add("sequence", s.sequence);
  add("messages", s.messages);
  return out.empty() ? "none" : out;
}

std::string report::precisionText(const ir::Plan& plan) {
  const ir::Precision& p = plan.layout.precision;
  return fmt::format("compute {}, parameters {}, gradients {}, {}moments {}", ir::name(p.compute),
                     ir::name(p.parameters), ir::name(p.gradients),
                     p.hasMaster ? fmt::format("master {}, ", ir::name(p.master)) : "",
                     ir::name(p.moments));
}

std::string report::batchText(const ir::Plan& plan) {
  const bool samples = plan.layout.batchUnit == ir::BatchUnitKind::Samples;
  std::string out = plural(plan.layout.batch, samples ? "sample" : "sequence");
  if (!samples)
    out += fmt::format(" of {} tokens", plan.model.context);
  return out + fmt::format(", {} of {} per replica",
                           fmt::format("{} micro-batch{}", plan.mesh.microBatches,
                                       plan.mesh.microBatches == 1 ? "" : "es"),
                           plan.layout.microBatch);
}

std::string report::modelText(const ir::Plan& plan, const figures::Figures& figures) {
  std::string out = fmt::format("{}: {}", plan.model.name, plural(plan.model.layers(), "layer"));
  if (!plan.model.isLayerList())
    out += fmt::format(", hidden {}", plan.model.hidden);
  const auto total = figures.value("model.parameters");
  const auto active = figures.value("model.active_parameters");
  if (total)
    out += fmt::format(", {} parameters", count(*total));
  if (total && active && *active < *total)
    out += fmt::format(", {} active", count(*active));
  if (const auto trained = figures.value("model.trained_parameters"))
    out += fmt::format(", {} trained", count(*trained));
  return out;
}

namespace {
/// The device of a node type and its speed: "8 nodes nominal: h100_sxm, 79.65GiB each".
std::string nodeTypeText(const ir::NodeType& c) {
  std::string out = fmt::format("{} {}: {}, {} each", plural(c.nodes, "node"), c.displayName(),
                                c.device.name, memory(static_cast<double>(c.device.memory)));
  return c.device.speed == 1 ? out : out + fmt::format(", at {:g} of its speed", c.device.speed);
}
} // namespace

std::string report::nodeTypesText(const ir::Plan& plan, std::uint64_t pipelineRank) {
  std::string names;
  for (const std::uint64_t c :
       plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(pipelineRank)].nodeTypes)
    names += (names.empty() ? "" : ", ") + plan.cluster.nodeTypes[c].displayName();
  return names;
}

namespace {
/// Text such as "; 8 of 72 devices idle" if the layout does not use all devices.
std::string idleText(const ir::Cluster& c) {
  return c.idleDevices == 0
             ? ""
             : fmt::format("; {} of {} devices idle", c.idleDevices, c.devices() + c.idleDevices);
}
} // namespace

namespace {
/// Fields that the line `experts` shows. They have no effect without experts.
constexpr llvm::StringRef kernelsOfExperts[] = {"kernels.token_dispatcher", "kernels.permutation",
                                                "kernels.router", "kernels.experts"};
} // namespace

std::string report::frameworkText(const ir::Plan& plan) {
  std::string out = plan.framework.text();
  const char* before = " fills in ";
  for (const ir::FilledField& field : plan.framework.filled) {
    if (llvm::is_contained(kernelsOfExperts, field.path))
      continue;
    out += before + field.path + " = " + field.value;
    before = ", ";
  }
  return out;
}

std::string report::assumedText(const ir::Plan& plan) {
  if (llvm::none_of(plan.model.layerTypes, [](const ir::LayerType& c) {
        return c.feedForward.kind == ir::FeedForwardKind::Experts;
      }))
    return "";
  const ir::Kernels& kernels = plan.layout.kernels;
  const std::pair<const char*, std::string> fields[] = {
      {"kernels.token_dispatcher", ir::name(kernels.dispatch)},
      {"kernels.permutation", ir::name(kernels.permutation)},
      {"kernels.router", ir::name(kernels.router)},
      {"kernels.experts", plan.layout.communication().groupedExperts ? "grouped" : "per_expert"},
      {"overlap.experts", plan.layout.overlap.experts ? "true" : "false"},
      {"cuda_graphs", plan.layout.graphs ? "true" : "false"}};
  std::string out;
  for (const auto& [field, value] : fields)
    if (!ir::isSetInFile(plan, field))
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", field, value);
  const std::string& framework = plan.framework.name;
  return out.empty() ? ""
                     : fmt::format("assumed, as {}: {}",
                                   framework.empty() ? "in recipes of 2026"
                                                     : "users of " + framework + " set them",
                                   out);
}

std::string report::clusterText(const ir::Plan& plan) {
  const ir::Device& d = plan.cluster.device();
  if (plan.cluster.nodeTypes.size() > 1) {
    std::string out =
        fmt::format("{}: {} x {} = {}", plan.cluster.name, plural(plan.cluster.nodes, "node"),
                    plan.cluster.gpusPerNode, plural(plan.cluster.devices(), "device"));
    for (const ir::NodeType& c : plan.cluster.nodeTypes)
      out += "; " + nodeTypeText(c);
    return out + idleText(plan.cluster);
  }
  return fmt::format("{}: {} x {} {} = {}, {} each", plan.cluster.name,
                     plural(plan.cluster.nodes, "node"), plan.cluster.gpusPerNode, d.name,
                     plural(plan.cluster.devices(), "device"),
                     memory(static_cast<double>(d.memory))) +
         idleText(plan.cluster);
}

const char* report::contents(ir::CollectivePurpose p) {
  switch (p) {
  case ir::CollectivePurpose::TensorActivation:
    return "tensor activations";
  case ir::CollectivePurpose::ContextKeys:
    return "context keys and values";
  case ir::CollectivePurpose::ExpertTokens:
    return "expert tokens";
  case ir::CollectivePurpose::PipelineActivation:
    return "pipeline activations";
  case ir::CollectivePurpose::GradientReduce:
    return "gradients";
  case ir::CollectivePurpose::ParameterGather:
    return "parameters";
  case ir::CollectivePurpose::EmbeddingGradient:
    return "tied embedding";
  case ir::CollectivePurpose::MomentumGather:
    return "momentum";
  }
  return "";
}
