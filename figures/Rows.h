#pragma once
//===- Rows.h - The rows of Results.def with what makes them ----------------------------------===//
#include "cost/compute/Routing.h"
#include "cost/run/Checkpoints.h"
#include "figures/FigureContext.h"

namespace dpl::figures {

struct FigureDefinition {
  const char* path;
  Dimension dimension;
  const char* note;
  Traced (*make)(const FigureContext& f);
  bool detail; ///< of operators: only listed, and read by other rows, where those are asked for
};
/// In the order of the table.
llvm::ArrayRef<FigureDefinition> rows();

// What does not fit on a line of the table.
Traced nodeTypeDevices(const FigureContext& f);
Traced devicePeak(const FigureContext& f);
/// Of the classes that hold the pipeline rank that sets the step the one whose memory is slowest.
std::uint64_t slowestMemory(const FigureContext& f);
Traced microBatches(const FigureContext& f);
Traced axisSize(const FigureContext& f);
Traced expertAxisSize(const FigureContext& f);
Traced stageSum(const FigureContext& f, const char* column, double value);
Traced moduleFigure(const FigureContext& f, double (*value)(const cost::ChunkModule&));
/// Its time, which follows from what the device sustains. `column` is that of the figure.
Traced moduleTime(const FigureContext& f, const char* column,
                  double (*value)(const cost::ChunkModule&));
/// The launch-bound time of a part; `columns` names the forward and backward times that contain it.
Traced moduleLaunchBound(const FigureContext& f, std::initializer_list<const char*> columns,
                         double (*value)(const cost::ChunkModule&));
Traced stageLaunchBound(const FigureContext& f, const char* column);
Traced stageExposed(const FigureContext& f);
Traced stageWaits(const FigureContext& f, std::uint64_t cost::ActionWaits::*pass);

/// Of the pipeline rank that sets the step: compressed gradients, and reductions of whole ones.
Traced coding(const FigureContext& f);
Traced offload(const FigureContext& f);
Traced compressedRatio(const FigureContext& f);
Traced compressedTime(const FigureContext& f, bool sent);
/// Offloaded bytes of one device, as a whole or of one kind of tensor, and of the fullest node.
Traced offloadedBytes(const FigureContext& f, std::uint64_t cost::OffloadedBytes::*kind);
Traced allOffloaded(const FigureContext& f);
Traced ofFullestNode(const FigureContext& f, const char* kind);
Traced onHost(const FigureContext& f);
Traced hostUsable(const FigureContext& f);
double compressionBytes(const FigureContext& f);
double receivedBytes(const FigureContext& f);

Traced linkCount(const FigureContext& f);
Traced linkDevices(const FigureContext& f);
Traced linkTaper(const FigureContext& f);
Traced linkBandwidth(const FigureContext& f);
Traced loadRanks(const FigureContext& f);
Traced loadGroups(const FigureContext& f);
/// What a rank has of the links while every group of its kind sends.
Traced loadShare(const FigureContext& f);
Traced railsOfGroup(const FigureContext& f);
std::string operatorPath(const cost::ModuleOperators& module, std::size_t i);
/// Of the kernels of a part, of the host that launches them; `column` is forward, backward or
/// recompute.
Traced kernelTime(const FigureContext& f, const char* column);
Traced launches(const FigureContext& f, const char* column);
Traced hostTime(const FigureContext& f, const char* column);
/// Whether all backward passes of the schedule are of one half, the input's gradient or the
/// weights'.
bool splitsBackward(const FigureContext& f);
/// One of the rows above of such a half.
Traced halfOf(const FigureContext& f, Traced (*row)(const FigureContext&, const char*),
              const char* column);
/// Bandwidth that the memory of a device sustains; `device` is its path.
Traced memoryRate(const FigureContext& f, const std::string& device);
Traced operatorDimension(const FigureContext& f, double cost::OperatorCost::*dimension);
Traced operatorEfficiency(const FigureContext& f);
Traced operatorRate(const FigureContext& f);
/// Bytes that an operator keeps, a part beside its operators, and all of them.
Traced operatorSaved(const FigureContext& f);
Traced streamSaved(const FigureContext& f);
Traced moduleSaved(const FigureContext& f);
Traced directionFlop(const FigureContext& f);
Traced directionBytes(const FigureContext& f);
Traced directionKernels(const FigureContext& f);
Traced directionCompute(const FigureContext& f);
Traced directionMemory(const FigureContext& f);
Traced directionTime(const FigureContext& f);
/// What a field of the device of the instance's class says.
Traced deviceFact(const FigureContext& f, double value, const char* column, bool assumed);
Traced declaredPeak(const FigureContext& f);

Traced optimizerElement(const FigureContext& f);
Traced residual(const FigureContext& f);
Traced messages(const FigureContext& f);
Traced elements(const FigureContext& f, bool experts);
/// Elements × bytes of one, sharded over the data-parallel devices where that is so.
Traced weightVersions(const FigureContext& f);
Traced parameters(const FigureContext& f);
Traced state(const FigureContext& f, const char* element, std::uint64_t bytes, unsigned shardStage);
/// Whether a plan has buffers of the size of its residual stream.
bool hasMessages(const FigureContext& f);
Traced gatheredInputs(const FigureContext& f);
Traced persistentBuffers(const FigureContext& f);
Traced gradients(const FigureContext& f);
Traced update(const FigureContext& f);
Traced rankPeak(const FigureContext& f);
Traced segments(const FigureContext& f);
Traced memorySegments(const FigureContext& f);
Traced communicators(const FigureContext& f);
Traced pairs(const FigureContext& f);
Traced freeBlocks(const FigureContext& f);
/// Of a pipeline rank, without the free blocks of an allocator.
Traced reservedOf(const FigureContext& f, const ir::RankMemory& rank);
/// A fact of the device that holds a rank and has the least left.
Traced ofTightestDevice(const FigureContext& f, const ir::RankMemory& rank, double value,
                        const char* column);
Traced reserved(const FigureContext& f);
Traced persistentBytes(const FigureContext& f);
Traced activations(const FigureContext& f);
Traced wholeGradients(const FigureContext& f);
Traced restored(const FigureContext& f);
Traced temporaryPeak(const FigureContext& f);
Traced temporary(const FigureContext& f);
Traced memoryPeak(const FigureContext& f);

/// Sums over the chunks of a pipeline rank and their micro-batches.
Traced timeOfActions(const FigureContext& f, std::uint64_t rank,
                     std::initializer_list<const char*> columns);
/// The same for the rank that sets the step, without its launch-bound time.
Traced kernelsOfActions(const FigureContext& f, std::initializer_list<const char*> columns,
                        const char* launchBound);
/// Of the devices of a class that hold a pipeline rank, where their power is known.
std::string rankDevicesPath(const cost::RankDevices& of);
Traced rankDeviceCount(const FigureContext& f);
Traced rankDevicesBusy(const FigureContext& f);
Traced rankDevicesEnergy(const FigureContext& f);
/// Of all devices of a class, of all that run.
Traced nodeTypeEnergy(const FigureContext& f);
Traced devicesEnergy(const FigureContext& f);
Traced trafficEach(const FigureContext& f);
Traced trafficTime(const FigureContext& f);
Traced trafficExposed(const FigureContext& f);
Traced trafficLevel(const FigureContext& f);
Traced trafficSent(const FigureContext& f);
/// ", on pipeline rank 3" of what the rank that sets the step does not send.
std::string ofOtherRank(const FigureContext& f);
Traced exposedOfAxis(const FigureContext& f);
Traced exposed(const FigureContext& f);
Traced exposedTogether(const FigureContext& f);
Traced bubble(const FigureContext& f);
Traced equalStagesBubble(const FigureContext& f);
Traced sentOverLevel(const FigureContext& f);
Traced optimizerTime(const FigureContext& f);
Traced stepTime(const FigureContext& f);
Traced flopOf(const FigureContext& f, bool again);
/// "tokens_per_step"; "samples_per_step" for a layer list.
const char* perStep(const FigureContext& f);
/// Forward FLOP per token: all, the part for masked scores, and the FLOP that MFU and HFU count.
Traced modelFlop(const FigureContext& f);
Traced maskedFlop(const FigureContext& f);
Traced countedFlop(const FigureContext& f);
/// A note on the counted scores: ", causal attention counted in full" or ", masked scores of causal
/// attention left out"; empty for a layer list.
std::string attentionCounted(const FigureContext& f);

Traced devicePrice(const FigureContext& f);
/// What the cluster says; where classes differ the mean of all that run; the one of both that holds
/// of a device of any class.
Traced clusterPrice(const FigureContext& f);
Traced meanPrice(const FigureContext& f);
Traced priceOfAny(const FigureContext& f);
Traced devicePowerIdle(const FigureContext& f);
/// Of all devices that run, from a column of their classes.
Traced overNodeTypes(const FigureContext& f, const char* column);
/// Of those that the layout leaves out; `each` is that of one where all are of one class.
Traced ofIdle(const FigureContext& f, std::optional<double> total, const Traced& each);
Traced costOfStep(const FigureContext& f);

// What the samples of a step take to be there.
Traced loadingTime(const FigureContext& f);
Traced loadingWorkers(const FigureContext& f);
Traced loadingBytes(const FigureContext& f);
Traced loadingStorage(const FigureContext& f);
Traced loadingPrepared(const FigureContext& f);
Traced loadingRead(const FigureContext& f);
Traced loadingStep(const FigureContext& f);
Traced loadingWait(const FigureContext& f);
/// Of the cluster's jitter: the shape where it is Pareto's, else the coefficient of variation.
Traced jitterSpread(const FigureContext& f, bool shape);
Traced amplification(const FigureContext& f);
/// Time by which jitter of computation lengthens the mean step. Communication is not stretched.
Traced jitterTime(const FigureContext& f);
/// Of the first layers whose tokens choose experts by chance.
Traced routedLoad(const FigureContext& f, double cost::RoutedLoads::*of);
Traced rebalancedLoad(const FigureContext& f, double cost::RebalancedLoads::*of);
Traced clusterPorts(const FigureContext& f);
Traced failureRate(const FigureContext& f, double each);
const ir::FailureDetails& failureDetails(const FigureContext& f);
Traced clusterLeaves(const FigureContext& f);
Traced slowedShare(const FigureContext& f);
/// Of the instance's run, where its checkpoints have tiers and all is known; else none.
std::vector<cost::CheckpointTier> runTiers(const FigureContext& f);
Traced runRestart(const FigureContext& f);
Traced runAvailable(const FigureContext& f);
Traced allFailures(const FigureContext& f);
/// From storage, with reading the checkpoint.
Traced restartTime(const FigureContext& f, bool fromStorage);
Traced youngInterval(const FigureContext& f);
Traced dalyInterval(const FigureContext& f);
Traced bestInterval(const FigureContext& f);
Traced runSteps(const FigureContext& f);
Traced runWork(const FigureContext& f);
Traced runInterval(const FigureContext& f);
Traced runBlocked(const FigureContext& f);
Traced runStaged(const FigureContext& f);
Traced runBestInterval(const FigureContext& f);
Traced runGoodput(const FigureContext& f);

} // namespace dpl::figures
