#pragma once
//===- Basics.h - Small types used by all parts of the plan -----------------------------------===//
//
// Parts of the plan are plain values. Each lists its members once in `fields(visitor)`, from which
// the printer, the reader and equality follow. Quantities are whole base units: bytes, bits per
// second, picoseconds, FLOP, tokens. `double` is used only for ratios and results of cost formulas.
#include "support/SourceManager.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dpl::ir {

/// Ranges in the source, by the path of a field.
using FieldRanges = std::map<std::string, SourceRange, std::less<>>;

enum class DataType : std::uint8_t { FP32, TF32, BF16, FP16, FP8, MXFP8, NVFP4 };
/// Bits of one element: 32, 32, 16, 16, 8, 8, 4.
std::uint64_t bitsOf(DataType t);

/// Levels of a cluster, innermost first. Pool is not a level of the tree: node pools have their own
/// sizes, and only `within` and `across` name them.
enum class Level : std::uint8_t { Gpu, Node, Domain, Leaf, Pod, Site, Cluster, Pool };
/// Number of levels that can have links: Node to Cluster, each at most once in a cluster.
constexpr std::size_t linkLevelCount = static_cast<std::size_t>(Level::Cluster);

/// Axes of the mesh. The last three divide the devices of one stage a second time, for experts.
enum class Axis : std::uint8_t {
  Replica,
  Pipeline,
  Data,
  Context,
  Tensor,
  ExpertData,
  Expert,
  ExpertTensor
};
const char* name(Axis a);
const char* name(Level l);
const char* name(DataType t);

/// Ceiling of a / b for b > 0.
constexpr std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0); }

constexpr double picosecond = 1e-12;

/// An optional part that most plans lack; a printed plan without it has no line for it.
template <class T> using AtMostOne = std::vector<T>;

} // namespace dpl::ir
