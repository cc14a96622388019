// data_parallel of examples/resnet50_a100.dpl, plan HASH.
// Written by dplc 0.2.0 for MPI; an edit is lost with the next emit.
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

// count, stride, period, mirrored
inline constexpr std::array<Factor, 1> factors{{
    {8, 1, 8, false}, // 0
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 1> groups{{
    {"data", 0, 1, 8}, // 0
}};

// kind, purpose, group, bytes, count, stream
inline constexpr std::array<Call, 1> calls{{
    {CallKind::AllReduce, "gradient_reduce", 0, 5679340, 18, Stream::Data}, // 0
}};

// kind, micro-batches, call, ns
inline constexpr std::array<Segment, 30> segments{{
    {SegmentKind::Compute, When::Every, 0, 1522437}, {SegmentKind::Compute, When::Every, 0, 3079948}, // 0
    {SegmentKind::Compute, When::Every, 0, 2379977}, {SegmentKind::Compute, When::Every, 0, 2555389}, // 2
    {SegmentKind::Compute, When::Every, 0, 1190322}, {SegmentKind::Compute, When::Every, 0, 1279496}, // 4
    {SegmentKind::Compute, When::Every, 0, 596492}, {SegmentKind::Compute, When::Every, 0, 815057}, // 6
    {SegmentKind::Compute, When::Every, 0, 477792}, {SegmentKind::Compute, When::Every, 0, 41000}, // 8
    {SegmentKind::Compute, When::Every, 0, 87508}, {SegmentKind::Begin, When::Last, 0, 0}, // 10
    {SegmentKind::Compute, When::Every, 0, 955584}, {SegmentKind::Begin, When::Last, 0, 0}, // 12
    {SegmentKind::Compute, When::Every, 0, 1630114}, {SegmentKind::Begin, When::Last, 0, 0}, // 14
    {SegmentKind::Compute, When::Every, 0, 1197550}, {SegmentKind::Begin, When::Last, 0, 0}, // 16
    {SegmentKind::Compute, When::Every, 0, 2565174}, {SegmentKind::Begin, When::Last, 0, 0}, // 18
    {SegmentKind::Compute, When::Every, 0, 2381788}, {SegmentKind::Begin, When::Last, 0, 0}, // 20
    {SegmentKind::Compute, When::Every, 0, 5112328}, {SegmentKind::Begin, When::Last, 0, 0}, // 22
    {SegmentKind::Compute, When::Every, 0, 4760241}, {SegmentKind::Begin, When::Last, 0, 0}, // 24
    {SegmentKind::Compute, When::Every, 0, 6160202}, {SegmentKind::Begin, When::Last, 0, 0}, // 26
    {SegmentKind::Compute, When::Every, 0, 3044912}, {SegmentKind::Begin, When::Last, 0, 0}, // 28
}};

// first segment, segments, times
inline constexpr std::array<Block, 18> blocks{{
    {0, 2, 1}, {2, 1, 2}, {3, 1, 1}, {4, 1, 3}, {5, 1, 1}, {6, 1, 5}, {7, 1, 1}, {8, 1, 2}, {9, 1, 1}, {10, 2, 1}, // 0
    {12, 2, 2}, {14, 2, 1}, {16, 2, 5}, {18, 2, 1}, {20, 2, 3}, {22, 2, 1}, {24, 2, 2}, {26, 4, 1}, // 10
}};

// first block, blocks
inline constexpr std::array<Body, 2> bodies{{
    {0, 9}, {9, 9}, // 0
}};

// bodies forward, backward, of inputs alone, of weights alone, of a recomputation; chunk before, after
inline constexpr std::array<Chunk, 1> chunks{{
    {0, 1, none, none, none, none, none}, // 0
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 4> operations{{
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::Wait, 0, 0, 0}, // 0
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
    1, // of a chunk
    0, // bytes of a message
    65297845, // ns of a step, as predicted
    true, // all ranks begin a step together
    true, // messages overlap computation
    {axes.data(), axes.size()},
    {factors.data(), factors.size()},
    {groups.data(), groups.size()},
    {calls.data(), calls.size()},
    {segments.data(), segments.size()},
    {blocks.data(), blocks.size()},
    {bodies.data(), bodies.size()},
    {chunks.data(), chunks.size()},
    {operations.data(), operations.size()},
    {loops.data(), loops.size()},
    {ranks.data(), ranks.size()},
};

} // namespace twin
