// folded of tests/conformance/mpi/plans/experts.dpl, plan HASH.
// Written by dplc 0.2.0 for MPI; an edit is lost with the next emit.
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

// count, stride, period, mirrored
inline constexpr std::array<Factor, 7> factors{{
    {2, 4, 8, false}, {2, 2, 4, false}, {2, 4, 8, false}, {2, 1, 2, false}, {2, 2, 4, false}, {2, 2, 4, false}, // 0
    {2, 1, 2, false}, // 6
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 6> groups{{
    {"data+context", 0, 2, 4}, {"expert_data", 2, 1, 2}, {"tensor", 3, 1, 2}, {"context", 4, 1, 2}, {"expert", 5, 1, 2}, // 0
    {"expert_tensor", 6, 1, 2}, // 5
}};

// kind, purpose, group, bytes, count, stream
inline constexpr std::array<Call, 13> calls{{
    {CallKind::AllGather, "parameter_gather", 0, 62720, 2, Stream::Data}, // 0
    {CallKind::AllGather, "parameter_gather", 1, 49152, 2, Stream::Data}, // 1
    {CallKind::ReduceScatter, "tensor_activation", 2, 16384, 72, Stream::Tensor}, // 2
    {CallKind::AllGather, "context_kv", 3, 32768, 16, Stream::Context}, // 3
    {CallKind::AllGather, "tensor_activation", 2, 16384, 104, Stream::Tensor}, // 4
    {CallKind::AllToAll, "expert_tokens", 4, 16384, 64, Stream::Expert}, // 5
    {CallKind::AllGather, "tensor_activation", 5, 32768, 32, Stream::Tensor}, // 6
    {CallKind::ReduceScatter, "tensor_activation", 5, 32768, 32, Stream::Tensor}, // 7
    {CallKind::AllGather, "context_kv", 3, 65536, 16, Stream::Context}, // 8
    {CallKind::ReduceScatter, "gradient_reduce", 0, 125440, 16, Stream::Data}, // 9
    {CallKind::ReduceScatter, "gradient_reduce", 1, 98304, 16, Stream::Data}, // 10
    {CallKind::AllGather, "parameter_gather", 0, 62784, 2, Stream::Data}, // 11
    {CallKind::ReduceScatter, "gradient_reduce", 0, 125568, 16, Stream::Data}, // 12
}};

// kind, micro-batches, call, ns
inline constexpr std::array<Segment, 165> segments{{
    {SegmentKind::Call, When::First, 0, 0}, {SegmentKind::Call, When::First, 1, 0}, // 0
    {SegmentKind::Compute, When::Every, 0, 110000}, {SegmentKind::Call, When::Every, 2, 0}, // 2
    {SegmentKind::Begin, When::First, 0, 0}, {SegmentKind::Begin, When::First, 1, 0}, // 4
    {SegmentKind::Begin, When::Every, 3, 0}, {SegmentKind::Compute, When::Every, 0, 8275}, // 6
    {SegmentKind::Wait, When::Every, 3, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 8
    {SegmentKind::Compute, When::Every, 0, 1155000}, {SegmentKind::Call, When::Every, 2, 0}, // 10
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1155000}, // 12
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 14
    {SegmentKind::Compute, When::Every, 0, 1146725}, {SegmentKind::Call, When::Every, 7, 0}, // 17
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Wait, When::First, 0, 0}, {SegmentKind::Wait, When::First, 1, 0}, // 19
    {SegmentKind::Begin, When::Every, 3, 0}, {SegmentKind::Compute, When::Every, 0, 8275}, // 22
    {SegmentKind::Wait, When::Every, 3, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 24
    {SegmentKind::Compute, When::Every, 0, 1155000}, {SegmentKind::Call, When::Every, 2, 0}, // 26
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1155000}, // 28
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 30
    {SegmentKind::Compute, When::Every, 0, 1146725}, {SegmentKind::Call, When::Every, 7, 0}, // 33
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 8, 0}, // 35
    {SegmentKind::Compute, When::Every, 0, 8786}, {SegmentKind::Wait, When::Every, 8, 0}, // 37
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 39
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 41
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 43
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 45
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 47
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 49
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 51
    {SegmentKind::Compute, When::Every, 0, 1497128}, {SegmentKind::Call, When::Every, 7, 0}, // 53
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 9, 0}, // 55
    {SegmentKind::Begin, When::Every, 10, 0}, {SegmentKind::Begin, When::Every, 8, 0}, // 57
    {SegmentKind::Compute, When::Every, 0, 8786}, {SegmentKind::Wait, When::Every, 8, 0}, // 59
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 61
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 63
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 65
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 67
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 69
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 71
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 73
    {SegmentKind::Compute, When::Every, 0, 1497128}, {SegmentKind::Call, When::Every, 7, 0}, // 75
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 77
    {SegmentKind::Compute, When::Every, 0, 110000}, {SegmentKind::Begin, When::Every, 9, 0}, // 79
    {SegmentKind::Begin, When::Every, 10, 0}, {SegmentKind::Call, When::First, 11, 0}, // 81
    {SegmentKind::Call, When::First, 1, 0}, {SegmentKind::Begin, When::First, 11, 0}, // 83
    {SegmentKind::Begin, When::First, 1, 0}, {SegmentKind::Begin, When::Every, 3, 0}, // 85
    {SegmentKind::Compute, When::Every, 0, 8275}, {SegmentKind::Wait, When::Every, 3, 0}, // 87
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1155000}, // 89
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 91
    {SegmentKind::Compute, When::Every, 0, 1155000}, {SegmentKind::Call, When::Every, 2, 0}, // 93
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 95
    {SegmentKind::Compute, When::Every, 0, 1146725}, {SegmentKind::Call, When::Every, 7, 0}, // 97
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Wait, When::First, 11, 0}, // 99
    {SegmentKind::Wait, When::First, 1, 0}, {SegmentKind::Begin, When::Every, 3, 0}, // 101
    {SegmentKind::Compute, When::Every, 0, 8275}, {SegmentKind::Wait, When::Every, 3, 0}, // 103
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1155000}, // 105
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 107
    {SegmentKind::Compute, When::Every, 0, 1155000}, {SegmentKind::Call, When::Every, 2, 0}, // 109
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 111
    {SegmentKind::Compute, When::Every, 0, 1146725}, {SegmentKind::Call, When::Every, 7, 0}, // 113
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 115
    {SegmentKind::Compute, When::Every, 0, 440000}, {SegmentKind::Compute, When::Every, 0, 393424}, // 117
    {SegmentKind::Compute, When::Every, 0, 156576}, {SegmentKind::Call, When::Every, 2, 0}, // 119
    {SegmentKind::Begin, When::Every, 8, 0}, {SegmentKind::Compute, When::Every, 0, 8786}, // 121
    {SegmentKind::Wait, When::Every, 8, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 123
    {SegmentKind::Begin, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 7876}, // 125
    {SegmentKind::Wait, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1521667}, // 127
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 4, 0}, // 129
    {SegmentKind::Begin, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 7876}, // 131
    {SegmentKind::Wait, When::Every, 4, 0}, {SegmentKind::Compute, When::Every, 0, 1521667}, // 133
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 135
    {SegmentKind::Compute, When::Every, 0, 1497128}, {SegmentKind::Call, When::Every, 7, 0}, // 138
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 12, 0}, // 140
    {SegmentKind::Begin, When::Every, 10, 0}, {SegmentKind::Begin, When::Every, 8, 0}, // 142
    {SegmentKind::Compute, When::Every, 0, 8786}, {SegmentKind::Wait, When::Every, 8, 0}, // 144
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 146
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 148
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 150
    {SegmentKind::Call, When::Every, 4, 0}, {SegmentKind::Begin, When::Every, 4, 0}, // 152
    {SegmentKind::Compute, When::Every, 0, 7876}, {SegmentKind::Wait, When::Every, 4, 0}, // 154
    {SegmentKind::Compute, When::Every, 0, 1521667}, {SegmentKind::Call, When::Every, 2, 0}, // 156
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Call, When::Every, 6, 0}, // 158
    {SegmentKind::Compute, When::Every, 0, 1497128}, {SegmentKind::Call, When::Every, 7, 0}, // 160
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 12, 0}, // 162
    {SegmentKind::Begin, When::Every, 10, 0}, // 164
}};

