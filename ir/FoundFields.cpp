//===- FoundFields.cpp - Open fields that `mesh = auto` found, as a file sets them ------------===//
#include "ir/FoundFields.h"
#include "ir/BatchUnit.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

std::string dpl::ir::recomputeSetting(const Recompute& recompute) {
  std::string fields;
  const auto add = [&](const std::string& field) {
    fields += (fields.empty() ? "" : ", ") + field;
  };
  if (recompute.kind == RecomputeKind::Selective) {
    std::string modules;
    for (const ModuleKind m : recompute.modules)
      modules += fmt::format("{}{}", modules.empty() ? "" : ", ", name(m));
    add(fmt::format("modules = [{}]", modules));
  }
  if (recompute.kind == RecomputeKind::Full) {
    if (recompute.method != RecomputeMethod::Uniform)
      add(fmt::format("method = {}", name(recompute.method)));
    if (recompute.method != RecomputeMethod::Uniform || recompute.layers != 1)
      add(fmt::format("layers = {}", recompute.layers));
  }
  if (recompute.inAdvance && recompute.kind != RecomputeKind::None)
    add("in_advance = true");
  return fields.empty() ? name(recompute.kind)
                        : fmt::format("{} {{ {} }}", name(recompute.kind), fields);
}

std::vector<FoundField> dpl::ir::foundValues(const Layout& l) {
  const OpenFields& open = l.mesh.open;
  std::vector<FoundField> out;
  if (!l.microBatchGiven)
    out.push_back({"micro_batch", fmt::format("{}{}", l.microBatch, suffixOf(l.batchUnit))});
  if (open.split && l.split != SplitKind::Even)
    out.push_back({"split", name(l.split)});
  if (open.recompute && l.recompute.kind != RecomputeKind::None)
    out.push_back({"recompute", recomputeSetting(l.recompute)});
  const auto add = [&](const char* field, ShardAxis axis) {
    if (axis != ShardAxis::None)
      out.push_back({field, name(axis)});
  };
  if (open.stage) {
    add("shard.optimizer", l.shard.optimizer), add("shard.gradients", l.shard.gradients);
    add("shard.parameters", l.shard.parameters);
  }
  if (!l.shard.sequenceGiven)
    add("shard.sequence", l.shard.sequence);
  return out;
}

std::vector<std::string> dpl::ir::foundFields(const Layout& l) {
  std::vector<std::string> lines;
  bool stage = false; // the last line has ZeRO fields
  for (const FoundField& found : foundValues(l)) {
    const bool further = stage && found.path != "shard.sequence";
    stage = found.path.rfind("shard.", 0) == 0 && found.path != "shard.sequence";
    if (further)
      lines.back() += fmt::format(", {} = {}", found.path, found.value);
    else
      lines.push_back(fmt::format("{} = {}", found.path, found.value));
  }
  return lines;
}

VariedFields dpl::ir::variedFields(const Layout& l) {
  const OpenFields& open = l.mesh.open;
  VariedFields out;
  const auto add = [&](bool varied, const char* field) {
    (varied ? out.varied : out.fixed).push_back(field);
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
