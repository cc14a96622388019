//===- WeightUse.cpp - How the weights of a module are trained --------------------------------===//
#include "cost/compute/WeightUse.h"
#include "cost/compute/OptimizerRow.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

using Matrices = OptimizerRow::Matrices;

bool dpl::cost::tracksUse(const Layout& layout) {
  return !layout.fineTuning.empty() || optimizerRow(layout.optimizer).matrices != Matrices::None;
}

void WeightUse::add(const WeightUse& o, double count) {
  adapters += count * o.adapters, frozen += count * o.frozen, quantized += count * o.quantized;
  matrices += count * o.matrices, factors += count * o.factors, gathered += count * o.gathered;
  orthogonalizationFlop += count * o.orthogonalizationFlop;
}

ParameterUse WeightUse::rounded() const {
  return {whole(adapters), whole(frozen),   whole(quantized),     whole(matrices),
          whole(factors),  whole(gathered), orthogonalizationFlop};
}

namespace {
/// The columns of the matrices side by side in a GEMM. Of queries, keys and values, queries have
/// the depth of the next GEMM that writes the residual stream; otherwise all are equally wide.
llvm::SmallVector<double, 3> columnsOf(llvm::ArrayRef<OperatorCost> operators, std::size_t index,
                                       double hidden) {
  const OperatorCost& op = operators[index];
  if (op.parts == 3)
    for (const OperatorCost& next : operators.drop_front(index + 1))
      if (!next.adapter && next.weights > 0 && next.n == hidden && next.k < op.n)
        return {next.k, (op.n - next.k) / 2, (op.n - next.k) / 2};
  return llvm::SmallVector<double, 3>(static_cast<std::size_t>(op.parts), op.n / op.parts);
}

/// Adds the trained matrices of a GEMM, each of k × `columns` in equal copies.
void addMatrices(WeightUse& use, const OperatorCost& op, llvm::ArrayRef<double> columns,
                 const OptimizerRow& row, double split, double hidden) {
  use.matrices += op.weights;
  const double copies = op.weights / (op.k * op.n);
  // A GEMM that writes the residual stream divides its rows over tensor ranks, any other its
  // columns.
  const bool rows = op.n == hidden;
  for (const double width : columns) {
    if (row.factored)
      use.factors += copies * (op.k + width);
    if (row.orthogonalizes)
      use.orthogonalizationFlop +=
          copies * orthogonalizationFlop(rows ? op.k * split : op.k, rows ? width : width * split);
  }
  if (row.orthogonalizes && split > 1)
    use.gathered += op.weights;
}
} // namespace

WeightUses dpl::cost::layerUse(const Layout& layout, const Model& m,
                               llvm::ArrayRef<OperatorCost> operators,
                               const ParameterCount& parameters, const Division& d) {
  WeightUses uses;
  const OptimizerRow& row = optimizerRow(layout.optimizer);
  const FineTuning* tuning = layout.fineTuningOrNull();
  const bool whole = layout.muonTensorMode == MuonTensorMode::Duplicated;
  double known[] = {0, 0};
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const OperatorCost& op = operators[i];
    if (op.weights <= 0 || op.endsModel)
      continue;
    WeightUse& use = uses[op.experts ? 1 : 0];
    if (op.adapter)
      use.adapters += op.weights;
    else
      known[op.experts ? 1 : 0] += op.weights;
    if (op.frozen) {
      use.frozen += op.weights, use.quantized += op.quantized ? op.weights : 0;
    } else if (row.matrices != Matrices::None && op.k > 0) {
      const double split = real(op.experts ? d.expertTensor : d.tensor);
      addMatrices(use, op, columnsOf(operators, i, real(m.hidden)), row, whole ? split : 1,
                  real(m.hidden));
    }
  }
  if (tuning && tuning->freezes(ModelPart::Norm)) {
    uses[0].frozen += std::max(0.0, parameters.denseOn(d.tensor) - known[0]);
    uses[1].frozen += std::max(0.0, parameters.expertsOn(d) - known[1]);
  }
  return uses;
}

