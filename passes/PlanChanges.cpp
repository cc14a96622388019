//===- PlanChanges.cpp - Changes of a layout that may need less memory ------------------------===//
#include "passes/PlanChanges.h"
#include "cost/compute/PolicyOperators.h"
#include "cost/legality/Legality.h"
#include "ir/BatchUnit.h"
#include "ir/DataRanks.h"
#include "ir/FilledFields.h"
#include "ir/Names.h"
#include "ir/SetInFile.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// The numbers `most`, most / 2, most / 4, … that are greater than `than`.
std::vector<std::uint64_t> doubled(std::uint64_t most, std::uint64_t than = 0) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t n = 1; n < most; n *= 2)
    if (n > than)
      out.push_back(n);
  if (most > than)
    out.push_back(most);
  return out;
}

template <class Value> std::string listText(llvm::ArrayRef<Value> values) {
  std::string out;
  for (const Value value : values)
    out += (out.empty() ? "" : ", ") + std::string(name(value));
  return "[" + out + "]";
}

class PlanChangeBuilder {
public:
  explicit PlanChangeBuilder(const Plan& plan) : plan(plan), l(plan.layout) {
    for (const Chunk& chunk : plan.chunks)
      mostLayers = std::max(mostLayers, chunk.layers);
  }

  std::vector<ChangeFamily> all() {
    sharding();
    pipeline();
    microBatch();
    advance();
    full();
    if (l.recompute.kind == RecomputeKind::Full) {
      otherLayers();
    } else {
      if (l.recompute.kind != RecomputeKind::Saved)
        selective();
      blocks();
    }
    policies();
    loss();
    offload();
    return std::move(families);
  }

private:
  /// Begins a family of changes.
  void family(bool ascending = false) { families.push_back({{}, ascending}); }
  template <class Change> void propose(const char* field, const std::string& value, Change change) {
    families.back().changes.push_back(
        {field, fmt::format("`{}{}`", field, value), [change](Plan& p) { change(p.layout); }});
  }
  template <class Change> void alone(const char* field, const std::string& value, Change change) {
    family();
    propose(field, value, change);
  }

  /// Whether more parameters or gradients can be sharded.
  bool shardsMore() const { return sharesState(plan) && l.shard.stage() < 3; }
  void sharding() {
    if (sharesState(plan) && l.shard.stage() == 0)
      alone("shard.optimizer", " = data", [](Layout& c) { c.shard.optimizer = ShardAxis::Data; });
    if (shardsMore())
      whole();
    if (plan.mesh.size(Axis::Tensor) > 1 && l.shard.sequence == ShardAxis::None)
      alone("shard.sequence", " = tensor", [](Layout& c) { c.shard.sequence = ShardAxis::Tensor; });
  }

  /// Proposes changes of single fields of `shard`, because a second `shard` block would drop the
  /// other fields of the file's block.
  void whole() {
    std::string text;
    const auto add = [&](const char* field, ShardAxis now) {
      if (now == ShardAxis::None)
        text += fmt::format("{}shard.{} = data", text.empty() ? "" : ", ", field);
    };
    add("optimizer", l.shard.optimizer);
    add("gradients", l.shard.gradients);
    add("parameters", l.shard.parameters);
    family();
    families.back().changes.push_back({"shard", "`" + text + "`", [](Plan& p) {
                                         Shard& s = p.layout.shard;
                                         s.parameters = s.gradients = s.optimizer = ShardAxis::Data;
                                       }});
  }

  void pipeline() {
    if (plan.mesh.size(Axis::Pipeline) == 1)
      return;
    if (l.executedSchedule() != ScheduleKind::OneForwardOneBackward)
      alone("schedule", " = 1f1b", [](Layout& c) {
        c.schedule = ScheduleKind::OneForwardOneBackward;
        c.chunks = 1, c.inFlight = 0, c.group = 0, c.customSchedule = {};
      });
    if (l.split != SplitKind::Balanced && l.embeddingSlots + l.headSlots == 0)
      alone("split", " = balanced",
            [](Layout& c) { c.split = SplitKind::Balanced, c.splitLayers.clear(); });
  }

