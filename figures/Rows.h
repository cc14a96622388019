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
  bool detail; ///< for operators: listed and read by other rows only on request
};
/// In table order.
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
/// The launch-bound time of a module; `columns` names the forward and backward times that include
/// it.
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
/// Evaluates one of the rows above for one of these halves.
Traced halfOf(const FigureContext& f, Traced (*row)(const FigureContext&, const char*),
              const char* column);
Traced operatorDimension(const FigureContext& f, double cost::OperatorCost::*dimension);

// Devices.
/// The value of a field of the instance's device.
Traced deviceFact(const FigureContext& f, double value, const char* column, bool assumed);
/// Sustained memory bandwidth of a device; `device` is its path.
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
/// Elements × bytes per element, divided over data-parallel devices if sharded.
Traced state(const FigureContext& f, const char* element, std::uint64_t bytes, unsigned shardStage);
/// Whether a plan has buffers of the size of its residual stream.
bool hasMessages(const FigureContext& f);
/// Reserved bytes of a pipeline rank, without the free blocks of the allocator.
Traced reservedOf(const FigureContext& f, const ir::RankMemory& rank);
/// A value of the device with the least headroom for a rank.
Traced ofTightestDevice(const FigureContext& f, const ir::RankMemory& rank, double value,
                        const char* column);
double compressionBytes(const FigureContext& f);
double receivedBytes(const FigureContext& f);
Traced offloadedBytes(const FigureContext& f, std::uint64_t cost::OffloadedBytes::*kind);
Traced ofFullestNode(const FigureContext& f, const char* kind);

// Time of a step.
/// Sums over the chunks of a pipeline rank and their micro-batches.
Traced timeOfActions(const FigureContext& f, std::uint64_t rank,
                     std::initializer_list<const char*> columns);
/// The same without the launch-bound time of the rank.
Traced kernelsOfActions(const FigureContext& f, std::uint64_t rank,
                        std::initializer_list<const char*> columns, const char* launchBound);
/// Kernel time of forward and backward passes, mean over pipeline ranks.
Traced meanKernels(const FigureContext& f);
Traced compressedTime(const FigureContext& f, bool sent);
/// ", on pipeline rank 3" if the rank that sets the step does not send.
std::string ofOtherRank(const FigureContext& f);
Traced bubble(const FigureContext& f);
/// The cluster's jitter: the shape if it is Pareto, otherwise the coefficient of variation.
Traced jitterSpread(const FigureContext& f, bool shape);
/// Loads of the first layers with random routing.
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
/// "tokens_per_step"; "samples_per_step" for a layer list.
const char* perStep(const FigureContext& f);
Traced countedFlop(const FigureContext& f);
/// Note on counted attention scores: ", causal attention counted in full" or ", masked scores of
/// causal attention left out"; empty for a layer list.
std::string attentionCounted(const FigureContext& f);

// Money.
/// The price of a device, if all node types have the same, otherwise the mean.
Traced priceOfAny(const FigureContext& f);
/// Sum over all devices that run, from a column of their node types.
Traced overNodeTypes(const FigureContext& f, const char* column);
/// Sum over devices that the layout does not use; `each` is the value per device if all are equal.
Traced ofIdle(const FigureContext& f, std::optional<double> total, const Traced& each);

// Failures.
Traced failureRate(const FigureContext& f, double each);
const ir::FailureDetails& failureDetails(const FigureContext& f);
/// `fromStorage`: includes the time to read the checkpoint.
Traced restartTime(const FigureContext& f, bool fromStorage);

} // namespace dpl::figures
