//===- OperatorRows.cpp - The operators of a part and the devices that run them ---------------===//
#include "figures/Rows.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::figures;
using cost::OperatorCost;
using ir::real;

namespace {

/// What an instance of "MODULE.operator[OPERATOR]" or "….ACTION" names.
struct Here {
  const cost::PartOperators& part;
  const OperatorCost& op;
  const cost::OperatorPass& pass;
  std::string prefix; ///< of the operator
};
Here here(const Facts& f) {
  const std::size_t passes = cost::operatorPasses().size();
  const cost::PartOperators& part = f.operators()[f.instance->index];
  const std::size_t at = f.instance->inner / passes;
  return {part, part.list[at], cost::operatorPasses()[f.instance->inner % passes],
          operatorPath(part, at)};
}
const cost::Work& work(const Here& h) { return cost::workOf(h.op, h.pass.direction); }

/// Of the classes that hold the part the one whose device is slowest at the operator, forward.
std::size_t pacing(const Here& h) {
  return cost::slowestFor(h.part, h.op, cost::operatorPasses().front());
}

Traced ofDevice(const Facts& f, const Here& h, const std::string& column) {
  return f(f.devicePath(h.part.classes[pacing(h)]) + "." + column);
}
Traced atSpeed(const Facts& f, const std::string& device, const Traced& value) {
  const Traced speed = f(device + ".speed");
  return speed.has() ? value * speed : value;
}

bool computes(const OperatorCost& op) {
  return op.kind == OperatorCost::Kind::Matmul || op.kind == OperatorCost::Kind::Attention;
}

const char* sustainedBy(const OperatorCost& op) {
  if (op.kind == OperatorCost::Kind::Attention)
    return "sustained.attention";
  return ir::bitsOf(op.type) <= 8 ? "sustained.low_precision" : "sustained.matmul";
}

/// Kernels of one direction: none where nothing is done.
double kernels(const OperatorCost& op, const cost::Work& work) {
  if (op.kind == OperatorCost::Kind::Stated)
    return 0;
  return work.flop > 0 || work.bytes > 0 ? op.kernels : 0;
}

/// Sums a column over the operators of a part: of a direction, or of those that run again.
Traced overOperators(const Facts& f, llvm::StringRef column, const char* what) {
  const cost::PartOperators* part = f.operatorsOf(f.instance->prefix);
  if (!part)
    return Facts::none();
  Sum sum;
  for (std::size_t i = 0; i < part->list.size(); ++i)
    for (const cost::OperatorPass& pass : cost::operatorPasses()) {
      const llvm::StringRef name = pass.name;
      const double again = column == "recompute" && name == "forward"
                               ? part->again(part->list[i], f.layout.recompute)
                               : 0;
      const double share = name.startswith(column) ? 1 : again;
      if (share > 0)
        sum.plus(share, f(operatorPath(*part, i) + "." + pass.name + what));
    }
  return sum.all;
}

} // namespace

std::string figures::operatorPath(const cost::PartOperators& part, std::size_t i) {
  return fmt::format("{}.operator[{}]", part.part, part.names[i]);
}

Traced figures::kernelTime(const Facts& f, const char* column) {
  return overOperators(f, column, "");
}

Traced figures::launches(const Facts& f, const char* column) {
  return overOperators(f, column, ".launches");
}

bool figures::splitsBackward(const Facts& f) {
  return cost::scheduleInfo(f.layout.schedule).backward == cost::BackwardPasses::Split;
}

Traced figures::halfOf(const Facts& f, Traced (*row)(const Facts&, const char*),
                       const char* column) {
  return splitsBackward(f) ? row(f, column) : Facts::none();
}

Traced figures::hostTime(const Facts& f, const char* column) {
  const cost::PartOperators* part = f.operatorsOf(f.instance->prefix);
  if (!part)
    return Facts::none();
  std::size_t slowest = 0;
  for (std::size_t i = 1; i < part->devices.size(); ++i)
    if (part->devices[i].launch > part->devices[slowest].launch)
      slowest = i;
  return f.own(std::string(column) + ".launches") *
         f(f.devicePath(part->classes[slowest]) + ".launch_overhead");
}

Traced figures::memoryRate(const Facts& f, const std::string& device) {
  return atSpeed(f, device, f(device + ".memory_bandwidth") * f(device + ".sustained.memory"));
}

Traced figures::operatorDimension(const Facts& f, double OperatorCost::*dimension) {
  const double size = here(f).op.*dimension;
  return size > 0 ? Facts::counted(size) : Facts::none();
}

Traced figures::operatorShape(const Facts& f) {
  const Here h = here(f);
  const bool tiles = h.op.kind == OperatorCost::Kind::Attention;
  const Traced saturation = ofDevice(f, h, "sustained.efficiency_half_size");
  const Traced half = tiles ? 2 * saturation : saturation;
  Traced share = 1;
  for (const char* dimension : {"m", "n", "k"})
    if (const Traced size = f(h.prefix + "." + dimension); size.has())
      if (!tiles || llvm::StringRef(dimension) == "m")
        share = share.formula() == 0 ? size / (size + half) : share * (size / (size + half));
  return !computes(h.op) || share.formula() == 0 ? Facts::none() : share;
}