  void microBatch() {
    const auto smaller = [&](std::uint64_t size) {
      family();
      families.back().changes.push_back(microBatchOf(plan, size));
    };
    if (l.microBatch > 1 && l.microBatch % 2 == 0)
      smaller(l.microBatch / 2);
    if (l.microBatch > 2)
      smaller(1);
  }

  void advance() {
    if (l.recompute.kind != RecomputeKind::None)
      alone("recompute.in_advance", fmt::format(" = {}", !l.recompute.inAdvance),
            [](Layout& c) { c.recompute.inAdvance = !c.recompute.inAdvance; });
  }

  /// Proposes other values of `recompute.layers`, up to the layers of the largest chunk.
  void otherLayers() {
    family();
    for (const std::uint64_t layers : doubled(mostLayers))
      if (layers != l.recompute.layers)
        propose("recompute.layers", fmt::format(" = {}", layers),
                [layers](Layout& c) { c.recompute.layers = layers; });
  }

  void full() {
    if (l.recompute.kind != RecomputeKind::Full || l.recompute.method != RecomputeMethod::Uniform)
      alone("recompute", " = full", [](Layout& c) {
        c.recompute = {};
        c.recompute.kind = RecomputeKind::Full;
      });
  }

  /// Proposes to recompute one more module of the model.
  void selective() {
    Recompute again = l.recompute;
    again.kind = RecomputeKind::Selective;
    const auto with = [&](const std::vector<ModuleKind>& modules) {
      again.modules = modules;
      propose("recompute",
              fmt::format(" = selective {{ modules = {}{} }}", listText<ModuleKind>(modules),
                          again.inAdvance ? ", in_advance = true" : ""),
              [again](Layout& c) { c.recompute = again; });
    };
    family();
    if (const llvm::ArrayRef<ModuleKind> policy = selectivePolicy(plan.framework.name);
        !policy.empty()) {
      with(policy.vec());
      return;
    }
    using enum ModuleKind;
    for (const ModuleKind module :
         {CoreAttention, Attention, MlaUp, Norm, Activation, Mlp, Moe, SharedExperts}) {
      Recompute alone;
      alone.kind = RecomputeKind::Selective, alone.inAdvance = true, alone.modules = {module};
      if (l.recompute.has(module) || !cost::legal::recomputes(plan.model, alone))
        continue;
      std::vector<ModuleKind> modules = l.recompute.modules;
      modules.push_back(module);
      with(modules);
    }
  }

  /// Proposes recomputation of some layers of each chunk (`method = block`); for all layers `full`
  /// does it.
  void blocks() {
    family(true);
    for (const std::uint64_t layers : doubled(mostLayers))
      if (layers < mostLayers)
        propose("recompute", fmt::format(" = full {{ method = block, layers = {} }}", layers),
                [layers](Layout& c) {
                  c.recompute = {};
                  c.recompute.kind = RecomputeKind::Full;
                  c.recompute.method = RecomputeMethod::Block, c.recompute.layers = layers;
                });
  }

  /// Proposes MaxText's policies: sets of saved tensors and, with no tensor saved, offloading of
  /// inputs.
  void policies() {
    if (plan.framework.name != "maxtext")
      return;
    using enum SavedOperator;
    using Kept = std::vector<SavedOperator>;
    const auto propose = [&](const char* field, const Kept& kept, const Kept& away) {
      this->propose("recompute",
                    fmt::format(" = save_only {{ {} = {} }}", field,
                                listText<SavedOperator>(kept.empty() ? away : kept)),
                    [kept, away](Layout& c) {
                      c.recompute = {};
                      c.recompute.kind = RecomputeKind::Saved;
                      c.recompute.saved = kept, c.recompute.offloaded = away;
                    });
    };
    family();
    if (l.recompute.kind != RecomputeKind::Full)
      for (const Kept& kept :
           {Kept{QueryKeyValue, Context, Projection, Up}, Kept{QueryKeyValue, Context, Projection},
            Kept{QueryKeyValue, Projection}, Kept{QueryKeyValue}, Kept{Projection}})
        propose("operators", kept, {});
    if (l.recompute.kind != RecomputeKind::Full && cost::namesQuantized(l.precision))
      propose("operators", {QueryKeyValue, Context, Projection, Up, Quantization}, {});
    propose("offloaded", {}, {Input});
  }