WeightUses dpl::cost::endUse(const Layout& layout, const Model& m, ModelPart part,
                             const ParameterCount& parameters, const Division& d) {
  WeightUses uses;
  const double all = parameters.denseOn(d.tensor), rows = real(d.vocab) / real(d.tensor);
  const FineTuning* tuning = layout.fineTuningOrNull();
  if (tuning && tuning->freezes(part)) {
    uses[0].frozen = all;
  } else if (optimizerRow(layout.optimizer).matrices == Matrices::All &&
             all >= rows * real(m.hidden)) {
    uses[0].matrices = rows * real(m.hidden);
    uses[0].factors = rows + real(m.hidden);
  }
  return uses;
}

double UsedParameters::weightBits(const Layout& layout, double trainedBits) const {
  if (frozen == 0)
    return all * trainedBits;
  return trained * trainedBits + (frozen - quantized) * frozenBits(layout) +
         quantized * quantizedBits(layout);
}

namespace {
void addUse(UsedParameters& to, const Layout& layout, const ParameterUse& use) {
  const OptimizerRow& row = optimizerRow(layout.optimizer);
  to.frozen += real(use.frozen), to.quantized += real(use.quantized);
  to.trained -= real(use.frozen), to.gathered += real(use.gathered);
  to.moments += real(use.matrices) * row.matrixMoments + real(use.factors) -
                (real(use.frozen) + real(use.matrices)) * momentsOf(layout);
  to.orthogonalizationFlop += use.orthogonalizationFlop;
  to.matrixMomentum += row.orthogonalizes ? real(use.matrices) : 0;
}
UsedParameters allTrained(const Layout& layout, double parameters) {
  UsedParameters all;
  all.all = all.trained = parameters;
  all.moments = parameters * momentsOf(layout);
  return all;
}
} // namespace

UsedParameters dpl::cost::usedParameters(const Layout& layout, const ChunkCost& cost,
                                         unsigned part) {
  UsedParameters of = allTrained(layout, real(part == 0 ? cost.parameters : cost.expertParameters));
  if (!cost.use.empty())
    addUse(of, layout, cost.use[part]);
  return of;
}

UsedParameters dpl::cost::allParameters(const Layout& layout, const ChunkCost& cost) {
  UsedParameters of = allTrained(layout, real(cost.parameters + cost.expertParameters));
  for (const ParameterUse& use : cost.use)
    addUse(of, layout, use);
  return of;
}

UsedParameters dpl::cost::modelParameters(const Model& m, const Layout& layout) {
  // With one device the operators have the weights of the whole model.
  Division d;
  d.tokens = 1, d.vocab = m.vocab, d.sequence = real(m.context);
  d.ofModel = true, d.tuning = layout.fineTuningOrNull();
  WeightUses uses;
  double all = 0;
  const auto add = [&](const WeightUses& use, const ParameterCount& p, double count) {
    all += count * (p.dense + p.experts + use[0].adapters + use[1].adapters);
    for (const WeightUse& of : use)
      uses[0].add(of, count);
  };
  for (const LayerRun& run : m.runs) {
    const LayerType& c = m.layerTypes[run.layerType];
    const ParameterCount p = parametersOf(m, c);
    add(layerUse(layout, m, operatorsOf(m, c, d), p, d), p, real(run.count));
  }
  const ParameterCount embedding = embeddingParameters(m, m.vocab),
                       head = headParameters(m, m.vocab);
  add(endUse(layout, m, ModelPart::Embedding, embedding, d), embedding, 1);
  add(endUse(layout, m, ModelPart::Head, head, d), head, 1);
  UsedParameters of = allTrained(layout, all);
  addUse(of, layout, uses[0].rounded());
  return of;
}
