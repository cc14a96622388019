//===- LowerMesh.cpp - Lowers the mesh, and what `mesh = auto` may vary -----------------------===//
#include "frontend/sema/Lowering.h"

using namespace dpl;
using namespace dpl::sema;

namespace {
ir::AxisRequest request(Lowering& to, const AxisField& written, ir::Axis axis) {
  ir::AxisRequest r;
  r.axis = axis;
  r.rest = written.rest;
  r.size = to.bounded(written.size, mostDevices, ir::name(axis), written.range);
  r.hasWithin = !written.within.empty() && ir::valueNamed(written.within, r.within);
  r.hasAcross = !written.across.empty() && ir::valueNamed(written.across, r.across);
  r.range = written.range;
  return r;
}

/// Finds the fields that a search may vary. If the file sets slots for embedding and head, it also
/// determines the split, because slots need an even split. Models that are lists of layers are
/// never recomputed.
ir::OpenFields openFields(const Lowering& to, const ObjectFields& fields) {
  ir::OpenFields out;
  out.split =
      fields.isOpen("split") && fields.isOpen("embedding_slots") && fields.isOpen("head_slots");
  out.recompute = fields.isOpen("recompute") && !to.plan.model.isLayerList();
  const ObjectFields shard = fields.object("shard");
  out.stage = shard.isOpen("optimizer") && shard.isOpen("gradients") && shard.isOpen("parameters");
  return out;
}
} // namespace

void sema::lowerMesh(Lowering& to, const ObjectFields& fields) {
  ir::MeshRequest& out = to.plan.layout.mesh;
  out.automatic = fields.isAuto("mesh");
  out.range = fields.range("mesh");
  if (out.automatic) {
    out.open = openFields(to, fields);
    return;
  }
  const ObjectFields mesh = fields.object("mesh");
  for (const AxisField& written : mesh.axes()) {
    ir::Axis axis{};
    if (!ir::valueNamed(written.name, axis))
      continue; // `experts` is a nested mesh, not an axis
    out.axes.push_back(request(to, written, axis));
    to.locate("mesh." + written.name.str(), mesh, written.name);
  }
  out.hasExperts = mesh.has("experts");
  if (!out.hasExperts)
    return;
  to.locate("mesh.experts", mesh, "experts");
  const ObjectFields experts = mesh.object("experts");
  for (const AxisField& written : experts.axes()) {
    const ir::Axis axis = written.name == "data"     ? ir::Axis::ExpertData
                          : written.name == "expert" ? ir::Axis::Expert
                                                     : ir::Axis::ExpertTensor;
    out.experts.push_back(request(to, written, axis));
    out.experts.back().given = experts.isSet(written.name);
    to.locate("mesh.experts." + written.name.str(), experts, written.name);
  }
}
