#pragma once
//===- Rows.h - The rows of Results.def with their functions ----------------------------------===//
#include "cost/compute/Routing.h"
#include "figures/ErrorModel.h"
#include "figures/FigureContext.h"

namespace dpl::figures {

struct FigureDefinition {
  const char* path;
  Dimension dimension;
  const char* note;
  Traced (*make)(const FigureContext& f);
  bool detail; ///< whether the row is about operators, which are listed and read by other rows only
               ///< on request
};
/// All rows in table order.
llvm::ArrayRef<FigureDefinition> rows();

// Functions of rows that take only the context.
#define FIGURE_BY(PATH, DIMENSION, NOTE, FUNCTION) Traced FUNCTION(const FigureContext& f);
#define DETAIL_BY FIGURE_BY
#include "ir/Results.def"

// Stages and modules. `column` names a figure of the instance.
Traced stageSum(const FigureContext& f, const char* column, double value);
Traced moduleFigure(const FigureContext& f, double (*value)(const cost::ChunkModule&));
/// The time of a module, which depends on the device's sustained rates.
Traced moduleTime(const FigureContext& f, const char* column,
                  double (*value)(const cost::ChunkModule&));
/// The launch-bound time of a module. `columns` are the forward and backward times that include it.
Traced moduleLaunchBound(const FigureContext& f, std::initializer_list<const char*> columns,
                         double (*value)(const cost::ChunkModule&));
Traced stageLaunchBound(const FigureContext& f, const char* column);
Traced stageWaits(const FigureContext& f, std::uint64_t cost::ActionWaits::*pass);

// Operators. `column` is forward, backward or recompute.
std::string operatorPath(const cost::ModuleOperators& module, std::size_t i);
Traced kernelTime(const FigureContext& f, const char* column);
Traced launches(const FigureContext& f, const char* column);
Traced hostTime(const FigureContext& f, const char* column);
/// Whether backward passes of the schedule are always split into input and weight gradient.
bool splitsBackward(const FigureContext& f);
/// Evaluates a row of operators for the input-gradient or weight-gradient half of backward passes.
Traced halfOf(const FigureContext& f, Traced (*row)(const FigureContext&, const char*),
              const char* column);
Traced operatorDimension(const FigureContext& f, double cost::OperatorCost::*dimension);

// Devices.
/// The value of a field of the device that the instance is about.
Traced deviceFact(const FigureContext& f, double value, const char* column, bool assumed);
/// The sustained memory bandwidth of a device; `device` is the prefix of its paths.
Traced memoryRate(const FigureContext& f, const std::string& device);
/// The node type with the slowest memory among those of the pipeline rank that sets the step.
std::uint64_t slowestMemory(const FigureContext& f);
std::string rankDevicesPath(const cost::RankDevices& of);

// Memory.
Traced momentElement(const FigureContext& f);
/// Elements of low-rank adapters of the model; 0 without adapters.
double adapterParameters(const FigureContext& f);
/// The share of the positions of a batch that hold no token of a document.
double paddedShare(const FigureContext& f);
/// A sum over the chunks of the rank; absent if all weights are trained.
Traced usedCount(const FigureContext& f, double cost::UsedParameters::*part);
Traced checkpointBytes(const FigureContext& f);
Traced elements(const FigureContext& f, bool experts);
/// Bytes of state: elements × bytes per element, divided over data-parallel devices if sharded.
Traced state(const FigureContext& f, const char* element, std::uint64_t bytes, unsigned shardStage);
/// Whether a plan has message buffers of the size of its residual stream.
bool hasMessages(const FigureContext& f);
/// Reserved bytes of a pipeline rank, without the free blocks of the allocator.
Traced reservedOf(const FigureContext& f, const ir::RankMemory& rank);
/// A value of the device that has the least headroom among those of a rank.
Traced ofTightestDevice(const FigureContext& f, const ir::RankMemory& rank, double value,
                        const char* column);
double compressionBytes(const FigureContext& f);
double receivedBytes(const FigureContext& f);
Traced offloadedBytes(const FigureContext& f, std::uint64_t cost::OffloadedBytes::*kind);
Traced ofFullestNode(const FigureContext& f, const char* kind);

// Time of a step.
/// The sum of the columns over the chunks of a pipeline rank and their micro-batches.
Traced timeOfActions(const FigureContext& f, std::uint64_t rank,
                     std::initializer_list<const char*> columns);
/// The same sum without the launch-bound time of the rank.
Traced kernelsOfActions(const FigureContext& f, std::uint64_t rank,
                        std::initializer_list<const char*> columns, const char* launchBound);
/// The kernel time of forward and backward passes, as the mean over pipeline ranks.
Traced meanKernels(const FigureContext& f);
Traced compressedTime(const FigureContext& f, bool sent);
/// The text ", on pipeline rank 3" if the collectives are of another rank than the one that sets
/// the step.
std::string ofOtherRank(const FigureContext& f);
Traced bubble(const FigureContext& f);
/// The spread of the cluster's jitter: the shape for Pareto, otherwise the coefficient of
/// variation.
Traced jitterSpread(const FigureContext& f, bool shape);
/// A load of the first layer type with random routing.
Traced routedLoad(const FigureContext& f, double cost::RoutedLoads::*of);
Traced rebalancedLoad(const FigureContext& f, double cost::RebalancedLoads::*of);

// Intervals.
/// The contribution of a source with a property to the error of a quantity; none if it is 0.
Traced errorPart(ErrorQuantity of, ErrorSource source, double share);
Traced stepErrorPart(const FigureContext& f, ErrorSource source);
Traced lowerEnd(const Traced& value, const Traced& error, ErrorQuantity of);
Traced upperEnd(const Traced& value, const Traced& error, ErrorQuantity of);
/// Half of the interval of a figure with this error, divided by the figure.
Traced halfWidth(const Traced& error, ErrorQuantity of);
/// The ends of the interval of a value that is proportional to the step time.
Traced lowerByStep(const FigureContext& f, const Traced& value);
Traced upperByStep(const FigureContext& f, const Traced& value);
/// The same for a value that is inversely proportional to it.
Traced lowerRate(const FigureContext& f, const Traced& value);
Traced upperRate(const FigureContext& f, const Traced& value);

// Rates.
Traced flopOf(const FigureContext& f, bool again);
/// The figure of the batch: "tokens_per_step"; "samples_per_step" for a layer list.
const char* perStep(const FigureContext& f);
Traced countedFlop(const FigureContext& f);
/// A note on which attention scores are counted: ", causal attention counted in full" or ", masked
/// scores of causal attention left out"; empty for a layer list.
std::string attentionCounted(const FigureContext& f);

// Money.
/// The price of a device if all node types have the same one; otherwise the mean price.
Traced priceOfAny(const FigureContext& f);
/// The sum of a column of node types over all devices that run.
Traced overNodeTypes(const FigureContext& f, const char* column);
/// The sum over devices that the layout does not use; `each` is the value per device if all are
/// equal.
Traced ofIdle(const FigureContext& f, std::optional<double> total, const Traced& each);

// Failures.
Traced failureRate(const FigureContext& f, double each);
const ir::FailureDetails& failureDetails(const FigureContext& f);
/// The time of a restart. `fromStorage`: it includes the time to read the checkpoint.
Traced restartTime(const FigureContext& f, bool fromStorage);

} // namespace dpl::figures
