// folded of tests/conformance/mpi/plans/experts.dpl, plan HASH.
// Written by dplc 0.1.0 for MPI; an edit is lost with the next emit.
//
// The plan's mesh, groups, collectives and schedule. Tables.h says what the fields are.
// clang-format off
#pragma once
#include "Tables.h"
#include <array>

namespace twin {

// name, size, stride
inline constexpr std::array<Axis, 8> axes{{
    {"replica", 1, 16}, {"pipeline", 2, 8}, {"data", 2, 4}, {"context", 2, 2}, {"tensor", 2, 1}, {"expert_data", 2, 4}, // 0
    {"expert", 2, 2}, {"expert_tensor", 2, 1}, // 6
}};

// count, stride, period
inline constexpr std::array<Factor, 7> factors{{
    {2, 1, 2}, {2, 2, 4}, {2, 2, 4}, {2, 1, 2}, {2, 4, 8}, {2, 2, 4}, {2, 4, 8}, // 0
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 6> groups{{
    {"tensor", 0, 1, 2}, {"context", 1, 1, 2}, {"expert", 2, 1, 2}, {"expert_tensor", 3, 1, 2}, {"data+context", 4, 2, 4}, // 0
    {"expert_data", 6, 1, 2}, // 5
}};

// kind, purpose, group, bytes, count, overlapped
inline constexpr std::array<Call, 16> calls{{
    {CallKind::AllGather, "tensor_activation", 0, 16384, 64, false}, // 0
    {CallKind::ReduceScatter, "tensor_activation", 0, 16384, 64, false}, // 1
    {CallKind::AllGather, "tensor_activation", 0, 16384, 32, true}, // 2
    {CallKind::AllGather, "context_keys", 1, 32768, 16, true}, {CallKind::AllGather, "context_keys", 1, 65536, 16, true}, // 3
    {CallKind::AllToAll, "expert_tokens", 2, 16384, 64, false}, // 5
    {CallKind::AllGather, "tensor_activation", 3, 32768, 32, false}, // 6
    {CallKind::ReduceScatter, "tensor_activation", 3, 32768, 32, false}, // 7
    {CallKind::ReduceScatter, "tensor_activation", 0, 16384, 8, false}, // 8
    {CallKind::AllGather, "tensor_activation", 0, 16384, 8, false}, // 9
    {CallKind::ReduceScatter, "gradient_reduce", 4, 125440, 16, true}, // 10
    {CallKind::ReduceScatter, "gradient_reduce", 5, 98304, 16, true}, // 11
    {CallKind::ReduceScatter, "gradient_reduce", 4, 125568, 16, true}, // 12
    {CallKind::AllGather, "parameter_gather", 4, 62720, 2, true}, // 13
    {CallKind::AllGather, "parameter_gather", 5, 49152, 2, true}, // 14
    {CallKind::AllGather, "parameter_gather", 4, 62784, 2, true}, // 15
}};

// calls of the chunks, by index
inline constexpr std::array<std::size_t, 24> chunkCalls{{
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 11, // 0
}};

// ns forward, backward of inputs, of weights; first of chunkCalls, calls, last calls; chunk before, after
inline constexpr std::array<Chunk, 2> chunks{{
    {10560000, 6885304, 5214696, 0, 12, 0, none, 1}, {10890000, 7168727, 5371273, 12, 12, 0, 0, none}, // 0
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 18> operations{{
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 1}, {OperationKind::ReceiveBackward, 0, 0, 1}, // 0
    {OperationKind::Backward, 0, 0, 0}, {OperationKind::Forward, 2, 0, 0}, {OperationKind::SendForward, 2, 0, 1}, // 3
    {OperationKind::ReceiveBackward, 6, 0, 1}, {OperationKind::Backward, 6, 0, 0}, {OperationKind::Optimizer, 0, 0, 0}, // 6
    {OperationKind::Collective, 0, 0, 13}, {OperationKind::Collective, 0, 0, 14}, {OperationKind::ReceiveForward, 0, 0, 0}, // 9
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 0}, // 12
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 15}, {OperationKind::Collective, 0, 0, 14}, // 15
}};

// first operation, operations, times
inline constexpr std::array<Loop, 6> loops{{
    {0, 2, 2}, {2, 4, 6}, {6, 2, 2}, {8, 3, 1}, {11, 4, 8}, {15, 3, 1}, // 0
}};

// first loop, loops, ns of the update
inline constexpr std::array<RankList, 2> ranks{{
    {0, 4, 629}, {4, 2, 629}, // 0
}};

inline constexpr Plan plan{
    "\"folded of tests/conformance/mpi/plans/experts.dpl\"",
    "HASH",
    16, // ranks
    2, // pipeline ranks
    8, // their stride
    1, // chunks of each
    8, // micro-batches
    8192, // bytes of a message
    210862453, // ns of a step, as predicted
    true, // messages overlap computation
    {axes.data(), axes.size()},
    {factors.data(), factors.size()},
    {groups.data(), groups.size()},
    {calls.data(), calls.size()},
    {chunkCalls.data(), chunkCalls.size()},
    {chunks.data(), chunks.size()},
    {operations.data(), operations.size()},
    {loops.data(), loops.size()},
    {ranks.data(), ranks.size()},
};

} // namespace twin
