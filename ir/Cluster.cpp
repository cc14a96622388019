//===- Cluster.cpp - The cluster: a tree of levels --------------------------------------------===//
#include "ir/Cluster.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Cluster);

namespace {
/// The next data type in which a device without `t` computes: at least as wide in range and
/// precision. fp16 maps to bf16 and not vice versa, because bf16 values overflow fp16.
DataType nextWider(DataType t) {
  switch (t) {
  case DataType::NVFP4:
    return DataType::MXFP8;
  case DataType::MXFP8:
    return DataType::FP8;
  case DataType::FP8:
  case DataType::FP16:
    return DataType::BF16;
  case DataType::BF16:
    return DataType::TF32;
  case DataType::TF32:
  case DataType::FP32:
    return DataType::FP32;
  }
  return DataType::FP32;
}
} // namespace

DataType Device::computesIn(DataType t) const {
  while (t != DataType::FP32 && peak.find(t) == peak.end())
    t = nextWider(t);
  return t;
}

std::uint64_t Device::peakOf(DataType t) const {
  while (true) {
    if (const auto found = peak.find(t); found != peak.end())
      return found->second;
    if (t == DataType::FP32)
      return 0;
    t = nextWider(t);
  }
}

// A unit has links to each of the other units. A gate is an inner unit whose links lead to one of
// them; at most all inner units are gates. Each inner unit sends an equal share through each gate.
// The links from one gate to another also carry as much incoming data, which gives 2 / gates.
double LinkLevel::taperTo(std::uint64_t units) const {
  if (pair <= 0 || units < 2)
    return taper();
  const double gates = static_cast<double>(std::min(units, joined));
  return std::max({1.0, oversubscription, pair / static_cast<double>(units),
                   within * std::min(1.0, 2 / gates)});
}

const LinkLevel& Cluster::levelOf(std::uint64_t span) const {
  assert(!levels.empty() && span > 0 && "the verifier demands a level; a span has devices");
  for (const LinkLevel& level : levels)
    if (level.devices % span == 0)
      return level;
  return levels.back();
}

std::uint64_t Cluster::devicesIn(Level l) const {
  if (l == Level::Gpu)
    return 1;
  if (l == Level::Node)
    return gpusPerNode;
  for (const LinkLevel& level : levels)
    if (level.level == l)
      return std::min(level.devices, devices());
  // The scale-up domain is one node unless the cluster has a level for it.
  return l == Level::Domain ? gpusPerNode : devices();
}
