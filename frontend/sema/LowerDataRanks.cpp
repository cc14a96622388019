//===- LowerDataRanks.cpp - Lowers synchronization of data ranks and compression --------------===//
#include "frontend/sema/Lowering.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr std::uint64_t mostWorkerSteps = 1'000'000;

void dataRanks(Lowering& to, const ObjectFields& fields) {
  ir::DataRanks out;
  const bool chosen = fields.isSet("synchronization");
  if (chosen)
    out.synchronization = choice(fields, "synchronization", ir::SynchronizationKind::Barrier);
  const ObjectFields mode = chosen ? fields.object("synchronization") : ObjectFields();
  const auto bound = [&](const char* field) {
    out.bound = to.bounded(mode.count(field), mostWorkerSteps, field, mode.range(field));
  };
  if (out.synchronization == ir::SynchronizationKind::Local)
    bound("period");
  if (out.synchronization == ir::SynchronizationKind::Hierarchical) {
    bound("period");
    out.inner = to.bounded(mode.count("inner_period"), mostWorkerSteps, "inner_period",
                           mode.range("inner_period"));
    out.among = choice(mode, "inner_level", ir::Level::Node);
  }
  if (out.synchronization == ir::SynchronizationKind::Backup)
    bound("workers");
  if (out.synchronization == ir::SynchronizationKind::Bounded)
    bound("staleness"), out.late = choice(mode, "late", ir::LateGradients::Wait);
  if (fields.isSet("batch_balancing"))
    out.loadBalancing = choice(fields, "batch_balancing", ir::LoadBalancingKind::Equal);
  if (fields.isSet("throttling"))
    out.throttling = choice(fields, "throttling", ir::ThrottlingKind::None);
  if (out.throttling != ir::ThrottlingKind::None) {
    const ObjectFields paced = fields.object("throttling");
    const char* field = out.throttling == ir::ThrottlingKind::Fixed ? "delay" : "step_size";
    out.delay = paced.picoseconds(field);
    // A fixed delay may be 0, as one value of a study. Feedback needs a step size above 0.
    if (out.throttling == ir::ThrottlingKind::Feedback && out.delay == 0 && !paced.failed()) {
      to.failed = true;
      to.diags.report<diag::OutsideRange>(paced.range(field), field, "above 0s", "0s");
    }
  }
  if (fields.has("parameter_servers")) {
    const ObjectFields from = fields.object("parameter_servers");
    out.servers = {{from.count("count"), from.count("slices"), from.flag("full_duplex"),
                    from.has("busiest_share") ? from.real("busiest_share") : 0,
                    from.real("density")}};
  }
  for (const char* field :
       {"synchronization", "batch_balancing", "throttling", "parameter_servers"})
    if (fields.isSet(field))
      to.locate(field, fields, field);
  if (out.synchronization != ir::SynchronizationKind::Barrier ||
      out.loadBalancing != ir::LoadBalancingKind::Equal ||
      out.throttling != ir::ThrottlingKind::None || !out.servers.empty())
    to.plan.layout.dataRanks = {out};
}

void compression(Lowering& to, const ObjectFields& fields) {
  using ir::CompressionKind;
  // Compression to the sign sends one bit per value.
  const bool sign = fields.isSet("compression") && fields.choice("compression") == "sign";
  const auto kind = sign ? CompressionKind::Quantised
                    : fields.isSet("compression")
                        ? choice(fields, "compression", CompressionKind::None)
                        : CompressionKind::None;
  if (kind == CompressionKind::None)
    return;
  const ObjectFields chosen = fields.object("compression");
  ir::Compression out;
  out.kind = kind;
  out.feedback = sign || chosen.flag("error_feedback");
  if (chosen.has("throughput")) {
    out.coding = chosen.bitsPerSecond("throughput");
    if (out.coding == 0 && !chosen.failed()) {
      to.failed = true;
      to.diags.report<diag::OutsideRange>(chosen.range("throughput"), "throughput", "above 0bps",
                                          "0bps");
    }
  }
  const auto count = [&](const char* field) {
    return to.bounded(chosen.count(field), mostElements, field, chosen.range(field));
  };
  if (kind == CompressionKind::TopK)
    out.density = chosen.real("density");
  if (kind == CompressionKind::Quantised)
    out.bits = sign ? 1 : count("bits"), out.block = count("block");
  if (kind == CompressionKind::LowRank)
    out.rank = count("rank");
  to.plan.layout.compression = {out};
}
} // namespace

void sema::lowerDataRanks(Lowering& to, const ObjectFields& layout) {
  dataRanks(to, layout);
  compression(to, layout);
}
