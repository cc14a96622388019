//===- OperatorRows.cpp - The operators of modules and the devices that run them --------------===//
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using cost::OperatorCost;
using ir::real;

namespace {

/// The operator of an instance of "MODULE.operator[OPERATOR]" or "….ACTION".
struct RowOperator {
  const cost::ModuleOperators& module;
  const OperatorCost& op;
  const cost::OperatorDirection& direction;
  std::string prefix; ///< path of the operator
};
RowOperator here(const FigureContext& f) {
  const std::size_t passes = cost::operatorDirections().size();
  const cost::ModuleOperators& module = f.operators()[f.instance->index];
  const std::size_t at = f.instance->inner / passes;
  return {module, module.operators[at], cost::operatorDirections()[f.instance->inner % passes],
          operatorPath(module, at)};
}
const cost::Work& work(const RowOperator& h) { return cost::workOf(h.op, h.direction.direction); }

/// Index of the module's node type whose device is slowest at the operator's forward pass.
std::size_t pacing(const RowOperator& h) {
  return cost::slowestFor(h.module, h.op, cost::operatorDirections().front());
}

Traced ofDevice(const FigureContext& f, const RowOperator& h, const std::string& column) {
  return f(f.devicePath(h.module.nodeTypes[pacing(h)]) + "." + column);
}
Traced atSpeed(const FigureContext& f, const std::string& device, const Traced& value) {
  const Traced speed = f(device + ".speed");
  return speed.has() ? value * speed : value;
}

bool computes(const OperatorCost& op) {
  return op.kind == OperatorCost::OperatorKind::Matmul ||
         op.kind == OperatorCost::OperatorKind::Attention;
}

const char* sustainedBy(const OperatorCost& op) {
  if (op.kind == OperatorCost::OperatorKind::Attention)
    return "sustained.attention";
  return ir::bitsOf(op.type) <= 8 ? "sustained.low_precision" : "sustained.matmul";
}

/// The number of kernels of one direction; 0 if the operator has no work in it.
double kernels(const OperatorCost& op, const cost::Work& work) {
  if (op.kind == OperatorCost::OperatorKind::Stated)
    return 0;
  return work.flop > 0 || work.bytes > 0 ? op.kernels : 0;
}

/// Sums a column over the operators of a module: over those of a direction, or the recomputed ones.
Traced overOperators(const FigureContext& f, llvm::StringRef column, const char* what) {
  const cost::ModuleOperators* module = f.operatorsOf(f.instance->prefix);
  if (!module)
    return FigureContext::none();
  TracedSum sum;
  for (std::size_t i = 0; i < module->operators.size(); ++i)
    for (const cost::OperatorDirection& pass : cost::operatorDirections()) {
      const llvm::StringRef name = pass.name;
      const double again = column == "recompute" && name == "forward"
                               ? module->recomputedShare(module->operators[i], f.layout.recompute)
                               : 0;
      const double share = name.startswith(column) ? 1 : again;
      if (share > 0)
        sum.plus(share, f(operatorPath(*module, i) + "." + pass.name + what));
    }
  return sum.all;
}

} // namespace

std::string figures::operatorPath(const cost::ModuleOperators& module, std::size_t i) {
  return fmt::format("{}.operator[{}]", module.module, module.names[i]);
}

Traced figures::kernelTime(const FigureContext& f, const char* column) {
  return overOperators(f, column, "");
}

Traced figures::launches(const FigureContext& f, const char* column) {
  return overOperators(f, column, ".launches");
}

bool figures::splitsBackward(const FigureContext& f) {
  return cost::scheduleInfo(f.layout.schedule).backward == cost::BackwardSplit::Split;
}

Traced figures::halfOf(const FigureContext& f, Traced (*row)(const FigureContext&, const char*),
                       const char* column) {
  return splitsBackward(f) ? row(f, column) : FigureContext::none();
}

Traced figures::hostTime(const FigureContext& f, const char* column) {
  const cost::ModuleOperators* module = f.operatorsOf(f.instance->prefix);
  if (!module)
    return FigureContext::none();
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < module->devices.size(); ++i)
    if (module->devices[i].launch > module->devices[slowest].launch)
      slowest = i;
  return f.ofInstance(std::string(column) + ".launches") *
         f(f.devicePath(module->nodeTypes[slowest]) + ".launch_overhead");
}

Traced figures::memoryRate(const FigureContext& f, const std::string& device) {
  return atSpeed(f, device, f(device + ".memory_bandwidth") * f(device + ".sustained.memory"));
}

Traced figures::operatorDimension(const FigureContext& f, double OperatorCost::*dimension) {
  const double size = here(f).op.*dimension;
  return size > 0 ? FigureContext::counted(size) : FigureContext::none();
}

Traced figures::operatorEfficiency(const FigureContext& f) {
  const RowOperator h = here(f);
  const bool tiles = h.op.kind == OperatorCost::OperatorKind::Attention;
  const Traced saturation = ofDevice(f, h, "sustained.efficiency_half_size");
  const Traced half = tiles ? 2 * saturation : saturation;
  Traced share = 1;
  for (const char* dimension : {"m", "n", "k"})
    if (const Traced size = f(h.prefix + "." + dimension); size.has())
      if (!tiles || llvm::StringRef(dimension) == "m")
        share = share.formula() == 0 ? size / (size + half) : share * (size / (size + half));
  return !computes(h.op) || share.formula() == 0 ? FigureContext::none() : share;
}