// first segment, segments, times
inline constexpr std::array<Block, 4> blocks{{
    {0, 36, 1}, {36, 46, 1}, {82, 36, 1}, {118, 47, 1}, // 0
}};

// first block, blocks
inline constexpr std::array<Body, 4> bodies{{
    {0, 1}, {1, 1}, {2, 1}, {3, 1}, // 0
}};

// bodies forward, backward, of inputs alone, of weights alone, of a recomputation; chunk before, after
inline constexpr std::array<Chunk, 2> chunks{{
    {0, 1, none, none, none, none, 1}, {2, 3, none, none, none, 0, none}, // 0
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 16> operations{{
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 1}, {OperationKind::ReceiveBackward, 0, 0, 1}, // 0
    {OperationKind::Backward, 0, 0, 0}, {OperationKind::Forward, 2, 0, 0}, {OperationKind::SendForward, 2, 0, 1}, // 3
    {OperationKind::ReceiveBackward, 6, 0, 1}, {OperationKind::Backward, 6, 0, 0}, {OperationKind::Wait, 0, 0, 0}, // 6
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 0}, {OperationKind::Forward, 0, 0, 0}, // 9
    {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 0}, {OperationKind::Wait, 0, 0, 0}, // 12
    {OperationKind::Optimizer, 0, 0, 0}, // 15
}};

// first operation, operations, times
inline constexpr std::array<Loop, 6> loops{{
    {0, 2, 2}, {2, 4, 6}, {6, 2, 2}, {8, 2, 1}, {10, 4, 8}, {14, 2, 1}, // 0
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
    8, // of a chunk
    8192, // bytes of a message
    155261835, // ns of a step, as predicted
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
