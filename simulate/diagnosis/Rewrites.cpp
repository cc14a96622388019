//===- Rewrites.cpp - The savings of each communication rewrite of a layout -------------------===//
#include "simulate/diagnosis/Rewrites.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "cost/step/StepTimes.h"
#include "cost/step/Traffic.h"
#include "ir/DataRanks.h"
#include "ir/FilledFields.h"
#include "ir/MeshText.h"
#include "ir/SetInFile.h"
#include "passes/Passes.h"
#include "planner/AutoBucket.h"
#include "simulate/diagnosis/Causes.h"
#include "simulate/diagnosis/Hierarchy.h"
#include "support/Text.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
bool dividesLayers(const Plan& p) {
  return p.mesh.size(Axis::Tensor) > 1 && !p.model.isLayerList();
}
bool reducesGradients(const Plan& p) { return sharesState(p) || p.mesh.size(Axis::Replica) > 1; }

constexpr Rewrite all[] = {
    {"sequence_parallel", "all-reduces of tensor ranks into reduce-scatter and all-gather",
     "shard.sequence = tensor", dividesLayers,
     [](const Plan& p) { return p.layout.shard.sequence == ShardAxis::Tensor; },
     [](Layout& l, bool on) {
       l.shard.sequence = on ? ShardAxis::Tensor : ShardAxis::None, l.shard.sequenceGiven = true;
     }},
    {"distributed_optimizer",
     "all-reduce of gradients into reduce-scatter and, of parameters, all-gather",
     "shard.optimizer = data",
     [](const Plan& p) {
       return sharesState(p) && p.layout.shard.stage() <= 1 && p.layout.compression.empty();
     },
     [](const Plan& p) { return p.layout.shard.stage() == 1; },
     [](Layout& l, bool on) { l.shard.optimizer = on ? ShardAxis::Data : ShardAxis::None; }},
    {"tensor_overlap", "collectives of tensor ranks in pieces between the products they feed",
     "overlap.tensor = true", dividesLayers, [](const Plan& p) { return p.layout.overlap.tensor; },
     [](Layout& l, bool on) { l.overlap.tensor = on; }},
    {"gradient_overlap", "reductions hoisted from the end of the step to the layer that gives them",
     "overlap.gradients = true", reducesGradients,
     [](const Plan& p) { return p.layout.overlap.gradients; },
     [](Layout& l, bool on) { l.overlap.gradients = on; }},
    {"parameter_prefetch", "gathers hoisted before the layer ahead of the one that needs them",
     "overlap.parameters = true",
     [](const Plan& p) { return sharesState(p) && p.layout.shard.stage() > 0; },
     [](const Plan& p) { return p.layout.overlap.parameters; },
     [](Layout& l, bool on) { l.overlap.parameters = on; }},
    {"expert_overlap",
     "tokens of experts exchanged during another half batch, or the other pass of a pair",
     "overlap.experts = true", [](const Plan& p) { return p.mesh.size(Axis::Expert) > 1; },
     [](const Plan& p) { return p.layout.overlap.experts; },
     [](Layout& l, bool on) { l.overlap.experts = on; }},
};

std::vector<CollectiveTraffic> sentBy(const Plan& plan, std::uint64_t rank) {
  std::vector<CollectiveTraffic> out;
  for (const cost::Traffic& t : cost::trafficOf(plan, rank))
    out.push_back({cost::pathOf(plan, t), t.count, t.sent});
  return out;
}

/// Computes the step times of layouts that differ from the plan's by one communication rewrite.
class Rewriter {
public:
  explicit Rewriter(const Plan& plan) : now(plan), plan(restated(plan)), accepts(acceptsOf(plan)) {}

  RewriteTable run() {
    RewriteTable table;
    table.step = cost::stepTimes(now).step;
    for (const Rewrite& rewrite : all)
      if (rewrite.applies(now))
        add(table, rewrite);
    hierarchy(table);
    if (reducesGradients(now) && now.layout.shard.stage() <= 1 && now.layout.overlap.gradients)
      buckets(table);
    return table;
  }

private:
  struct Other {
    Plan plan;
    bool fits = true;
  };

