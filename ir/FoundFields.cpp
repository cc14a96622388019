//===- FoundFields.cpp - Open fields that `mesh = auto` found, as a file sets them ------------===//
#include "ir/FoundFields.h"
#include "ir/BatchUnit.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

std::string dpl::ir::recomputeSetting(const Recompute& recompute) {
  if (recompute.kind != RecomputeKind::Selective)
    return name(recompute.kind);
  std::string modules;
  for (const Module m : recompute.modules)
    modules += fmt::format("{}{}", modules.empty() ? "" : ", ", name(m));
  return fmt::format("selective {{ modules = [{}] }}", modules);
}

std::vector<std::string> dpl::ir::foundFields(const Layout& l) {
  const OpenFields& open = l.mesh.open;
  std::vector<std::string> lines;
  if (!l.microBatchGiven)
    lines.push_back(fmt::format("micro_batch = {}{}", l.microBatch, suffixOf(l.batchUnit)));
  if (open.split && l.split != SplitKind::Even)
    lines.push_back(fmt::format("split = {}", name(l.split)));
  if (open.recompute && l.recompute.kind != RecomputeKind::None)
    lines.push_back(fmt::format("recompute = {}", recomputeSetting(l.recompute)));
  std::string shard;
  const auto add = [&](const char* field, ShardAxis axis) {
    if (axis != ShardAxis::None)
      shard += fmt::format("{}shard.{} = {}", shard.empty() ? "" : ", ", field, name(axis));
  };
  if (open.stage) {
    add("optimizer", l.shard.optimizer), add("gradients", l.shard.gradients);
    add("parameters", l.shard.parameters);
  }
  if (!shard.empty())
    lines.push_back(shard);
  if (!l.shard.sequenceGiven && l.shard.sequence != ShardAxis::None)
    lines.push_back(fmt::format("shard.sequence = {}", name(l.shard.sequence)));
  return lines;
}

VariedFields dpl::ir::variedFields(const Layout& l) {
  const OpenFields& open = l.mesh.open;
  VariedFields out;
  const auto add = [&](bool varied, const char* field) {
    (varied ? out.varied : out.kept).push_back(field);
  };
  out.varied.push_back("degrees");
  add(!l.microBatchGiven, "micro_batch");
  add(!l.shard.sequenceGiven, "shard.sequence");
  add(open.split, "split");
  add(open.recompute, "recompute");
  add(open.stage, "ZeRO stage");
  add(l.scheduleAutomatic, "schedule");
  return out;
}
