#pragma once
//===- WeightAccount.h - Every weight of a plan by the definitions of the layers --------------===//
//
// Each weight is written down as a matrix and where it lies, in whole numbers. Nothing of cost/ is
// called.
#include "ir/Plan.h"

namespace dpl::test {
using Count = std::uint64_t;

/// Elements of one device, apart by the ranks over which ZeRO spreads their states.
struct Weights {
  Count dense = 0, experts = 0;
  Weights& operator+=(const Weights& o) {
    dense += o.dense, experts += o.experts;
    return *this;
  }
};

class WeightAccount {
public:
  explicit WeightAccount(const ir::Plan& plan);
  /// All of a pipeline rank.
  Weights of(Count rank) const;
  Weights layer(Count index) const;
  Weights embedding() const;
  /// With the table of a head that shares the embedding's, or without.
  Weights head(bool tiedTable) const;
  /// Of one that predicts a token further on.
  Weights prediction() const;
  /// Rows and columns of the matrices of a layer that have adapters; without tensor ranks.
  double adaptedSides(Count index, const ir::Adapters& lora) const;

private:
  Count unit() const { return plan.layout.vocabMultiple * plan.mesh.size(ir::Axis::Tensor); }
  Count norm(Count width) const { return m.norm == ir::NormKind::Layer ? 2 * width : width; }
  Count table() const { return vocab / t * m.hidden; }
  Count block(Count width, bool gated) const;
  Count attention(const ir::Attention& a) const;
  Count indexer(const ir::Attention& a, const ir::Indexer& i) const;
  Count recurrence(const ir::Recurrence& r) const;

  const ir::Plan& plan;
  const ir::Model& m;
  Count t, e, et, vocab;
};

} // namespace dpl::test