  /// The plan after an edit of its layout, as if the file had set `field`, and its memory. None if
  /// it is not legal.
  template <class Edit> std::optional<Other> with(const std::string& field, Edit edit) const {
    Other other{plan};
    edit(other.plan.layout);
    markSetInFile(other.plan, field);
    updateFilledFields(other.plan);
    DiagnosticEngine silent;
    if (runThrough(other.plan, silent, "schedule-pipeline").failed())
      return std::nullopt;
    other.fits = createCheckMemoryPass()->run(other.plan, silent).succeeded();
    return other;
  }

  /// Whether the framework runs the plan with the rewrite. It need not run the plan without the
  /// rewrite.
  bool runs(const Plan& has) const { return !accepts || accepts(has); }

  void add(RewriteTable& table, const Rewrite& rewrite) {
    const bool on = rewrite.on(now);
    const llvm::StringRef field = llvm::StringRef(rewrite.field).split(' ').first;
    const std::optional<Other> other = with(field.str(), [&](Layout& l) { rewrite.apply(l, !on); });
    if (other)
      compare(table, {&rewrite, on, rewrite.field, other->fits}, on ? other->plan : now,
              on ? now : other->plan);
  }

  void compare(RewriteTable& table, Rewritten row, const Plan& without, const Plan& has) const {
    if (!row.on && !runs(has))
      return;
    if (!row.on)
      row.acceptedBy = acceptingTargets(now, has);
    const std::uint64_t rank = cost::stepTimes(now).rank; // compares the same pipeline rank in both
                                                          // plans
    row.without = cost::stepTimes(without).step, row.with = cost::stepTimes(has).step;
    row.before = sentBy(without, rank), row.after = sentBy(has, rank);
    const auto same = [](const CollectiveTraffic& a, const CollectiveTraffic& b) {
      return a.path == b.path && a.count == b.count && a.bytes == b.bytes;
    };
    std::vector<CollectiveTraffic> alike;
    for (const CollectiveTraffic& a : row.before)
      if (llvm::any_of(row.after, [&](const CollectiveTraffic& b) { return same(a, b); }))
        alike.push_back(a);
    for (std::vector<CollectiveTraffic>* side : {&row.before, &row.after})
      llvm::erase_if(*side, [&](const CollectiveTraffic& s) {
        return llvm::any_of(alike, [&](const CollectiveTraffic& a) { return same(a, s); });
      });
    table.rows.push_back(std::move(row));
  }

  /// Compares layouts with and without hierarchical gradient synchronization, which splits data
  /// ranks into those of a domain and replicas.
  void hierarchy(RewriteTable& table) {
    static constexpr Rewrite levels{
        "hybrid_sharding",
        "reductions among all data ranks into those of a domain and of shards between domains",
        "mesh { replica = ",
        nullptr,
        nullptr,
        nullptr};
    const std::optional<Hierarchy> found = hierarchyOf(now);
    if (!found)
      return;
    const std::optional<Other> other =
        with("mesh", [&](Layout& l) { applyHierarchy(l, *found, !found->on); });
    if (!other)
      return;
    const Layout& has = found->on ? plan.layout : other->plan.layout;
    MeshRequest mesh = has.mesh; // lists all axes, because an axis that is left out has size 1
    llvm::erase_if(mesh.axes, [](const AxisRequest& axis) { return axis.size == 1; });
    std::string field = meshText(mesh);
    if (!found->on && now.layout.shard.optimizer != has.shard.optimizer)
      field += ", shard.optimizer = data";
    compare(table, {&levels, found->on, std::move(field), other->fits},
            found->on ? other->plan : now, found->on ? now : other->plan);
  }

  /// Computes the step time for each size of gradient buckets, from a part of a layer to several
  /// layers.
  void buckets(RewriteTable& table) {
    static constexpr Rewrite bucket{"gradient_buckets",
                                    "reductions of layers split and joined to the best size found",
                                    "gradient_bucket_size = ",
                                    nullptr,
                                    nullptr,
                                    nullptr};
    const auto sized = [&](std::uint64_t bytes) {
      return with("gradient_bucket_size", [&](Layout& l) { l.gradientBucket = bytes; });
    };
    const std::optional<Other> layers = sized(0);
    if (!layers)
      return;
    const double own = cost::stepTimes(layers->plan).step;
    table.buckets.push_back({0, own});
    std::optional<Other> best;
    std::uint64_t found = 0;
    double least = own;
    for (const std::uint64_t size : planner::bucketSizes(layers->plan)) {
      std::optional<Other> tried = sized(size);
      if (!tried || !tried->fits || !runs(tried->plan))
        continue;
      const double step = cost::stepTimes(tried->plan).step;
      table.buckets.push_back({size, step});
      if (step < least)
        least = step, found = size, best = std::move(tried);
    }
    if (best)
      compare(table,
              {&bucket, now.layout.gradientBucket == found,
               fmt::format("gradient_bucket_size = {}MiB", found >> 20), true},
              layers->plan, best->plan);
  }