  void loss() {
    if (l.kernels.loss != LossKind::Fused && !isSetInFile(plan, "kernels.loss"))
      alone("kernels.loss", " = fused", [](Layout& c) { c.kernels.loss = LossKind::Fused; });
  }

  void offload() {
    Layout any;
    any.offload = {Offload()};
    if (isSetInFile(plan, "offload") || cost::legal::nodeTypeWithoutHostLink(plan.cluster, any))
      return;
    // A single field keeps the other fields of `offload`, but a block replaces all of them.
    const auto one = [&](const char* field, const std::string& value, auto Offload::*of, auto to) {
      propose(field, value, [of, to](Layout& c) {
        Offload away = c.offloadSettings();
        away.*of = to;
        c.offload = {away};
      });
    };
    const auto block = [&](const std::string& value, const Offload& away) {
      propose("offload", value, [away](Layout& c) { c.offload = {away}; });
    };
    family(true);
    for (const std::uint64_t layers : doubled(mostLayers))
      one("offload.activations", fmt::format(" = {}", layers), &Offload::layers, layers);
    family(true);
    for (const double share : {0.25, 0.5, 1.0})
      one("offload.optimizer", fmt::format(" = {:.2f}", share), &Offload::optimizer, share);
    family(true);
    for (const bool parameters : {false, true}) {
      const bool legal = l.shard.stage() >= (parameters ? 3 : 2);
      if (!legal && !shardsMore())
        continue;
      if (!legal) // the change is legal only together with sharded state
        families.push_back({{}, false, true});
      block(
          fmt::format(" {{ optimizer = 1.0, {} = true }}", parameters ? "parameters" : "gradients"),
          {0, 1, true, parameters});
    }
  }

  const Plan& plan;
  const Layout& l;
  std::uint64_t mostLayers = 1; ///< number of layers of the largest chunk
  std::vector<ChangeFamily> families;
};
} // namespace

PlanChange dpl::microBatchOf(const Plan& plan, std::uint64_t size) {
  const char* unit = suffixOf(plan.layout.batchUnit);
  return {"micro_batch", fmt::format("`micro_batch = {}{}`", size, unit),
          [size](Plan& p) { p.layout.microBatch = size; }};
}

std::vector<PlanChange> dpl::lighterOffloads(const Plan& plan) {
  std::vector<PlanChange> out;
  const Offload now = plan.layout.offloadSettings();
  const auto propose = [&](const Offload& offload) {
    std::string fields;
    const auto add = [&](const std::string& field) {
      fields += (fields.empty() ? "" : ", ") + field;
    };
    if (offload.layers > 0)
      add(fmt::format("activations = {}", offload.layers));
    if (offload.optimizer > 0)
      add(fmt::format("optimizer = {:.2f}", offload.optimizer));
    if (offload.parameters)
      add("parameters = true");
    else if (offload.gradients)
      add("gradients = true");
    out.push_back(
        {"offload",
         offload == Offload() ? "no `offload`" : fmt::format("`offload {{ {} }}`", fields),
         [offload](Plan& p) {
           p.layout.offload.clear();
           if (!(offload == Offload()))
             p.layout.offload = {offload};
         }});
  };
  if (now.parameters)
    propose({now.layers, now.optimizer, true, false});
  for (const double share : {1.0, 0.75, 0.5, 0.25})
    if (share < now.optimizer || (share == now.optimizer && now.gradients))
      propose({now.layers, share, false, false});
  for (std::uint64_t layers = now.layers / 2; layers > 0; layers /= 2)
    propose({layers, now.optimizer, now.gradients, now.parameters});
  if (now.layers > 0 && now.optimizer > 0) {
    propose({now.layers, 0, false, false});
    propose({0, now.optimizer, now.gradients, now.parameters});
  }
  if (!plan.layout.offload.empty())
    propose({});
  return out;
}

bool dpl::meet(const PlanChange& a, const PlanChange& b) {
  const auto inside = [](llvm::StringRef field, llvm::StringRef block) {
    return field.consume_front(block) && (field.empty() || field.front() == '.');
  };
  return inside(a.field, b.field) || inside(b.field, a.field);
}

std::vector<ChangeFamily> dpl::planChanges(const Plan& plan) {
  return PlanChangeBuilder(plan).all();
}
