#pragma once
//===- ActionTensors.h - The tensors that passes of a chunk make
//-------------------------------===//
//
// What is kept and how large it is comes from the account's operators (LayerCost); here it is
// divided into the tensors that an allocator sees one by one. Sizes are bytes.
#include "cost/compute/ChunkEstimate.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The tensors of one operator of a layer.
struct OperatorTensors {
  llvm::SmallVector<std::uint64_t, 3> saved; ///< until its backward pass
  std::uint64_t output = 0;                  ///< that is gone when the next operator has run
  std::uint64_t scattered = 0;               ///< that, divided over the tensor ranks
  std::uint64_t gradient = 0;                ///< of its input
  std::uint64_t summed = 0;                  ///< that, divided over the tensor ranks
  std::uint64_t gathered = 0;                ///< what tensor ranks gather for it, gone behind it
  std::uint64_t temporary = 0, backwardTemporary = 0;
  std::uint64_t unordered = 0;  ///< gathered, before it is copied into the order that is kept
  std::uint64_t step = 0;       ///< of a loss in steps: a tensor of each
  std::uint64_t recomputed = 0; ///< that recomputation brings back
  std::uint64_t weights = 0;    ///< gradient of its weights, where a pass has its own
  bool offloaded = false;       ///< what it keeps goes to the host and comes back
  bool adds = false;            ///< onto the residual stream
  bool begins = false;          ///< reads the residual stream
};

/// One part of a chunk: so many layers alike, the embedding or the head.
struct ModuleTensors {
  std::vector<OperatorTensors> operators;
  llvm::SmallVector<double, 8> weights; ///< elements of each
  std::uint64_t count = 1;
  std::uint64_t rest = 0;               ///< gradients of small weights
  std::uint64_t gatheredParameters = 0; ///< gathered and not yet scattered while it runs backward
  bool stream = true;                   ///< it keeps its input
  bool layers = false;                  ///< of the model
  bool inputOffloaded = false;          ///< which goes to the host and comes back
  bool recomputed = false;              ///< recomputed from its input
};

class TensorDivider {
public:
  explicit TensorDivider(const ir::Plan& plan);
  /// In the order of the network's parts (ChunkEstimate).
  std::vector<ModuleTensors> of(const ir::Chunk& chunk) const;
  /// Of the residual stream at one point.
  std::uint64_t stream() const;

private:
  ModuleTensors of(const ChunkModule& from) const;
  OperatorTensors of(const OperatorCost& op, const OperatorCost* before, bool wholeLayer) const;

  const ir::Plan& plan;
  ChunkEstimate estimate;
  Division division;
  double streamBytes;
  bool copies;               ///< what tensor ranks gather is put in order, by the head in any case
  double microBatchGradient; ///< bytes of an element of the gradients of a pass; 0 without any
};

/// Whole bytes, none of less than one, and no more than fit any machine.
std::uint64_t tensorBytes(double bytes);

} // namespace dpl::cost
