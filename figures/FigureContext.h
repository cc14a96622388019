#pragma once
//===- FigureContext.h - What the rows of Results.def are written in
//---------------------------===//
#include "cost/compute/ChunkEstimate.h"
#include "cost/step/Exposure.h"
#include "cost/step/HostMemory.h"
#include "cost/step/Operators.h"
#include "cost/step/RankDevices.h"
#include "cost/step/StepTimes.h"
#include "figures/Figures.h"
#include "figures/Instances.h"
#include "figures/Traced.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"

namespace dpl::figures {

/// The plan and what several rows need of it, each worked out when first asked for.
class FigureContext {
public:
  /// `read` gives the figure of a path, which it makes; null when the plan has none.
  using FigureReader = std::function<const Figure*(const std::string& path)>;
  FigureContext(const ir::Plan& plan, FieldLocator where, Depth depth, FormulaTrees& expressions,
                FigureReader read);

  const ir::Plan& plan;
  const ir::Model& model;
  const ir::Layout& layout;
  const ir::Cluster& cluster;
  const ir::Device& device; ///< the nominal one
  const Depth depth;
  const bool isLayerList; ///< the model is a layer list: it counts samples, not tokens
  /// What the row is being made for; of the set that its path names.
  const Instance* instance = nullptr;

  /// The figure of a path; does not exist when the plan has none.
  Traced operator()(const std::string& path) const;
  /// The figure of the same instance: "parameters" beside memory.rank[3].peak.
  Traced ofInstance(const std::string& column) const {
    return (*this)(instance->prefix + "." + column);
  }

  // Leaves. `field` is the path of the field that says so; `source` stands in where nobody knows
  // the place.
  Traced declared(double value, const std::string& field, const std::string& source) const;
  Traced declared(double value, const std::string& field) const {
    return declared(value, field, plan.file);
  }
  Traced assumed(double value, const std::string& field, const std::string& source) const;
  /// Whether somebody knows where the field was set.
  bool isSet(const std::string& field) const { return where && !where(field).empty(); }
  static Traced counted(double value) { return Traced::leaf(value, Provenance::Derived); }
  static Traced simulated(double value) { return Traced::leaf(value, Provenance::Simulated); }
  static Traced none() { return {}; }

  const ir::StepResult& times() const;
  cost::Exposure& exposure() const;
  /// ", of pipeline rank 3, which has the most to do"
  std::string busiestRankNote() const;
  /// Of the pipeline rank that sets the step, and what only other ranks send.
  const std::vector<cost::Traffic>& traffic() const;
  /// Of each chunk.
  const std::vector<std::vector<cost::NamedModule>>& modules() const;
  /// Those of the chunks of a pipeline rank.
  const std::vector<const ir::ChunkCost*>& costsOf(std::uint64_t rank) const;
  /// Which devices hold which pipeline rank.
  const std::vector<cost::RankDevices>& rankDevices() const;
  /// Bytes that one device of each pipeline rank keeps in host memory; empty if nothing is
  /// offloaded.
  const std::vector<cost::OffloadedBytes>& offloaded() const;
  /// What chunks would cost if devices of this class alone held every pipeline rank.
  const std::vector<ir::ChunkCost>& costsAlone(std::uint64_t nodeType) const;
  /// Of each part that has some, worked out when first asked for.
  const std::vector<cost::ModuleOperators>& operators() const;
  /// Those of a part by its name; null where it has none.
  const cost::ModuleOperators* operatorsOf(const std::string& part) const;
  /// What the paths of a class of nodes start with: "device" where all are of one, else
  /// "node_type[1]".
  std::string devicePath(std::uint64_t nodeType) const;
  /// The figure of the peak that a class computes a type at.
  std::string peakPath(std::uint64_t nodeType, ir::DataType type) const;
  /// The field that holds the device of a class.
  static std::string deviceField(const ir::NodeType& c);
  /// "stage[0]", with several chunks a rank "stage[0.1]": as the report's table calls it.
  std::string stagePath(const ir::ChunkCost& cost) const;
  /// `mesh.data`, `mesh.experts.data`.
  static std::string axisPath(ir::Axis axis);
  /// Divided by the size of an axis, where it is not one.
  Traced over(const Traced& value, ir::Axis axis) const;

private:
  FieldLocator where;
  FormulaTrees& expressions;
  FigureReader read;
  mutable std::optional<ir::StepResult> stepOnce; ///< of a plan whose passes have not all run
  mutable std::optional<cost::Exposure> exposureOnce;
  mutable std::optional<std::vector<cost::Traffic>> trafficOnce;
  mutable std::optional<std::vector<std::vector<cost::NamedModule>>> modulesOnce;
  mutable std::optional<std::vector<std::vector<const ir::ChunkCost*>>> costsOnce; ///< by rank
  mutable std::optional<std::vector<cost::RankDevices>> rankDevicesOnce;
  mutable std::optional<std::vector<cost::OffloadedBytes>> offloadedOnce;
  mutable std::vector<std::vector<ir::ChunkCost>> aloneOnce; ///< by class of nodes
  mutable std::optional<std::vector<cost::ModuleOperators>> operatorsOnce;
};

} // namespace dpl::figures
