//===- FineTuningOperators.cpp - The operators of frozen weights and adapters -----------------===//
#include "cost/compute/OperatorBuilder.h"
#include "cost/compute/OptimizerRow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The modules of a GEMM, by the name of its operator: one for each of its matrices. A GEMM with
/// fewer matrices than modules has the last ones; `up` without a gate is `up_proj`.
struct AdaptedProduct {
  const char* name;
  AdapterModule modules[3];
  unsigned count;
};
constexpr AdaptedProduct adapted[] = {
    {"qkv", {AdapterModule::Query, AdapterModule::Key, AdapterModule::Value}, 3},
    {"query", {AdapterModule::Query}, 1},
    {"query down", {AdapterModule::Query}, 1},
    {"query up", {AdapterModule::Query}, 1},
    {"key-value down", {AdapterModule::Key}, 1},
    {"key-value up", {AdapterModule::Value}, 1},
    {"attention projection", {AdapterModule::Output}, 1},
    {"mlp up", {AdapterModule::Gate, AdapterModule::Up}, 2},
    {"mlp down", {AdapterModule::Down}, 1},
    {"expert up", {AdapterModule::Gate, AdapterModule::Up}, 2},
    {"expert down", {AdapterModule::Down}, 1},
    {"shared expert up", {AdapterModule::Gate, AdapterModule::Up}, 2},
    {"shared expert down", {AdapterModule::Down}, 1},
};
} // namespace

/// The adapter of `columns` columns of a GEMM: dropout of the input, down to the rank, up to the
/// columns, and the sum with the output of the GEMM (peft at 0.18, tuners/lora/layer.py). A module
/// with dropout saves a mask and its own input.
void OperatorBuilder::adapt(std::size_t index, double m, double columns, double count) {
  const Adapters& lora = d.tuning->adapters.front();
  const OperatorCost base = operators[index]; // the vector may move
  const double rank = real(lora.rank), read = count * m * base.k, outputs = count * m * columns;
  if (lora.dropout > 0) {
    OperatorCost& dropped = streaming("adapter dropout", base.module, 5 * read, 5 * read);
    dropped.of = base.name;
    dropped.saved = 3 * read;
  }
  const auto add = [&](const char* name, double n, double k, bool keep) {
    const std::size_t at = operators.size();
    const unsigned before = products;
    product(name, base.module, m, n, k, keep, count, {});
    products = before; // adapters are not among the GEMMs of which every second one is saved
    OperatorCost& op = operators[at];
    op.of = base.name, op.adapter = true, op.alternate = 0;
    if (op.frozen)
      holds(op.weights, 1);
    op.frozen = false;
  };
  add("adapter down", rank, base.k, true);
  add("adapter up", columns, rank, false);
  OperatorCost& sum = streaming("adapter sum", base.module, 6 * outputs, 2 * outputs);
  sum.of = base.name;
}

void OperatorBuilder::tune(std::size_t index, double m, double count,
                           llvm::ArrayRef<double> columns) {
  const llvm::StringRef name = operators[index].name;
  const double width = operators[index].n, depth = operators[index].k;
  bool trains = !operators[index].frozen;
  if (operators[index].frozen) {
    operators[index].backwardWeight = {};
    // Routers and the head stay in 16 bits, as bitsandbytes leaves them.
    if (d.tuning->quantizes() && part != ModelPart::Router && part != ModelPart::Head &&
        part != ModelPart::Embedding) {
      operators[index].quantized = true;
      const double elements = operators[index].weights;
      const double stored = quantizedBits(*d.tuning) / 8;
      OperatorCost& back = streaming("dequantize", operators[index].module, elements * (stored + 2),
                                     elements * (stored + 2));
      back.of = operators[index].name;
      back.temporary = 2 * elements / operators[index].parts;
      back.kernels = static_cast<unsigned>(operators[index].parts);
    }
  }
  const auto row = llvm::find_if(adapted, [&](const AdaptedProduct& p) { return name == p.name; });
  if (!d.tuning->adapters.empty() && row != std::end(adapted)) {
    const Adapters& lora = d.tuning->adapters.front();
    const std::size_t parts = columns.empty() ? 1 : columns.size();
    double all = 0;
    for (const double share : columns)
      all += share;
    for (std::size_t i = 0; i < parts; ++i)
      if (lora.on(row->modules[row->count - parts + i])) {
        adapt(index, m, columns.empty() ? width : width * columns[i] / all, count);
        trains = trains || lora.dropout == 0;
      }
  }
  if (!trains)
    return;
  // The input is that of the last operator with this width.
  const auto input = llvm::find_if(llvm::reverse(inputs),
                                   [&](const WeightInput& in) { return in.width == depth; });
  if (input != inputs.rend())
    input->needed = true;
}
