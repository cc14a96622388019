// data_parallel of examples/resnet50_a100.dpl, plan HASH.
// Written by dplc 0.1.0 for MPI; an edit is lost with the next emit.
//
// The plan's mesh, groups, collectives and schedule. Tables.h says what the fields are.
// clang-format off
#pragma once
#include "Tables.h"
#include <array>

namespace twin {

// name, size, stride
inline constexpr std::array<Axis, 5> axes{{
    {"replica", 1, 8}, {"pipeline", 1, 8}, {"data", 8, 1}, {"context", 1, 1}, {"tensor", 1, 1}, // 0
}};

// count, stride, period
inline constexpr std::array<Factor, 1> factors{{
    {8, 1, 8}, // 0
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 1> groups{{
    {"data", 0, 1, 8}, // 0
}};

// kind, purpose, group, bytes, count, overlapped
inline constexpr std::array<Call, 1> calls{{
    {CallKind::AllReduce, "gradient_reduce", 0, 5679340, 18, true}, // 0
}};

// calls of the chunks, by index
inline constexpr std::array<std::size_t, 1> chunkCalls{{
    0, // 0
}};

// ns forward, backward of inputs, of weights; first of chunkCalls, calls, last calls; chunk before, after
inline constexpr std::array<Chunk, 1> chunks{{
    {21562291, 21560858, 21604148, 0, 0, 1, none, none}, // 0
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 4> operations{{
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::Overlapped, 0, 0, 0}, // 0
    {OperationKind::Optimizer, 0, 0, 0}, // 3
}};

// first operation, operations, times
inline constexpr std::array<Loop, 1> loops{{
    {0, 4, 1}, // 0
}};

// first loop, loops, ns of the update
inline constexpr std::array<RankList, 1> ranks{{
    {0, 1, 348169}, // 0
}};

inline constexpr Plan plan{
    "\"data_parallel of examples/resnet50_a100.dpl\"",
    "HASH",
    8, // ranks
    1, // pipeline ranks
    8, // their stride
    1, // chunks of each
    1, // micro-batches
    0, // bytes of a message
    65220129, // ns of a step, as predicted
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