Traced figures::operatorRate(const Facts& f) {
  const Here h = here(f);
  if (!computes(h.op))
    return Facts::none();
  const std::uint64_t c = h.part.classes[pacing(h)];
  const Traced peak = f(f.peakPath(c, h.op.type));
  const Traced rate = atSpeed(f, f.devicePath(c), peak * ofDevice(f, h, sustainedBy(h.op)));
  const Traced shape = f(h.prefix + ".efficiency");
  return (shape.has() ? rate * shape : rate)
      .because("sustained at its shape, in " + std::string(ir::name(h.op.type)));
}

Traced figures::operatorKept(const Facts& f) {
  const Here h = here(f);
  const double bytes = h.part.kept(h.op, f.layout.recompute);
  return bytes > 0 ? Facts::counted(bytes) : Facts::none();
}

namespace {
double keptOf(const Facts& f) { return f.parts()[f.instance->index][f.instance->inner].kept; }
} // namespace

Traced figures::streamKept(const Facts& f) {
  const cost::PartOperators* part = f.operatorsOf(f.instance->prefix);
  double rest = keptOf(f);
  for (std::size_t i = 0; part && i < part->list.size(); ++i)
    rest -= part->kept(part->list[i], f.layout.recompute);
  return part && rest > 0.5 ? Facts::counted(rest) : Facts::none();
}

Traced figures::partKept(const Facts& f) {
  const double kept = keptOf(f);
  const cost::PartOperators* part = f.operatorsOf(f.instance->prefix);
  if (kept == 0 || f.depth != Depth::Operators || !part)
    return kept == 0 ? Facts::none() : Facts::counted(kept);
  Sum sum;
  for (std::size_t i = 0; i < part->list.size(); ++i)
    sum.plus(f(operatorPath(*part, i) + ".saved_activations"));
  sum.plus(f.own("residual_stream"));
  return sum.all.rounding(kept);
}

Traced figures::passFlop(const Facts& f) {
  const Here h = here(f);
  const double executed = cost::executedOf(h.op, h.pass.direction, h.part.devices[pacing(h)]);
  if (work(h).flop == 0 || !computes(h.op))
    return Facts::none();
  const Traced flop = Facts::counted(work(h).flop * executed);
  if (executed == 1)
    return flop;
  if (h.op.kind == OperatorCost::Kind::Matmul)
    return (Facts::counted(work(h).flop) / ofDevice(f, h, "sustained.fp8_gradients"))
        .rounding(work(h).flop * executed)
        .because("as long as these take that run, whose sums registers take over");
  const char* why = executed == h.op.executed
                        ? "masked scores left out"
                        : "masked scores left out and the others computed again";
  return flop.because(fmt::format("that run: {:g} of those that are counted, {}", executed, why));
}

Traced figures::passBytes(const Facts& f) {
  const Here h = here(f);
  const double bytes = h.op.kind == OperatorCost::Kind::Stated ? 0 : work(h).bytes;
  return bytes > 0 ? Facts::counted(bytes) : Facts::none();
}

Traced figures::passKernels(const Facts& f) {
  const Here h = here(f);
  const double count = kernels(h.op, work(h));
  return count > 0 ? Facts::counted(count) : Facts::none();
}

Traced figures::passCompute(const Facts& f) { return f.own("flop") / f(here(f).prefix + ".rate"); }

namespace {
Traced overMemory(const Facts& f, const Here& h) {
  return f.own("bytes") / memoryRate(f, f.devicePath(h.part.classes[pacing(h)]));
}
} // namespace

Traced figures::passMemory(const Facts& f) {
  return f.own("compute").has() ? overMemory(f, here(f)) : Facts::none();
}

Traced figures::passTime(const Facts& f) {
  const Here h = here(f);
  const double time = cost::operatorTime(h.op, h.pass.direction, h.part.devices);
  if (time == 0)
    return Facts::none();
  // Two classes can each be the slower one in another direction.
  if (const std::size_t slowest = cost::slowestFor(h.part, h.op, h.pass); slowest != pacing(h))
    return Facts::counted(time).because("of " + f.cluster.classes[h.part.classes[slowest]].word() +
                                        " nodes, which are the slower ones in this direction");
  if (h.op.kind == OperatorCost::Kind::Stated) {
    const Traced stated =
        f.declared(work(h).seconds, "model.layer").because("stated, of a micro-batch");
    const Traced speed = f(f.devicePath(h.part.classes[pacing(h)]) + ".speed");
    return speed.has() ? stated / speed : stated;
  }
  const Traced compute = f.own("compute"), memory = f.own("memory");
  return !compute.has() ? overMemory(f, h) : !memory.has() ? compute : max(compute, memory);
}

Traced figures::deviceFact(const Facts& f, double value, const char* column, bool assumed) {
  const ir::NodeClass& c = f.cluster.classes[f.instance->index];
  const std::string field = Facts::deviceField(c) + "." + column;
  return assumed ? f.assumed(value, field, c.device.name) : f.declared(value, field, c.device.name);
}

Traced figures::declaredPeak(const Facts& f) {
  const ir::NodeClass& c = f.cluster.classes[f.instance->index];
  const auto type = static_cast<ir::DataType>(f.instance->inner);
  return deviceFact(f, real(c.device.peakOf(type)), fmt::format("peak[{}]", ir::name(type)).c_str(),
                    false)
      .because(std::string("dense, of ") + ir::name(type));
}
