//===- Degrees.cpp - Fields of a layout that a search varies as numbers -----------------------===//
#include "planner/search/Degrees.h"
#include "cost/legality/Legality.h"
#include "planner/MeshSpace.h"
#include "llvm/ADT/StringSwitch.h"

using namespace dpl;
using namespace dpl::planner;
using ir::Axis;

namespace {
struct AxisDegree {
  const char* path;
  Degree degree;
  Axis axis;
};
constexpr AxisDegree axes[] = {
    {"mesh.pipeline", Degree::Pipeline, Axis::Pipeline},
    {"mesh.data", Degree::Data, Axis::Data},
    {"mesh.context", Degree::Context, Axis::Context},
    {"mesh.tensor", Degree::Tensor, Axis::Tensor},
    {"mesh.experts.data", Degree::ExpertData, Axis::ExpertData},
    {"mesh.experts.expert", Degree::Expert, Axis::Expert},
    {"mesh.experts.tensor", Degree::ExpertTensor, Axis::ExpertTensor},
};

template <class Mesh> auto* requestOf(Mesh& mesh, Degree degree) {
  const AxisDegree& row = axes[static_cast<std::size_t>(degree)];
  auto& all = row.axis >= Axis::ExpertData ? mesh.experts : mesh.axes;
  const auto found = llvm::find_if(all, [&](const auto& one) { return one.axis == row.axis; });
  return found == all.end() ? nullptr : &*found;
}

/// Replaces a restDegree by what the other sizes leave of the devices; false if that is no whole
/// number.
bool fillRest(llvm::MutableArrayRef<std::uint64_t> sizes, std::uint64_t devices) {
  std::uint64_t* open = nullptr;
  llvm::SmallVector<std::uint64_t, 8> others;
  for (std::uint64_t& size : sizes)
    if (size == restDegree)
      open = &size;
    else
      others.push_back(size);
  if (!open)
    return true;
  const std::optional<std::uint64_t> taken = cost::product(others);
  if (!cost::legal::rest(devices, taken))
    return false;
  *open = devices / *taken;
  return true;
}

std::uint32_t degree32(std::uint64_t size) { return static_cast<std::uint32_t>(size); }
} // namespace

std::optional<Degree> dpl::planner::degreeNamed(llvm::StringRef path) {
  for (const AxisDegree& row : axes)
    if (path == row.path)
      return row.degree;
  return llvm::StringSwitch<std::optional<Degree>>(path)
      .Case("micro_batch", Degree::MicroBatch)
      .Case("shard.sequence", Degree::Sequence)
      .Default(std::nullopt);
}

std::optional<std::uint64_t> dpl::planner::numberOf(const ir::Layout& layout, Degree degree) {
  if (degree == Degree::MicroBatch)
    return layout.microBatch;
  if (degree == Degree::Sequence)
    return layout.shard.sequence == ir::ShardAxis::Data
               ? std::nullopt
               : std::optional<std::uint64_t>(layout.shard.sequence == ir::ShardAxis::Tensor);
  const ir::AxisRequest* request = requestOf(layout.mesh, degree);
  return !request ? std::nullopt : std::optional(request->rest ? restDegree : request->size);
}

void dpl::planner::writeNumber(ir::Layout& layout, Degree degree, std::uint64_t number) {
  if (degree == Degree::MicroBatch) {
    layout.microBatch = number;
  } else if (degree == Degree::Sequence) {
    layout.shard.sequence = number == 0 ? ir::ShardAxis::None : ir::ShardAxis::Tensor;
  } else if (ir::AxisRequest* request = requestOf(layout.mesh, degree)) {
    request->rest = number == restDegree;
    request->size = request->rest ? 0 : number;
  }
}

ResolvedCandidate dpl::planner::resolve(const ir::Layout& layout, std::uint64_t devices,
                                        bool experts) {
  enum Broken : unsigned { Zero = 1, Rest = 2, ExpertRest = 4, ExpertData = 8, TensorGiven = 16 };
  ResolvedCandidate out;
  const auto refuse = [&](Broken why) {
    out.broken |= why, out.unresolved = true;
    return out;
  };
  const auto size = [&](Degree degree) { return numberOf(layout, degree).value_or(1); };
  std::uint64_t sizes[] = {size(Degree::Pipeline), size(Degree::Data), size(Degree::Context),
                           size(Degree::Tensor)};
  std::uint64_t grid[] = {size(Degree::ExpertData), size(Degree::Expert),
                          size(Degree::ExpertTensor)};
  if (layout.microBatch == 0 || llvm::is_contained(sizes, 0) || llvm::is_contained(grid, 0))
    return refuse(Zero);
  if (!fillRest(sizes, devices))
    return refuse(Rest);
  cost::LayoutCandidate& c = out.candidate;
  c.pipeline = degree32(sizes[0]), c.data = degree32(sizes[1]);
  c.context = degree32(sizes[2]), c.tensor = degree32(sizes[3]);
  c.microBatch = layout.microBatch;
  c.sequenceParallel = layout.shard.sequence == ir::ShardAxis::Tensor;
  if (!experts)
    return out;
  if (!layout.mesh.hasExperts) {
    c.expertTensor = c.tensor;
    return out;
  }
  // If the mesh does not use all devices, check-layout reports that alone.
  const std::uint64_t stage = c.stage();
  if (cost::product(sizes) == devices && !fillRest(grid, stage))
    return refuse(ExpertRest);
  for (std::uint64_t& one : grid)
    one = one == restDegree ? 1 : one;
  c.expert = degree32(grid[1]), c.expertTensor = degree32(grid[2]);
  if (cost::product(grid) != stage)
    out.broken |= ExpertData;
  const ir::AxisRequest* tensor = requestOf(layout.mesh, Degree::ExpertTensor);
  if (c.tensor > 1 && (!tensor || !tensor->given))
    out.broken |= TensorGiven;
  return out;
}

bool dpl::planner::nameAllAxes(ir::Layout& layout, std::uint64_t devices, bool experts) {
  const auto isPlaced = [](const ir::AxisRequest& axis) {
    return axis.hasWithin || axis.hasAcross;
  };
  if (layout.mesh.automatic || !hasStandardOrder(layout) ||
      llvm::any_of(layout.mesh.axes, isPlaced) || llvm::any_of(layout.mesh.experts, isPlaced))
    return false;
  const ResolvedCandidate of = resolve(layout, devices, experts);
  if (of.broken == 0)
    writeCandidate(of.candidate, layout, experts);
  return of.broken == 0;
}

bool dpl::planner::hasStandardOrder(const ir::Layout& layout) {
  const std::vector<ir::AxisRequest>& all = layout.mesh.axes;
  const auto rests = [](const std::vector<ir::AxisRequest>& grid) {
    return llvm::count_if(grid, [](const ir::AxisRequest& one) { return one.rest; });
  };
  return llvm::is_sorted(all, [](const auto& a, const auto& b) { return a.axis < b.axis; }) &&
         llvm::none_of(all,
                       [](const ir::AxisRequest& one) {
                         return one.axis == Axis::Replica && (one.rest || one.size != 1);
                       }) &&
         rests(all) <= 1 && rests(layout.mesh.experts) <= 1;
}
