#pragma once
//===- Rows.h - The rows of Results.def with what makes them ----------------------------------===//
#include "cost/compute/Routing.h"
#include "cost/run/Checkpoints.h"
#include "figures/Facts.h"

namespace dpl::figures {

struct Row {
  const char* path;
  Dimension dimension;
  const char* note;
  Traced (*make)(const Facts& f);
  bool detail; ///< of operators: only listed, and read by other rows, where those are asked for
};
/// In the order of the table.
llvm::ArrayRef<Row> rows();

// What does not fit on a line of the table.
Traced classDevices(const Facts& f);
Traced devicePeak(const Facts& f);
/// Of the classes that hold the pipeline rank that sets the step the one whose memory is slowest.
std::uint64_t slowestMemory(const Facts& f);
Traced microBatches(const Facts& f);
Traced axisSize(const Facts& f);
Traced expertAxisSize(const Facts& f);
Traced stageSum(const Facts& f, const char* column, double value);
Traced partOf(const Facts& f, double (*value)(const cost::ChunkPart&));
/// Its time, which follows from what the device sustains. `column` is that of the figure.
Traced partTime(const Facts& f, const char* column, double (*value)(const cost::ChunkPart&));
/// The launch-bound time of a part; `columns` names the forward and backward times that contain it.
Traced partLaunchBound(const Facts& f, std::initializer_list<const char*> columns,
                       double (*value)(const cost::ChunkPart&));
Traced stageLaunchBound(const Facts& f, const char* column);
Traced stageExposed(const Facts& f);
Traced stageWaits(const Facts& f, std::uint64_t cost::PassWaits::*pass);

/// Of the pipeline rank that sets the step: compressed gradients, and reductions of whole ones.
Traced coding(const Facts& f);
Traced offload(const Facts& f);
Traced compressedRatio(const Facts& f);
Traced compressedTime(const Facts& f, bool sent);
/// Offloaded bytes of one device, as a whole or of one kind of tensor, and of the fullest node.
Traced offloadedBytes(const Facts& f, std::uint64_t cost::OffloadedBytes::*kind);
Traced allOffloaded(const Facts& f);
Traced ofFullestNode(const Facts& f, const char* kind);
Traced onHost(const Facts& f);
Traced hostUsable(const Facts& f);
double compressionBytes(const Facts& f);
double receivedBytes(const Facts& f);

Traced linkCount(const Facts& f);
Traced linkDevices(const Facts& f);
Traced linkTaper(const Facts& f);
Traced linkBandwidth(const Facts& f);
Traced loadRanks(const Facts& f);
Traced loadGroups(const Facts& f);
/// What a rank has of the links while every group of its kind sends.
Traced loadShare(const Facts& f);
Traced railsOfGroup(const Facts& f);
std::string operatorPath(const cost::PartOperators& part, std::size_t i);
/// Of the kernels of a part, of the host that launches them; `column` is forward, backward or
/// recompute.
Traced kernelTime(const Facts& f, const char* column);
Traced launches(const Facts& f, const char* column);
Traced hostTime(const Facts& f, const char* column);
/// Whether all backward passes of the schedule are of one half, the input's gradient or the
/// weights'.
bool splitsBackward(const Facts& f);
/// One of the rows above of such a half.
Traced halfOf(const Facts& f, Traced (*row)(const Facts&, const char*), const char* column);
/// Bandwidth that the memory of a device sustains; `device` is its path.
Traced memoryRate(const Facts& f, const std::string& device);
Traced operatorDimension(const Facts& f, double cost::OperatorCost::*dimension);
Traced operatorShape(const Facts& f);
Traced operatorRate(const Facts& f);
/// Bytes that an operator keeps, a part beside its operators, and all of them.
Traced operatorKept(const Facts& f);
Traced streamKept(const Facts& f);
Traced partKept(const Facts& f);
Traced passFlop(const Facts& f);
Traced passBytes(const Facts& f);
Traced passKernels(const Facts& f);
Traced passCompute(const Facts& f);
Traced passMemory(const Facts& f);
Traced passTime(const Facts& f);
/// What a field of the device of the instance's class says.
Traced deviceFact(const Facts& f, double value, const char* column, bool assumed);
Traced declaredPeak(const Facts& f);

Traced optimizerElement(const Facts& f);
Traced residual(const Facts& f);
Traced messages(const Facts& f);
Traced elements(const Facts& f, bool experts);
/// Elements × bytes of one, sharded over the data-parallel devices where that is so.
Traced weightVersions(const Facts& f);
Traced parameters(const Facts& f);
Traced state(const Facts& f, const char* element, std::uint64_t bytes, unsigned shardStage);
/// Whether a plan has buffers of the size of its residual stream.
bool hasMessages(const Facts& f);
Traced gatheredInputs(const Facts& f);
Traced heldForGood(const Facts& f);
Traced gradients(const Facts& f);
Traced update(const Facts& f);
Traced rankPeak(const Facts& f);
Traced segments(const Facts& f);
Traced memorySegments(const Facts& f);
Traced communicators(const Facts& f);
Traced pairs(const Facts& f);
Traced freeBlocks(const Facts& f);
/// Of a pipeline rank, without the free blocks of an allocator.
Traced reservedOf(const Facts& f, const ir::RankMemory& rank);
/// A fact of the device that holds a rank and has the least left.
Traced ofHolder(const Facts& f, const ir::RankMemory& rank, double value, const char* column);
Traced reserved(const Facts& f);
Traced held(const Facts& f);
Traced activations(const Facts& f);
Traced wholeGradients(const Facts& f);
Traced restored(const Facts& f);
Traced working(const Facts& f);
Traced transient(const Facts& f);
Traced memoryPeak(const Facts& f);

/// Sums over the chunks of a pipeline rank and their micro-batches.
Traced timeOfPasses(const Facts& f, std::uint64_t rank, std::initializer_list<const char*> columns);
/// The same for the rank that sets the step, without its launch-bound time.
Traced kernelsOfPasses(const Facts& f, std::initializer_list<const char*> columns,
                       const char* launchBound);
/// Of the devices of a class that hold a pipeline rank, where their power is known.
std::string holderPath(const cost::Holder& of);
Traced holderDevices(const Facts& f);
Traced holderBusy(const Facts& f);
Traced holderEnergy(const Facts& f);
/// Of all devices of a class, of all that run.
Traced classEnergy(const Facts& f);
Traced devicesEnergy(const Facts& f);
Traced trafficEach(const Facts& f);
Traced trafficTime(const Facts& f);
Traced trafficExposed(const Facts& f);
Traced trafficLevel(const Facts& f);
Traced trafficSent(const Facts& f);
/// ", on pipeline rank 3" of what the rank that sets the step does not send.
std::string ofOtherRank(const Facts& f);
Traced exposedOfAxis(const Facts& f);
Traced exposed(const Facts& f);
Traced exposedTogether(const Facts& f);
Traced bubble(const Facts& f);
Traced equalStagesBubble(const Facts& f);
Traced sentOverLevel(const Facts& f);
Traced optimizerTime(const Facts& f);
Traced stepTime(const Facts& f);
Traced flopOf(const Facts& f, bool again);
/// "tokens_per_step"; "samples_per_step" for a layer list.
const char* perStep(const Facts& f);
/// Forward FLOP per token: all, the part for masked scores, and the FLOP that MFU and HFU count.
Traced modelFlop(const Facts& f);
Traced maskedFlop(const Facts& f);
Traced countedFlop(const Facts& f);
/// A note on the counted scores: ", causal attention counted in full" or ", masked scores of causal
/// attention left out"; empty for a layer list.
std::string attentionCounted(const Facts& f);

Traced devicePrice(const Facts& f);
/// What the cluster says; where classes differ the mean of all that run; the one of both that holds
/// of a device of any class.
Traced clusterPrice(const Facts& f);
Traced meanPrice(const Facts& f);
Traced priceOfAny(const Facts& f);
Traced devicePowerIdle(const Facts& f);
/// Of all devices that run, from a column of their classes.
Traced overClasses(const Facts& f, const char* column);
/// Of those that the layout leaves out; `each` is that of one where all are of one class.
Traced ofIdle(const Facts& f, std::optional<double> total, const Traced& each);
Traced costOfStep(const Facts& f);

// What the samples of a step take to be there.
Traced loadingTime(const Facts& f);
Traced loadingWorkers(const Facts& f);
Traced loadingBytes(const Facts& f);
Traced loadingStorage(const Facts& f);
Traced loadingPrepared(const Facts& f);
Traced loadingRead(const Facts& f);
Traced loadingStep(const Facts& f);
Traced loadingWait(const Facts& f);
/// Of the cluster's jitter: the shape where it is Pareto's, else the coefficient of variation.
Traced jitterSpread(const Facts& f, bool shape);
Traced amplification(const Facts& f);
/// Time by which jitter of computation lengthens the mean step. Communication is not stretched.
Traced jitterTime(const Facts& f);
/// Of the first layers whose tokens choose experts by chance.
Traced routedLoad(const Facts& f, double cost::RoutedLoads::*of);
Traced rebalancedLoad(const Facts& f, double cost::RebalancedLoads::*of);
Traced clusterPorts(const Facts& f);
Traced failureRate(const Facts& f, double each);
const ir::OtherFailures& otherFailures(const Facts& f);
Traced clusterLeaves(const Facts& f);
Traced slowedShare(const Facts& f);
/// Of the instance's run, where its checkpoints have tiers and all is known; else none.
std::vector<cost::CheckpointTier> runTiers(const Facts& f);
Traced runRestart(const Facts& f);
Traced runAvailable(const Facts& f);
Traced allFailures(const Facts& f);
/// From storage, with reading the checkpoint.
Traced restartTime(const Facts& f, bool fromStorage);
Traced youngInterval(const Facts& f);
Traced dalyInterval(const Facts& f);
Traced bestInterval(const Facts& f);
Traced runSteps(const Facts& f);
Traced runWork(const Facts& f);
Traced runInterval(const Facts& f);
Traced runBlocked(const Facts& f);
Traced runStaged(const Facts& f);
Traced runBestInterval(const Facts& f);
Traced runGoodput(const Facts& f);

} // namespace dpl::figures
