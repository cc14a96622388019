#pragma once
//===- PlanMaker.h - Makes one random plan, part by part --------------------------------------===//
#include "tests/property/RandomPlan.h"

namespace dpl::test {

/// Degrees are drawn first and everything else is made to divide by them.
class PlanMaker {
public:
  explicit PlanMaker(std::uint64_t seed)
      : random(seed), facts(~seed), later(seed + (~seed >> 1)), kept(seed ^ (~seed >> 2)),
        blocks(~seed ^ (seed >> 3)), tuned(~seed ^ (seed << 3)) {}

  ir::Plan make() {
    plan.name = plan.layout.name = "random";
    plan.file = "random.dpl";
    listed = random.oneIn(8);
    pipeline = random.size({1, 1, 2, 2, 3, 4});
    tensor = listed ? 1 : random.size({1, 2, 2, 4, 8});
    context = listed ? 1 : random.size({1, 1, 1, 2, 4});
    data = random.size({1, 2, 2, 3, 4, 8});
    replica = random.oneIn(5) ? 2 : 1;
    cluster();
    schedule();
    if (listed)
      layerList();
    else
      transformer();
    mesh();
    split();
    layout();
    if (expert > 0)
      dispatch();
    training();
    return std::move(plan);
  }

private:
  std::uint64_t devices() const { return replica * pipeline * data * context * tensor; }

  // RandomMachine.cpp
  void cluster();
  void device(ir::Device& d);
  void keep(ir::Device& d);
  void links();
  void ownPorts(ir::NodeType& nodes);
  ir::LinkType link(ir::LinkKind kind, std::initializer_list<int> gigabits);
  ir::LinkType tapered(ir::LinkKind kind);

  // RandomModel.cpp
  ir::Attention attention();
  ir::LayerType dense(const char* name);
  ir::LayerType routed();
  ir::Recurrence recurrence();
  /// Recurrences, indexers, gates, and layers that lack a block.
  void mix(ir::LayerType& c);
  void transformer();
  void layerList();

  // RandomLayout.cpp
  void schedule();
  static ir::AxisRequest axis(ir::Axis a, std::uint64_t size);
  void mesh();
  void split();
  /// Of gradients that are reduced whole, or scattered as codes.
  void compression(ir::Layout& l);
  void buffers(ir::Layout& l);
  /// How context ranks come by keys, experts are launched and recomputation ends.
  void habits(ir::Layout& l);
  /// How tokens come to their experts, and how many of their groups they may choose from.
  void dispatch();
  /// Costs that repeat once or twice over a step; all of one kind are equal.
  void unequalMicroBatches();
  void layout();
  /// The optimizers with state of other sizes, frozen parts, adapters and documents.
  void training();

  Random random;
  Random facts;  ///< of what costs nothing, so that the rest is as without it
  Random later;  ///< of what was added since, for the same reason
  Random kept;   ///< of what devices keep of their memory
  Random blocks; ///< of recurrences, indexers and gates
  Random tuned;  ///< of what is trained
  ir::Plan plan;
  bool listed = false;
  std::uint64_t replica = 1, pipeline = 1, data = 1, context = 1, tensor = 1, chunks = 1;
  std::uint64_t expert = 0, expertTensor = 1; ///< 0 without experts
};

} // namespace dpl::test
