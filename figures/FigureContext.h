#pragma once
//===- FigureContext.h - The context in which the rows of Results.def are evaluated -----------===//
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

/// The plan, and values that several rows need; each value is computed on first use.
class FigureContext {
public:
  /// `read` returns the figure of a path, creating it if needed; null if the plan has none.
  using FigureReader = std::function<const Figure*(const std::string& path)>;
  FigureContext(const ir::Plan& plan, FieldLocator where, Depth depth, FormulaTrees& expressions,
                FigureReader read);

  const ir::Plan& plan;
  const ir::Model& model;
  const ir::Layout& layout;
  const ir::Cluster& cluster;
  const ir::Device& device; ///< device of the nominal node type
  const Depth depth;
  const bool isLayerList; ///< whether the model is a layer list, which counts samples and not
                          ///< tokens
  /// The instance for which the row is evaluated, from the set in its path.
  const Instance* instance = nullptr;

  /// The figure of a path; empty if the plan has none.
  Traced operator()(const std::string& path) const;
  /// A figure of the same instance, by its column: for "parameters" and the instance
  /// memory.rank[3], it is memory.rank[3].parameters.
  Traced ofInstance(const std::string& column) const {
    return (*this)(instance->prefix + "." + column);
  }

  // The following functions make leaves. `field` is the path of the field with the value; `source`
  // is the origin if the location of the field is unknown.
  Traced declared(double value, const std::string& field, const std::string& source) const;
  Traced declared(double value, const std::string& field) const {
    return declared(value, field, plan.file);
  }
  Traced assumed(double value, const std::string& field, const std::string& source) const;
  /// Whether the location of the field is known.
  bool isSet(const std::string& field) const { return where && !where(field).empty(); }
  static Traced counted(double value) { return Traced::leaf(value, Provenance::Derived); }
  static Traced simulated(double value) { return Traced::leaf(value, Provenance::Simulated); }
  static Traced none() { return {}; }

  const ir::StepResult& times() const;
  cost::Exposure& exposure() const;
  /// A text for notes: ", on pipeline rank 3, which has the most work", or what makes it slow.
  std::string busiestRankNote() const;
  /// The collectives of the pipeline rank that sets the step, and those that only other ranks have.
  const std::vector<cost::Traffic>& traffic() const;
  /// The modules of each chunk.
  const std::vector<std::vector<cost::NamedModule>>& modules() const;
  /// The costs of the chunks of a pipeline rank.
  const std::vector<const ir::ChunkCost*>& costsOf(std::uint64_t rank) const;
  /// The devices of each pipeline rank.
  const std::vector<cost::RankDevices>& rankDevices() const;
  /// Bytes that one device of each pipeline rank keeps in host memory; empty if nothing is
  /// offloaded.
  const std::vector<cost::OffloadedBytes>& offloaded() const;
  /// The costs of chunks for the case that devices of this type ran every pipeline rank.
  const std::vector<ir::ChunkCost>& costsAlone(std::uint64_t nodeType) const;
  /// The operators of each module that has operators.
  const std::vector<cost::ModuleOperators>& operators() const;
  /// The operators of a module by name; null if it has none.
  const cost::ModuleOperators* operatorsOf(const std::string& part) const;
  /// The prefix of the paths of a node type: "device" if the cluster has one type, otherwise
  /// "node_type[1]".
  std::string devicePath(std::uint64_t nodeType) const;
  /// The path of the peak that a node type uses for a data type.
  std::string peakPath(std::uint64_t nodeType, ir::DataType type) const;
  /// The path of the field that declares the device of a node type.
  static std::string deviceField(const ir::NodeType& c);
  /// The prefix of the paths of a stage: "stage[0]", or "stage[0.1]" with several chunks per rank,
  /// as in the report's table.
  std::string stagePath(const ir::ChunkCost& cost) const;
  /// The path of the size of an axis: `mesh.data`, `mesh.experts.data`.
  static std::string axisPath(ir::Axis axis);
  /// Divides a value by the size of an axis, if the size is not 1.
  Traced over(const Traced& value, ir::Axis axis) const;

private:
  FieldLocator where;
  FormulaTrees& expressions;
  FigureReader read;
  /// The step times of a plan whose compiler passes have not all run.
  mutable std::optional<ir::StepResult> stepOnce;
  mutable std::optional<cost::Exposure> exposureOnce;
  mutable std::optional<std::vector<cost::Traffic>> trafficOnce;
  mutable std::optional<std::vector<std::vector<cost::NamedModule>>> modulesOnce;
  mutable std::optional<std::vector<std::vector<const ir::ChunkCost*>>> costsOnce; ///< by rank
  mutable std::optional<std::vector<cost::RankDevices>> rankDevicesOnce;
  mutable std::optional<std::vector<cost::OffloadedBytes>> offloadedOnce;
  mutable std::vector<std::vector<ir::ChunkCost>> aloneOnce; ///< by node type
  mutable std::optional<std::vector<cost::ModuleOperators>> operatorsOnce;
};

} // namespace dpl::figures
