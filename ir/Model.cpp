//===- Model.cpp - The model: layer types with repeat counts ----------------------------------===//
#include "ir/Model.h"
#include <cassert>

using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Model);

std::uint64_t Model::layers() const {
  std::uint64_t sum = 0;
  for (const LayerRun& run : runs)
    sum += run.count;
  return sum;
}

const LayerType& Model::layer(std::uint64_t i) const {
  for (const LayerRun& run : runs) {
    if (i < run.count)
      return layerTypes[run.layerType];
    i -= run.count;
  }
  assert(false && "layer index past the last layer");
  return layerTypes.back();
}
