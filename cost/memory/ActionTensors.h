#pragma once
//===- ActionTensors.h - The tensors that the actions of a chunk allocate ---------------------===//
//
// LayerCost says how many bytes each operator saves. TensorDivider splits these bytes into the
// tensors that an allocator sees one by one. Sizes are bytes.
#include "cost/compute/ChunkEstimate.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::cost {

/// The tensors of one operator of a layer.
struct OperatorTensors {
  llvm::SmallVector<std::uint64_t, 3> saved; ///< tensors saved for the backward pass
  std::uint64_t output = 0;                  ///< output that is released after the next operator
  std::uint64_t scattered = 0;               ///< output after the reduce-scatter over tensor ranks
  std::uint64_t gradient = 0;                ///< gradient of the input
  std::uint64_t summed = 0;   ///< gradient of the input after the reduce-scatter over tensor ranks
  std::uint64_t gathered = 0; ///< all-gathered input, released after the operator
  std::uint64_t temporary = 0, backwardTemporary = 0;
  std::uint64_t unordered = 0;  ///< gathered tensor that is then copied to reorder it
  std::uint64_t step = 0;       ///< bytes of each fp32 tensor of a loss with several kernels
  std::uint64_t recomputed = 0; ///< tensors that recomputation restores
  std::uint64_t weights = 0;    ///< weight gradient of one micro-batch, if it has its own buffer
  bool offloaded = false;       ///< saved tensors are offloaded to the host and copied back
  bool adds = false;            ///< adds its output to the residual stream
  bool begins = false;          ///< reads the residual stream
};

/// One module of a chunk: `count` equal layers, the embedding or the head.
struct ModuleTensors {
  std::vector<OperatorTensors> operators;
  llvm::SmallVector<double, 8> weights; ///< elements of each weight tensor
  std::uint64_t count = 1;
  std::uint64_t rest = 0;               ///< gradients of parameters outside GEMMs
  std::uint64_t gatheredParameters = 0; ///< gathered parameters that exist during the backward pass
  bool stream = true;                   ///< reads the residual stream and saves this input
  bool layers = false;         ///< is a group of layers of the model, not the head or embedding
  bool inputOffloaded = false; ///< input is offloaded to the host and copied back
  bool recomputed = false;     ///< the whole module is recomputed from its input
};

class TensorDivider {
public:
  explicit TensorDivider(const ir::Plan& plan);
  /// Returns the modules of a chunk in the order of ChunkEstimate::modules.
  std::vector<ModuleTensors> of(const ir::Chunk& chunk) const;
  /// Bytes of one residual-stream tensor.
  std::uint64_t stream() const;

private:
  ModuleTensors of(const ChunkModule& from) const;
  OperatorTensors of(const OperatorCost& op, const OperatorCost* before, bool wholeLayer) const;

  const ir::Plan& plan;
  ChunkEstimate estimate;
  Division division;
  double streamBytes;
  bool copies; ///< the head copies a gathered tensor to reorder it
  /// Bytes per element of micro-batch gradients; 0 without such a buffer.
  double microBatchGradient;
};

/// Rounds to whole bytes: 0 below one byte, and at most 2^62.
std::uint64_t tensorBytes(double bytes);

} // namespace dpl::cost