Traced figures::operatorRate(const FigureContext& f) {
  const RowOperator h = here(f);
  if (!computes(h.op))
    return FigureContext::none();
  const std::uint64_t c = h.module.nodeTypes[pacing(h)];
  const Traced peak = f(f.peakPath(c, h.op.type));
  const Traced rate = atSpeed(f, f.devicePath(c), peak * ofDevice(f, h, sustainedBy(h.op)));
  const Traced shape = f(h.prefix + ".efficiency");
  return (shape.has() ? rate * shape : rate)
      .because("sustained rate at its dimensions, in " + std::string(ir::name(h.op.type)));
}

Traced figures::operatorSaved(const FigureContext& f) {
  const RowOperator h = here(f);
  const double bytes = h.module.saved(h.op, f.layout.recompute);
  return bytes > 0 ? FigureContext::counted(bytes) : FigureContext::none();
}

namespace {
double savedOf(const FigureContext& f) {
  return f.modules()[f.instance->index][f.instance->inner].saved;
}
} // namespace

Traced figures::streamSaved(const FigureContext& f) {
  const cost::ModuleOperators* module = f.operatorsOf(f.instance->prefix);
  double rest = savedOf(f);
  for (std::size_t i = 0; module && i < module->operators.size(); ++i)
    rest -= module->saved(module->operators[i], f.layout.recompute);
  return module && rest > 0.5 ? FigureContext::counted(rest) : FigureContext::none();
}

Traced figures::moduleSaved(const FigureContext& f) {
  const double kept = savedOf(f);
  const cost::ModuleOperators* module = f.operatorsOf(f.instance->prefix);
  if (kept == 0 || f.depth != Depth::Operators || !module)
    return kept == 0 ? FigureContext::none() : FigureContext::counted(kept);
  TracedSum sum;
  for (std::size_t i = 0; i < module->operators.size(); ++i)
    sum.plus(f(operatorPath(*module, i) + ".saved_activations"));
  sum.plus(f.ofInstance("residual_stream"));
  return sum.all.rounding(kept);
}

Traced figures::directionFlop(const FigureContext& f) {
  const RowOperator h = here(f);
  const double executed =
      cost::executedOf(h.op, h.direction.direction, h.module.devices[pacing(h)]);
  if (work(h).flop == 0 || !computes(h.op))
    return FigureContext::none();
  const Traced flop = FigureContext::counted(work(h).flop * executed);
  if (executed == 1)
    return flop;
  if (h.op.kind == OperatorCost::OperatorKind::Matmul)
    return (FigureContext::counted(work(h).flop) / ofDevice(f, h, "sustained.fp8_gradients"))
        .rounding(work(h).flop * executed)
        .because("FLOP that would take as long at the full rate as this GEMM, which is slower "
                 "because its sums accumulate in registers");
  const char* why = executed == h.op.executed
                        ? "masked scores left out"
                        : "masked scores left out and the others computed again";
  return flop.because(fmt::format("executed FLOP: {:g} of the counted ones, {}", executed, why));
}

Traced figures::directionBytes(const FigureContext& f) {
  const RowOperator h = here(f);
  const double bytes = h.op.kind == OperatorCost::OperatorKind::Stated ? 0 : work(h).bytes;
  return bytes > 0 ? FigureContext::counted(bytes) : FigureContext::none();
}

Traced figures::directionKernels(const FigureContext& f) {
  const RowOperator h = here(f);
  const double count = kernels(h.op, work(h));
  return count > 0 ? FigureContext::counted(count) : FigureContext::none();
}

Traced figures::directionCompute(const FigureContext& f) {
  return f.ofInstance("flop") / f(here(f).prefix + ".rate");
}

namespace {
Traced overMemory(const FigureContext& f, const RowOperator& h) {
  return f.ofInstance("bytes") / memoryRate(f, f.devicePath(h.module.nodeTypes[pacing(h)]));
}
} // namespace

Traced figures::directionMemory(const FigureContext& f) {
  return f.ofInstance("compute").has() ? overMemory(f, here(f)) : FigureContext::none();
}

Traced figures::directionTime(const FigureContext& f) {
  const RowOperator h = here(f);
  const double time = cost::operatorTime(h.op, h.direction.direction, h.module.devices);
  if (time == 0)
    return FigureContext::none();
  // The slowest node type may differ between directions.
  if (const std::size_t slowest = cost::slowestFor(h.module, h.op, h.direction);
      slowest != pacing(h))
    return FigureContext::counted(time).because(
        "time on " + f.cluster.nodeTypes[h.module.nodeTypes[slowest]].displayName() +
        " nodes, which are slower in this direction");
  if (h.op.kind == OperatorCost::OperatorKind::Stated) {
    const Traced stated = f.declared(work(h).seconds, "model.layer")
                              .because("time of one micro-batch, as set in the file");
    const Traced speed = f(f.devicePath(h.module.nodeTypes[pacing(h)]) + ".speed");
    return speed.has() ? stated / speed : stated;
  }
  const Traced compute = f.ofInstance("compute"), memory = f.ofInstance("memory");
  return !compute.has() ? overMemory(f, h) : !memory.has() ? compute : max(compute, memory);
}

Traced figures::deviceFact(const FigureContext& f, double value, const char* column, bool assumed) {
  const ir::NodeType& c = f.cluster.nodeTypes[f.instance->index];
  const std::string field = FigureContext::deviceField(c) + "." + column;
  return assumed ? f.assumed(value, field, c.device.name) : f.declared(value, field, c.device.name);
}

Traced figures::declaredPeak(const FigureContext& f) {
  const ir::NodeType& c = f.cluster.nodeTypes[f.instance->index];
  const auto type = static_cast<ir::DataType>(f.instance->inner);
  return deviceFact(f, real(c.device.peakOf(type)), fmt::format("peak[{}]", ir::name(type)).c_str(),
                    false)
      .because(std::string("dense peak in ") + ir::name(type));
}
