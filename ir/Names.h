#pragma once
//===- Names.h - The spelling of each enumeration of the plan ---------------------------------===//
//
// One spelling serves the printed plan, its reader, messages and JSON. It is that of the language
// if the language has the value: `1f1b`, `core_attention`, `mla`.
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::ir {

/// The spellings of all values of the argument's type, in the order of its enumerators.
llvm::ArrayRef<const char*> namesOf(DataType);
llvm::ArrayRef<const char*> namesOf(Level);
llvm::ArrayRef<const char*> namesOf(LinkKind);
llvm::ArrayRef<const char*> namesOf(CollectiveLibrary);
llvm::ArrayRef<const char*> namesOf(JitterKind);
llvm::ArrayRef<const char*> namesOf(SynchronizationKind);
llvm::ArrayRef<const char*> namesOf(LateGradients);
llvm::ArrayRef<const char*> namesOf(GoalKind);
llvm::ArrayRef<const char*> namesOf(StalenessSource);
llvm::ArrayRef<const char*> namesOf(StalenessWeight);
llvm::ArrayRef<const char*> namesOf(MomentumForm);
llvm::ArrayRef<const char*> namesOf(NumberFormat);
llvm::ArrayRef<const char*> namesOf(SumOrder);
llvm::ArrayRef<const char*> namesOf(LossScaleKind);
llvm::ArrayRef<const char*> namesOf(LoadBalancingKind);
llvm::ArrayRef<const char*> namesOf(ThrottlingKind);
llvm::ArrayRef<const char*> namesOf(CommunicatorRelease);
llvm::ArrayRef<const char*> namesOf(CompressionKind);
llvm::ArrayRef<const char*> namesOf(Axis);
llvm::ArrayRef<const char*> namesOf(AttentionKind);
llvm::ArrayRef<const char*> namesOf(AttentionGate);
llvm::ArrayRef<const char*> namesOf(RecurrenceKind);
llvm::ArrayRef<const char*> namesOf(FeedForwardKind);
llvm::ArrayRef<const char*> namesOf(PopularityKind);
llvm::ArrayRef<const char*> namesOf(NormKind);
llvm::ArrayRef<const char*> namesOf(QkNorm);
llvm::ArrayRef<const char*> namesOf(PositionKind);
llvm::ArrayRef<const char*> namesOf(RotaryScalingKind);
llvm::ArrayRef<const char*> namesOf(Activation);
llvm::ArrayRef<const char*> namesOf(Balance);
llvm::ArrayRef<const char*> namesOf(RouterScore);
llvm::ArrayRef<const char*> namesOf(DropPolicy);
llvm::ArrayRef<const char*> namesOf(BatchUnitKind);
llvm::ArrayRef<const char*> namesOf(ScheduleKind);
llvm::ArrayRef<const char*> namesOf(CandidateOutcome);
llvm::ArrayRef<const char*> namesOf(PlacementKind);
llvm::ArrayRef<const char*> namesOf(SplitKind);
llvm::ArrayRef<const char*> namesOf(RecomputeKind);
llvm::ArrayRef<const char*> namesOf(RecomputeMethod);
llvm::ArrayRef<const char*> namesOf(KernelKind);
llvm::ArrayRef<const char*> namesOf(LossKind);
llvm::ArrayRef<const char*> namesOf(DispatchKind);
llvm::ArrayRef<const char*> namesOf(KeyExchangeKind);
llvm::ArrayRef<const char*> namesOf(Fp8Recipe);
llvm::ArrayRef<const char*> namesOf(ModuleKind);
llvm::ArrayRef<const char*> namesOf(SavedOperator);
llvm::ArrayRef<const char*> namesOf(ShardAxis);
llvm::ArrayRef<const char*> namesOf(OptimizerKind);
llvm::ArrayRef<const char*> namesOf(MuonTensorMode);
llvm::ArrayRef<const char*> namesOf(ModelPart);
llvm::ArrayRef<const char*> namesOf(AdapterModule);
llvm::ArrayRef<const char*> namesOf(FrozenFormat);
llvm::ArrayRef<const char*> namesOf(LearningRateKind);
llvm::ArrayRef<const char*> namesOf(ViaKind);
llvm::ArrayRef<const char*> namesOf(RendezvousKind);
llvm::ArrayRef<const char*> namesOf(KubernetesJobKind);
llvm::ArrayRef<const char*> namesOf(CheckpointMode);
llvm::ArrayRef<const char*> namesOf(SpaceKind);
llvm::ArrayRef<const char*> namesOf(Scaling);
llvm::ArrayRef<const char*> namesOf(SamplingKind);
llvm::ArrayRef<const char*> namesOf(SimulationLevel);
llvm::ArrayRef<const char*> namesOf(Operation);
llvm::ArrayRef<const char*> namesOf(ActionKind);
llvm::ArrayRef<const char*> namesOf(Stream);
llvm::ArrayRef<const char*> namesOf(SegmentKind);
llvm::ArrayRef<const char*> namesOf(ComputeKind);
llvm::ArrayRef<const char*> namesOf(MicroBatchSelection);
llvm::ArrayRef<const char*> namesOf(CollectiveKind);
llvm::ArrayRef<const char*> namesOf(CollectivePurpose);
llvm::ArrayRef<const char*> namesOf(Algorithm);
llvm::ArrayRef<const char*> namesOf(AlgorithmChoice);

/// The spelling of one value. Basics.h has the same for axes, levels and data types.
template <class E> const char* name(E e) { return namesOf(e)[static_cast<std::size_t>(e)]; }

/// Finds the value with this spelling; false if there is none.
template <class E> bool valueNamed(llvm::StringRef spelling, E& value) {
  const llvm::ArrayRef<const char*> all = namesOf(E{});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (spelling == all[i]) {
      value = static_cast<E>(i);
      return true;
    }
  return false;
}

} // namespace dpl::ir