  const Plan& now;
  Plan plan;
  std::function<bool(const Plan&)> accepts; ///< whether the framework runs a plan; empty without a
                                            ///< framework
};

/// The line of the layout that enables a rewrite, or the name of the rewrite if that line is too
/// wide for the table, such as a mesh of many axes.
std::string inTable(const Rewritten& row) {
  constexpr std::size_t widest = 32;
  return row.field.size() <= widest ? row.field : row.rewrite->key;
}

std::string lineOf(const CollectiveTraffic& s) {
  return fmt::format("{} x {}, {}", report::count(s.count), s.path, report::traffic(s.bytes));
}
} // namespace

llvm::ArrayRef<Rewrite> diagnosis::rewrites() { return all; }

RewriteTable diagnosis::rewritesOf(const Plan& plan) { return Rewriter(plan).run(); }

std::string diagnosis::rewritesText(const Plan& plan, const RewriteTable& table, unsigned width) {
  std::string text = fmt::format("rewrites of {}, whose step takes {}\n\n", plan.layout.name,
                                 report::duration(table.step));
  report::TextTable rows({"rewrite", "is", "without", "with", "share", "fits"});
  for (const Rewritten& row : table.rows)
    rows.row({inTable(row), row.on ? "on" : "off", report::duration(row.without),
              report::duration(row.with), report::percent(row.share()),
              row.otherFits ? ""
              : row.on      ? "only with it"
                            : "only without it"});
  if (rows.empty())
    return text + "  none applies\n";
  text += rows.render(width);
  for (const Rewritten& row : table.rows) {
    const std::string name =
        inTable(row) == row.field ? row.field : fmt::format("{}, `{}`", inTable(row), row.field);
    const std::string mark = row.acceptedBy
                                 ? fmt::format(" ({})", acceptingTargetsText(*row.acceptedBy))
                                 : std::string();
    text += "\n  " +
            wrapped(fmt::format("{}: {}{}", name, row.rewrite->words, mark), width - 2, 2) + "\n";
    for (const CollectiveTraffic& s : row.before)
      text += fmt::format("    before  {}\n", lineOf(s));
    for (const CollectiveTraffic& s : row.after)
      text += fmt::format("    after   {}\n", lineOf(s));
  }
  if (table.buckets.size() < 2)
    return text;
  report::TextTable sizes({"gradient_bucket_size", "a step takes"});
  for (const BucketStep& bucket : table.buckets)
    sizes.row({bucket.bytes == 0 ? "a layer" : fmt::format("{} MiB", bucket.bytes >> 20),
               report::duration(bucket.step)});
  return text + "\n" + sizes.render(width);
}

Json diagnosis::rewritesJson(const RewriteTable& table) {
  const auto listOf = [](const std::vector<CollectiveTraffic>& sent) {
    Json list = Json::array();
    for (const CollectiveTraffic& s : sent)
      list.push_back({{"collective", s.path}, {"count", s.count}, {"bytes", s.bytes}});
    return list;
  };
  Json rows = Json::array(), buckets = Json::array();
  for (const Rewritten& row : table.rows)
    rows.push_back({{"rewrite", row.rewrite->key},
                    {"field", row.field},
                    {"on", row.on},
                    {"without_seconds", row.without},
                    {"with_seconds", row.with},
                    {"share", row.share()},
                    {"accepted_by", row.acceptedBy ? Json(*row.acceptedBy) : Json()},
                    {"without_fits", !row.on || row.otherFits},
                    {"with_fits", row.on || row.otherFits},
                    {"before", listOf(row.before)},
                    {"after", listOf(row.after)}});
  for (const BucketStep& bucket : table.buckets)
    buckets.push_back({{"bytes", bucket.bytes}, {"step_seconds", bucket.step}});
  return {{"step_seconds", table.step}, {"rewrites", rows}, {"buckets", buckets}};
}
