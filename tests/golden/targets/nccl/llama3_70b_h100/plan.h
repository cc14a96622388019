// dense3d of examples/llama3_70b_h100.dpl, plan HASH.
// Written by dplc 0.2.0 for NCCL; an edit is lost with the next emit.
//
// The plan's mesh, groups, collectives and schedule. Tables.h says what the fields are.
// clang-format off
#pragma once
#include "Tables.h"
#include <array>

namespace twin {

// name, size, stride
inline constexpr std::array<Axis, 5> axes{{
    {"replica", 1, 512}, {"pipeline", 8, 64}, {"data", 8, 8}, {"context", 1, 8}, {"tensor", 8, 1}, // 0
}};

// count, stride, period, mirrored
inline constexpr std::array<Factor, 2> factors{{
    {8, 8, 64, false}, {8, 1, 8, false}, // 0
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 2> groups{{
    {"data", 0, 1, 8}, {"tensor", 1, 1, 8}, // 0
}};

// kind, purpose, group, bytes, count, stream
inline constexpr std::array<Call, 10> calls{{
    {CallKind::AllGather, "parameter_gather", 0, 266790502, 5, Stream::Data}, // 0
    {CallKind::ReduceScatter, "tensor_activation", 1, 134217728, 1344, Stream::Tensor}, // 1
    {CallKind::AllGather, "tensor_activation", 1, 134217728, 1984, Stream::Tensor}, // 2
    {CallKind::ReduceScatter, "gradient_reduce", 0, 533581005, 5, Stream::Data}, // 3
    {CallKind::AllGather, "parameter_gather", 0, 213942272, 5, Stream::Data}, // 4
    {CallKind::AllGather, "tensor_activation", 1, 134217728, 1920, Stream::Tensor}, // 5
    {CallKind::ReduceScatter, "tensor_activation", 1, 134217728, 1280, Stream::Tensor}, // 6
    {CallKind::ReduceScatter, "gradient_reduce", 0, 427884544, 5, Stream::Data}, // 7
    {CallKind::AllGather, "parameter_gather", 0, 266793779, 5, Stream::Data}, // 8
    {CallKind::ReduceScatter, "gradient_reduce", 0, 533587558, 5, Stream::Data}, // 9
}};

// kind, micro-batches, call, ns
inline constexpr std::array<Segment, 144> segments{{
    {SegmentKind::Call, When::First, 0, 0}, {SegmentKind::Compute, When::Every, 0, 123277}, // 0
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Begin, When::First, 0, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 2
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 1, 0}, // 5
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 7
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Compute, When::Every, 0, 0}, // 9
    {SegmentKind::Wait, When::First, 0, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 11
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 1, 0}, // 13
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 15
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Compute, When::Every, 0, 0}, // 17
    {SegmentKind::Compute, When::Every, 0, 430507}, {SegmentKind::Call, When::Every, 2, 0}, // 19
    {SegmentKind::Begin, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1546172}, // 21
    {SegmentKind::Wait, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 3508164}, // 23
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Begin, When::Every, 2, 0}, // 25
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 2, 0}, // 28
    {SegmentKind::Compute, When::Every, 0, 415820}, {SegmentKind::Call, When::Every, 1, 0}, // 30
    {SegmentKind::Begin, When::Last, 3, 0}, {SegmentKind::Compute, When::Every, 0, 430507}, // 32
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Begin, When::Every, 2, 0}, // 34
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 2, 0}, // 36
    {SegmentKind::Compute, When::Every, 0, 3508164}, {SegmentKind::Call, When::Every, 1, 0}, // 38
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Begin, When::Every, 2, 0}, // 40
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 2, 0}, // 42
    {SegmentKind::Compute, When::Every, 0, 415820}, {SegmentKind::Call, When::Every, 1, 0}, // 44
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 308192}, // 46
    {SegmentKind::Begin, When::Last, 3, 0}, {SegmentKind::Call, When::First, 4, 0}, {SegmentKind::Begin, When::First, 4, 0}, // 48
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 51
    {SegmentKind::Call, When::Every, 6, 0}, {SegmentKind::Call, When::Every, 5, 0}, // 53
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 6, 0}, // 55
    {SegmentKind::Compute, When::Every, 0, 0}, {SegmentKind::Wait, When::First, 4, 0}, // 57
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 59
    {SegmentKind::Call, When::Every, 6, 0}, {SegmentKind::Call, When::Every, 5, 0}, // 61
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 6, 0}, // 63
    {SegmentKind::Compute, When::Every, 0, 0}, {SegmentKind::Compute, When::Every, 0, 430507}, // 65
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 5, 0}, // 67
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 5, 0}, // 69
    {SegmentKind::Compute, When::Every, 0, 3508164}, {SegmentKind::Call, When::Every, 6, 0}, // 71
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 5, 0}, // 73
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 5, 0}, // 75
    {SegmentKind::Compute, When::Every, 0, 415820}, {SegmentKind::Call, When::Every, 6, 0}, // 77
    {SegmentKind::Begin, When::Last, 7, 0}, {SegmentKind::Compute, When::Every, 0, 430507}, // 79
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 5, 0}, // 81
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 5, 0}, // 83
    {SegmentKind::Compute, When::Every, 0, 3508164}, {SegmentKind::Call, When::Every, 6, 0}, // 85
    {SegmentKind::Call, When::Every, 5, 0}, {SegmentKind::Begin, When::Every, 5, 0}, // 87
    {SegmentKind::Compute, When::Every, 0, 1546172}, {SegmentKind::Wait, When::Every, 5, 0}, // 89
    {SegmentKind::Compute, When::Every, 0, 415820}, {SegmentKind::Call, When::Every, 6, 0}, // 91
    {SegmentKind::Begin, When::Last, 7, 0}, {SegmentKind::Call, When::First, 8, 0}, {SegmentKind::Begin, When::First, 8, 0}, // 93
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 96
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 98
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 1, 0}, // 100
    {SegmentKind::Compute, When::Every, 0, 0}, {SegmentKind::Wait, When::First, 8, 0}, // 102
    {SegmentKind::Call, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1726754}, // 104
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 106
    {SegmentKind::Compute, When::Every, 0, 1726754}, {SegmentKind::Call, When::Every, 1, 0}, // 108
    {SegmentKind::Compute, When::Every, 0, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 110
    {SegmentKind::Compute, When::Every, 0, 4448156}, {SegmentKind::Compute, When::Every, 0, 3978163}, // 112
    {SegmentKind::Compute, When::Every, 0, 3340590}, {SegmentKind::Call, When::Every, 1, 0}, // 114
    {SegmentKind::Compute, When::Every, 0, 430507}, {SegmentKind::Call, When::Every, 2, 0}, // 116
    {SegmentKind::Begin, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1546172}, // 118
    {SegmentKind::Wait, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 3508164}, // 120
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 122
    {SegmentKind::Begin, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1546172}, // 124
    {SegmentKind::Wait, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 415820}, // 126
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Begin, When::Last, 9, 0}, // 128
    {SegmentKind::Compute, When::Every, 0, 430507}, {SegmentKind::Call, When::Every, 2, 0}, // 130
    {SegmentKind::Begin, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1546172}, // 132
    {SegmentKind::Wait, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 3508164}, // 134
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Call, When::Every, 2, 0}, // 136
    {SegmentKind::Begin, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 1546172}, // 138
    {SegmentKind::Wait, When::Every, 2, 0}, {SegmentKind::Compute, When::Every, 0, 415820}, // 140
    {SegmentKind::Call, When::Every, 1, 0}, {SegmentKind::Begin, When::Last, 9, 0}, // 142
}};

// first segment, segments, times
inline constexpr std::array<Block, 16> blocks{{
    {0, 3, 1}, {3, 9, 4}, {12, 7, 1}, {19, 14, 4}, {33, 16, 1}, {49, 1, 1}, {50, 9, 4}, {59, 7, 1}, {66, 14, 4}, {80, 14, 1}, // 0
    {94, 1, 1}, {95, 9, 4}, {104, 9, 1}, {113, 3, 1}, {116, 14, 4}, {130, 14, 1}, // 10
}};

// first block, blocks
inline constexpr std::array<Body, 6> bodies{{
    {0, 3}, {3, 2}, {5, 3}, {8, 2}, {10, 3}, {13, 3}, // 0
}};

// bodies forward, backward, of inputs alone, of weights alone, of a recomputation; chunk before, after
inline constexpr std::array<Chunk, 16> chunks{{
    {0, 1, none, none, none, none, 2}, {2, 3, none, none, none, 14, 3}, {2, 3, none, none, none, 0, 4}, // 0
    {2, 3, none, none, none, 1, 5}, {2, 3, none, none, none, 2, 6}, {2, 3, none, none, none, 3, 7}, // 3
    {2, 3, none, none, none, 4, 8}, {2, 3, none, none, none, 5, 9}, {2, 3, none, none, none, 6, 10}, // 6
    {2, 3, none, none, none, 7, 11}, {2, 3, none, none, none, 8, 12}, {2, 3, none, none, none, 9, 13}, // 9
    {2, 3, none, none, none, 10, 14}, {2, 3, none, none, none, 11, 15}, {2, 3, none, none, none, 12, 1}, // 12
    {4, 5, none, none, none, 13, none}, // 15
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 1260> operations{{
    {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 1}, {OperationKind::ReceiveForward, 0, 0, 7}, // 0
    {OperationKind::Forward, 0, 1, 0}, {OperationKind::SendForward, 0, 1, 1}, {OperationKind::Forward, 8, 0, 0}, // 3
    {OperationKind::SendForward, 8, 0, 1}, {OperationKind::ReceiveBackward, 0, 1, 1}, {OperationKind::Backward, 0, 1, 0}, // 6
    {OperationKind::SendBackward, 0, 1, 7}, {OperationKind::Forward, 15, 0, 0}, {OperationKind::SendForward, 15, 0, 1}, // 9
    {OperationKind::ReceiveBackward, 1, 1, 1}, {OperationKind::Backward, 1, 1, 0}, {OperationKind::SendBackward, 1, 1, 7}, // 12
    {OperationKind::ReceiveForward, 8, 0, 7}, {OperationKind::Forward, 8, 1, 0}, {OperationKind::SendForward, 8, 1, 1}, // 15
    {OperationKind::ReceiveBackward, 0, 0, 1}, {OperationKind::Backward, 0, 0, 0}, // 18
    {OperationKind::ReceiveForward, 15, 0, 7}, {OperationKind::Forward, 15, 1, 0}, {OperationKind::SendForward, 15, 1, 1}, // 20
    {OperationKind::ReceiveBackward, 1, 0, 1}, {OperationKind::Backward, 1, 0, 0}, {OperationKind::Forward, 16, 0, 0}, // 23
    {OperationKind::SendForward, 16, 0, 1}, {OperationKind::ReceiveBackward, 8, 1, 1}, {OperationKind::Backward, 8, 1, 0}, // 26
    {OperationKind::SendBackward, 8, 1, 7}, {OperationKind::Forward, 23, 0, 0}, {OperationKind::SendForward, 23, 0, 1}, // 29
    {OperationKind::ReceiveBackward, 9, 1, 1}, {OperationKind::Backward, 9, 1, 0}, {OperationKind::SendBackward, 9, 1, 7}, // 32
    {OperationKind::ReceiveForward, 16, 0, 7}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 1}, // 35
    {OperationKind::ReceiveBackward, 8, 0, 1}, {OperationKind::Backward, 8, 0, 0}, // 38
    {OperationKind::ReceiveForward, 23, 0, 7}, {OperationKind::Forward, 23, 1, 0}, {OperationKind::SendForward, 23, 1, 1}, // 40
    {OperationKind::ReceiveBackward, 9, 0, 1}, {OperationKind::Backward, 9, 0, 0}, {OperationKind::Forward, 24, 0, 0}, // 43
    {OperationKind::SendForward, 24, 0, 1}, {OperationKind::ReceiveBackward, 16, 1, 1}, {OperationKind::Backward, 16, 1, 0}, // 46
    {OperationKind::SendBackward, 16, 1, 7}, {OperationKind::Forward, 31, 0, 0}, {OperationKind::SendForward, 31, 0, 1}, // 49
    {OperationKind::ReceiveBackward, 17, 1, 1}, {OperationKind::Backward, 17, 1, 0}, // 52
    {OperationKind::SendBackward, 17, 1, 7}, {OperationKind::ReceiveForward, 24, 0, 7}, {OperationKind::Forward, 24, 1, 0}, // 54
    {OperationKind::SendForward, 24, 1, 1}, {OperationKind::ReceiveBackward, 16, 0, 1}, {OperationKind::Backward, 16, 0, 0}, // 57
    {OperationKind::ReceiveForward, 31, 0, 7}, {OperationKind::Forward, 31, 1, 0}, {OperationKind::SendForward, 31, 1, 1}, // 60
    {OperationKind::ReceiveBackward, 17, 0, 1}, {OperationKind::Backward, 17, 0, 0}, {OperationKind::Forward, 32, 0, 0}, // 63
    {OperationKind::SendForward, 32, 0, 1}, {OperationKind::ReceiveBackward, 24, 1, 1}, {OperationKind::Backward, 24, 1, 0}, // 66
    {OperationKind::SendBackward, 24, 1, 7}, {OperationKind::Forward, 39, 0, 0}, {OperationKind::SendForward, 39, 0, 1}, // 69
    {OperationKind::ReceiveBackward, 25, 1, 1}, {OperationKind::Backward, 25, 1, 0}, // 72
    {OperationKind::SendBackward, 25, 1, 7}, {OperationKind::ReceiveForward, 32, 0, 7}, {OperationKind::Forward, 32, 1, 0}, // 74
    {OperationKind::SendForward, 32, 1, 1}, {OperationKind::ReceiveBackward, 24, 0, 1}, {OperationKind::Backward, 24, 0, 0}, // 77
    {OperationKind::ReceiveForward, 39, 0, 7}, {OperationKind::Forward, 39, 1, 0}, {OperationKind::SendForward, 39, 1, 1}, // 80
    {OperationKind::ReceiveBackward, 25, 0, 1}, {OperationKind::Backward, 25, 0, 0}, {OperationKind::Forward, 40, 0, 0}, // 83
    {OperationKind::SendForward, 40, 0, 1}, {OperationKind::ReceiveBackward, 32, 1, 1}, {OperationKind::Backward, 32, 1, 0}, // 86
    {OperationKind::SendBackward, 32, 1, 7}, {OperationKind::Forward, 47, 0, 0}, {OperationKind::SendForward, 47, 0, 1}, // 89
    {OperationKind::ReceiveBackward, 33, 1, 1}, {OperationKind::Backward, 33, 1, 0}, // 92
    {OperationKind::SendBackward, 33, 1, 7}, {OperationKind::ReceiveForward, 40, 0, 7}, {OperationKind::Forward, 40, 1, 0}, // 94
    {OperationKind::SendForward, 40, 1, 1}, {OperationKind::ReceiveBackward, 32, 0, 1}, {OperationKind::Backward, 32, 0, 0}, // 97
    {OperationKind::ReceiveForward, 47, 0, 7}, {OperationKind::Forward, 47, 1, 0}, {OperationKind::SendForward, 47, 1, 1}, // 100
    {OperationKind::ReceiveBackward, 33, 0, 1}, {OperationKind::Backward, 33, 0, 0}, {OperationKind::Forward, 48, 0, 0}, // 103
    {OperationKind::SendForward, 48, 0, 1}, {OperationKind::ReceiveBackward, 40, 1, 1}, // 106
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 7}, {OperationKind::Forward, 55, 0, 0}, // 108
    {OperationKind::SendForward, 55, 0, 1}, {OperationKind::ReceiveBackward, 41, 1, 1}, // 111
    {OperationKind::Backward, 41, 1, 0}, {OperationKind::SendBackward, 41, 1, 7}, // 113
    {OperationKind::ReceiveForward, 48, 0, 7}, {OperationKind::Forward, 48, 1, 0}, {OperationKind::SendForward, 48, 1, 1}, // 115
    {OperationKind::ReceiveBackward, 40, 0, 1}, {OperationKind::Backward, 40, 0, 0}, // 118
    {OperationKind::ReceiveForward, 55, 0, 7}, {OperationKind::Forward, 55, 1, 0}, {OperationKind::SendForward, 55, 1, 1}, // 120
    {OperationKind::ReceiveBackward, 41, 0, 1}, {OperationKind::Backward, 41, 0, 0}, {OperationKind::Forward, 56, 0, 0}, // 123
    {OperationKind::SendForward, 56, 0, 1}, {OperationKind::ReceiveBackward, 48, 1, 1}, // 126
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 7}, {OperationKind::Forward, 63, 0, 0}, // 128
    {OperationKind::SendForward, 63, 0, 1}, {OperationKind::ReceiveBackward, 49, 1, 1}, // 131
    {OperationKind::Backward, 49, 1, 0}, {OperationKind::SendBackward, 49, 1, 7}, // 133
    {OperationKind::ReceiveForward, 56, 0, 7}, {OperationKind::Forward, 56, 1, 0}, {OperationKind::SendForward, 56, 1, 1}, // 135
    {OperationKind::ReceiveBackward, 48, 0, 1}, {OperationKind::Backward, 48, 0, 0}, // 138
    {OperationKind::ReceiveForward, 63, 0, 7}, {OperationKind::Forward, 63, 1, 0}, {OperationKind::SendForward, 63, 1, 1}, // 140
    {OperationKind::ReceiveBackward, 49, 0, 1}, {OperationKind::Backward, 49, 0, 0}, // 143
    {OperationKind::ReceiveBackward, 56, 1, 1}, {OperationKind::Backward, 56, 1, 0}, // 145
    {OperationKind::SendBackward, 56, 1, 7}, {OperationKind::ReceiveBackward, 56, 0, 1}, // 147
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::Wait, 0, 0, 0}, {OperationKind::Optimizer, 0, 0, 0}, // 149
    {OperationKind::ReceiveForward, 0, 0, 0}, {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 2}, // 152
    {OperationKind::ReceiveForward, 0, 1, 0}, {OperationKind::Forward, 0, 1, 0}, {OperationKind::SendForward, 0, 1, 2}, // 155
    {OperationKind::ReceiveForward, 8, 0, 0}, {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 2}, // 158
    {OperationKind::ReceiveBackward, 0, 1, 2}, {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 0}, // 161
    {OperationKind::ReceiveForward, 13, 0, 0}, {OperationKind::Forward, 13, 0, 0}, {OperationKind::SendForward, 13, 0, 2}, // 164
    {OperationKind::ReceiveBackward, 3, 1, 2}, {OperationKind::Backward, 3, 1, 0}, {OperationKind::SendBackward, 3, 1, 0}, // 167
    {OperationKind::ReceiveForward, 8, 1, 0}, {OperationKind::Forward, 8, 1, 0}, {OperationKind::SendForward, 8, 1, 2}, // 170
    {OperationKind::ReceiveBackward, 0, 0, 2}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 0}, // 173
    {OperationKind::ReceiveForward, 13, 1, 0}, {OperationKind::Forward, 13, 1, 0}, {OperationKind::SendForward, 13, 1, 2}, // 176
    {OperationKind::ReceiveBackward, 3, 0, 2}, {OperationKind::Backward, 3, 0, 0}, {OperationKind::SendBackward, 3, 0, 0}, // 179
    {OperationKind::ReceiveForward, 16, 0, 0}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 2}, // 182
    {OperationKind::ReceiveBackward, 8, 1, 2}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 0}, // 185
    {OperationKind::ReceiveForward, 21, 0, 0}, {OperationKind::Forward, 21, 0, 0}, {OperationKind::SendForward, 21, 0, 2}, // 188
    {OperationKind::ReceiveBackward, 11, 1, 2}, {OperationKind::Backward, 11, 1, 0}, // 191
    {OperationKind::SendBackward, 11, 1, 0}, {OperationKind::ReceiveForward, 16, 1, 0}, {OperationKind::Forward, 16, 1, 0}, // 193
    {OperationKind::SendForward, 16, 1, 2}, {OperationKind::ReceiveBackward, 8, 0, 2}, {OperationKind::Backward, 8, 0, 0}, // 196
    {OperationKind::SendBackward, 8, 0, 0}, {OperationKind::ReceiveForward, 21, 1, 0}, {OperationKind::Forward, 21, 1, 0}, // 199
    {OperationKind::SendForward, 21, 1, 2}, {OperationKind::ReceiveBackward, 11, 0, 2}, // 202
    {OperationKind::Backward, 11, 0, 0}, {OperationKind::SendBackward, 11, 0, 0}, // 204
    {OperationKind::ReceiveForward, 24, 0, 0}, {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 2}, // 206
    {OperationKind::ReceiveBackward, 16, 1, 2}, {OperationKind::Backward, 16, 1, 0}, // 209
    {OperationKind::SendBackward, 16, 1, 0}, {OperationKind::ReceiveForward, 29, 0, 0}, {OperationKind::Forward, 29, 0, 0}, // 211
    {OperationKind::SendForward, 29, 0, 2}, {OperationKind::ReceiveBackward, 19, 1, 2}, // 214
    {OperationKind::Backward, 19, 1, 0}, {OperationKind::SendBackward, 19, 1, 0}, // 216
    {OperationKind::ReceiveForward, 24, 1, 0}, {OperationKind::Forward, 24, 1, 0}, {OperationKind::SendForward, 24, 1, 2}, // 218
    {OperationKind::ReceiveBackward, 16, 0, 2}, {OperationKind::Backward, 16, 0, 0}, // 221
    {OperationKind::SendBackward, 16, 0, 0}, {OperationKind::ReceiveForward, 29, 1, 0}, {OperationKind::Forward, 29, 1, 0}, // 223
    {OperationKind::SendForward, 29, 1, 2}, {OperationKind::ReceiveBackward, 19, 0, 2}, // 226
    {OperationKind::Backward, 19, 0, 0}, {OperationKind::SendBackward, 19, 0, 0}, // 228
    {OperationKind::ReceiveForward, 32, 0, 0}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 2}, // 230
    {OperationKind::ReceiveBackward, 24, 1, 2}, {OperationKind::Backward, 24, 1, 0}, // 233
    {OperationKind::SendBackward, 24, 1, 0}, {OperationKind::ReceiveForward, 37, 0, 0}, {OperationKind::Forward, 37, 0, 0}, // 235
    {OperationKind::SendForward, 37, 0, 2}, {OperationKind::ReceiveBackward, 27, 1, 2}, // 238
    {OperationKind::Backward, 27, 1, 0}, {OperationKind::SendBackward, 27, 1, 0}, // 240
    {OperationKind::ReceiveForward, 32, 1, 0}, {OperationKind::Forward, 32, 1, 0}, {OperationKind::SendForward, 32, 1, 2}, // 242
    {OperationKind::ReceiveBackward, 24, 0, 2}, {OperationKind::Backward, 24, 0, 0}, // 245
    {OperationKind::SendBackward, 24, 0, 0}, {OperationKind::ReceiveForward, 37, 1, 0}, {OperationKind::Forward, 37, 1, 0}, // 247
    {OperationKind::SendForward, 37, 1, 2}, {OperationKind::ReceiveBackward, 27, 0, 2}, // 250
    {OperationKind::Backward, 27, 0, 0}, {OperationKind::SendBackward, 27, 0, 0}, // 252
    {OperationKind::ReceiveForward, 40, 0, 0}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 2}, // 254
    {OperationKind::ReceiveBackward, 32, 1, 2}, {OperationKind::Backward, 32, 1, 0}, // 257
    {OperationKind::SendBackward, 32, 1, 0}, {OperationKind::ReceiveForward, 45, 0, 0}, {OperationKind::Forward, 45, 0, 0}, // 259
    {OperationKind::SendForward, 45, 0, 2}, {OperationKind::ReceiveBackward, 35, 1, 2}, // 262
    {OperationKind::Backward, 35, 1, 0}, {OperationKind::SendBackward, 35, 1, 0}, // 264
    {OperationKind::ReceiveForward, 40, 1, 0}, {OperationKind::Forward, 40, 1, 0}, {OperationKind::SendForward, 40, 1, 2}, // 266
    {OperationKind::ReceiveBackward, 32, 0, 2}, {OperationKind::Backward, 32, 0, 0}, // 269
    {OperationKind::SendBackward, 32, 0, 0}, {OperationKind::ReceiveForward, 45, 1, 0}, {OperationKind::Forward, 45, 1, 0}, // 271
    {OperationKind::SendForward, 45, 1, 2}, {OperationKind::ReceiveBackward, 35, 0, 2}, // 274
    {OperationKind::Backward, 35, 0, 0}, {OperationKind::SendBackward, 35, 0, 0}, // 276
    {OperationKind::ReceiveForward, 48, 0, 0}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 2}, // 278
    {OperationKind::ReceiveBackward, 40, 1, 2}, {OperationKind::Backward, 40, 1, 0}, // 281
    {OperationKind::SendBackward, 40, 1, 0}, {OperationKind::ReceiveForward, 53, 0, 0}, {OperationKind::Forward, 53, 0, 0}, // 283
    {OperationKind::SendForward, 53, 0, 2}, {OperationKind::ReceiveBackward, 43, 1, 2}, // 286
    {OperationKind::Backward, 43, 1, 0}, {OperationKind::SendBackward, 43, 1, 0}, // 288
    {OperationKind::ReceiveForward, 48, 1, 0}, {OperationKind::Forward, 48, 1, 0}, {OperationKind::SendForward, 48, 1, 2}, // 290
    {OperationKind::ReceiveBackward, 40, 0, 2}, {OperationKind::Backward, 40, 0, 0}, // 293
    {OperationKind::SendBackward, 40, 0, 0}, {OperationKind::ReceiveForward, 53, 1, 0}, {OperationKind::Forward, 53, 1, 0}, // 295
    {OperationKind::SendForward, 53, 1, 2}, {OperationKind::ReceiveBackward, 43, 0, 2}, // 298
    {OperationKind::Backward, 43, 0, 0}, {OperationKind::SendBackward, 43, 0, 0}, // 300
    {OperationKind::ReceiveForward, 56, 0, 0}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 2}, // 302
    {OperationKind::ReceiveBackward, 48, 1, 2}, {OperationKind::Backward, 48, 1, 0}, // 305
    {OperationKind::SendBackward, 48, 1, 0}, {OperationKind::ReceiveForward, 61, 0, 0}, {OperationKind::Forward, 61, 0, 0}, // 307
    {OperationKind::SendForward, 61, 0, 2}, {OperationKind::ReceiveBackward, 51, 1, 2}, // 310
    {OperationKind::Backward, 51, 1, 0}, {OperationKind::SendBackward, 51, 1, 0}, // 312
    {OperationKind::ReceiveForward, 56, 1, 0}, {OperationKind::Forward, 56, 1, 0}, {OperationKind::SendForward, 56, 1, 2}, // 314
    {OperationKind::ReceiveBackward, 48, 0, 2}, {OperationKind::Backward, 48, 0, 0}, // 317
    {OperationKind::SendBackward, 48, 0, 0}, {OperationKind::ReceiveForward, 61, 1, 0}, {OperationKind::Forward, 61, 1, 0}, // 319
    {OperationKind::SendForward, 61, 1, 2}, {OperationKind::ReceiveBackward, 51, 0, 2}, // 322
    {OperationKind::Backward, 51, 0, 0}, {OperationKind::SendBackward, 51, 0, 0}, // 324
    {OperationKind::ReceiveBackward, 56, 1, 2}, {OperationKind::Backward, 56, 1, 0}, // 326
    {OperationKind::SendBackward, 56, 1, 0}, {OperationKind::ReceiveBackward, 56, 0, 2}, // 328
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 0}, {OperationKind::Wait, 0, 0, 0}, // 330
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 1}, {OperationKind::Forward, 0, 0, 0}, // 333
    {OperationKind::SendForward, 0, 0, 3}, {OperationKind::ReceiveForward, 0, 1, 1}, {OperationKind::Forward, 0, 1, 0}, // 336
    {OperationKind::SendForward, 0, 1, 3}, {OperationKind::ReceiveForward, 8, 0, 1}, {OperationKind::Forward, 8, 0, 0}, // 339
    {OperationKind::SendForward, 8, 0, 3}, {OperationKind::ReceiveBackward, 0, 1, 3}, {OperationKind::Backward, 0, 1, 0}, // 342
    {OperationKind::SendBackward, 0, 1, 1}, {OperationKind::ReceiveForward, 11, 0, 1}, {OperationKind::Forward, 11, 0, 0}, // 345
    {OperationKind::SendForward, 11, 0, 3}, {OperationKind::ReceiveBackward, 5, 1, 3}, {OperationKind::Backward, 5, 1, 0}, // 348
    {OperationKind::SendBackward, 5, 1, 1}, {OperationKind::ReceiveForward, 8, 1, 1}, {OperationKind::Forward, 8, 1, 0}, // 351
    {OperationKind::SendForward, 8, 1, 3}, {OperationKind::ReceiveBackward, 0, 0, 3}, {OperationKind::Backward, 0, 0, 0}, // 354
    {OperationKind::SendBackward, 0, 0, 1}, {OperationKind::ReceiveForward, 11, 1, 1}, {OperationKind::Forward, 11, 1, 0}, // 357
    {OperationKind::SendForward, 11, 1, 3}, {OperationKind::ReceiveBackward, 5, 0, 3}, {OperationKind::Backward, 5, 0, 0}, // 360
    {OperationKind::SendBackward, 5, 0, 1}, {OperationKind::ReceiveForward, 16, 0, 1}, {OperationKind::Forward, 16, 0, 0}, // 363
    {OperationKind::SendForward, 16, 0, 3}, {OperationKind::ReceiveBackward, 8, 1, 3}, {OperationKind::Backward, 8, 1, 0}, // 366
    {OperationKind::SendBackward, 8, 1, 1}, {OperationKind::ReceiveForward, 19, 0, 1}, {OperationKind::Forward, 19, 0, 0}, // 369
    {OperationKind::SendForward, 19, 0, 3}, {OperationKind::ReceiveBackward, 13, 1, 3}, // 372
    {OperationKind::Backward, 13, 1, 0}, {OperationKind::SendBackward, 13, 1, 1}, // 374
    {OperationKind::ReceiveForward, 16, 1, 1}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 3}, // 376
    {OperationKind::ReceiveBackward, 8, 0, 3}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 1}, // 379
    {OperationKind::ReceiveForward, 19, 1, 1}, {OperationKind::Forward, 19, 1, 0}, {OperationKind::SendForward, 19, 1, 3}, // 382
    {OperationKind::ReceiveBackward, 13, 0, 3}, {OperationKind::Backward, 13, 0, 0}, // 385
    {OperationKind::SendBackward, 13, 0, 1}, {OperationKind::ReceiveForward, 24, 0, 1}, {OperationKind::Forward, 24, 0, 0}, // 387
    {OperationKind::SendForward, 24, 0, 3}, {OperationKind::ReceiveBackward, 16, 1, 3}, // 390
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 1}, // 392
    {OperationKind::ReceiveForward, 27, 0, 1}, {OperationKind::Forward, 27, 0, 0}, {OperationKind::SendForward, 27, 0, 3}, // 394
    {OperationKind::ReceiveBackward, 21, 1, 3}, {OperationKind::Backward, 21, 1, 0}, // 397
    {OperationKind::SendBackward, 21, 1, 1}, {OperationKind::ReceiveForward, 24, 1, 1}, {OperationKind::Forward, 24, 1, 0}, // 399
    {OperationKind::SendForward, 24, 1, 3}, {OperationKind::ReceiveBackward, 16, 0, 3}, // 402
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 1}, // 404
    {OperationKind::ReceiveForward, 27, 1, 1}, {OperationKind::Forward, 27, 1, 0}, {OperationKind::SendForward, 27, 1, 3}, // 406
    {OperationKind::ReceiveBackward, 21, 0, 3}, {OperationKind::Backward, 21, 0, 0}, // 409
    {OperationKind::SendBackward, 21, 0, 1}, {OperationKind::ReceiveForward, 32, 0, 1}, {OperationKind::Forward, 32, 0, 0}, // 411
    {OperationKind::SendForward, 32, 0, 3}, {OperationKind::ReceiveBackward, 24, 1, 3}, // 414
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 1}, // 416
    {OperationKind::ReceiveForward, 35, 0, 1}, {OperationKind::Forward, 35, 0, 0}, {OperationKind::SendForward, 35, 0, 3}, // 418
    {OperationKind::ReceiveBackward, 29, 1, 3}, {OperationKind::Backward, 29, 1, 0}, // 421
    {OperationKind::SendBackward, 29, 1, 1}, {OperationKind::ReceiveForward, 32, 1, 1}, {OperationKind::Forward, 32, 1, 0}, // 423
    {OperationKind::SendForward, 32, 1, 3}, {OperationKind::ReceiveBackward, 24, 0, 3}, // 426
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 1}, // 428
    {OperationKind::ReceiveForward, 35, 1, 1}, {OperationKind::Forward, 35, 1, 0}, {OperationKind::SendForward, 35, 1, 3}, // 430
    {OperationKind::ReceiveBackward, 29, 0, 3}, {OperationKind::Backward, 29, 0, 0}, // 433
    {OperationKind::SendBackward, 29, 0, 1}, {OperationKind::ReceiveForward, 40, 0, 1}, {OperationKind::Forward, 40, 0, 0}, // 435
    {OperationKind::SendForward, 40, 0, 3}, {OperationKind::ReceiveBackward, 32, 1, 3}, // 438
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 1}, // 440
    {OperationKind::ReceiveForward, 43, 0, 1}, {OperationKind::Forward, 43, 0, 0}, {OperationKind::SendForward, 43, 0, 3}, // 442
    {OperationKind::ReceiveBackward, 37, 1, 3}, {OperationKind::Backward, 37, 1, 0}, // 445
    {OperationKind::SendBackward, 37, 1, 1}, {OperationKind::ReceiveForward, 40, 1, 1}, {OperationKind::Forward, 40, 1, 0}, // 447
    {OperationKind::SendForward, 40, 1, 3}, {OperationKind::ReceiveBackward, 32, 0, 3}, // 450
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 1}, // 452
    {OperationKind::ReceiveForward, 43, 1, 1}, {OperationKind::Forward, 43, 1, 0}, {OperationKind::SendForward, 43, 1, 3}, // 454
    {OperationKind::ReceiveBackward, 37, 0, 3}, {OperationKind::Backward, 37, 0, 0}, // 457
    {OperationKind::SendBackward, 37, 0, 1}, {OperationKind::ReceiveForward, 48, 0, 1}, {OperationKind::Forward, 48, 0, 0}, // 459
    {OperationKind::SendForward, 48, 0, 3}, {OperationKind::ReceiveBackward, 40, 1, 3}, // 462
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 1}, // 464
    {OperationKind::ReceiveForward, 51, 0, 1}, {OperationKind::Forward, 51, 0, 0}, {OperationKind::SendForward, 51, 0, 3}, // 466
    {OperationKind::ReceiveBackward, 45, 1, 3}, {OperationKind::Backward, 45, 1, 0}, // 469
    {OperationKind::SendBackward, 45, 1, 1}, {OperationKind::ReceiveForward, 48, 1, 1}, {OperationKind::Forward, 48, 1, 0}, // 471
    {OperationKind::SendForward, 48, 1, 3}, {OperationKind::ReceiveBackward, 40, 0, 3}, // 474
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 1}, // 476
    {OperationKind::ReceiveForward, 51, 1, 1}, {OperationKind::Forward, 51, 1, 0}, {OperationKind::SendForward, 51, 1, 3}, // 478
    {OperationKind::ReceiveBackward, 45, 0, 3}, {OperationKind::Backward, 45, 0, 0}, // 481
    {OperationKind::SendBackward, 45, 0, 1}, {OperationKind::ReceiveForward, 56, 0, 1}, {OperationKind::Forward, 56, 0, 0}, // 483
    {OperationKind::SendForward, 56, 0, 3}, {OperationKind::ReceiveBackward, 48, 1, 3}, // 486
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 1}, // 488
    {OperationKind::ReceiveForward, 59, 0, 1}, {OperationKind::Forward, 59, 0, 0}, {OperationKind::SendForward, 59, 0, 3}, // 490
    {OperationKind::ReceiveBackward, 53, 1, 3}, {OperationKind::Backward, 53, 1, 0}, // 493
    {OperationKind::SendBackward, 53, 1, 1}, {OperationKind::ReceiveForward, 56, 1, 1}, {OperationKind::Forward, 56, 1, 0}, // 495
    {OperationKind::SendForward, 56, 1, 3}, {OperationKind::ReceiveBackward, 48, 0, 3}, // 498
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 1}, // 500
    {OperationKind::ReceiveForward, 59, 1, 1}, {OperationKind::Forward, 59, 1, 0}, {OperationKind::SendForward, 59, 1, 3}, // 502
    {OperationKind::ReceiveBackward, 53, 0, 3}, {OperationKind::Backward, 53, 0, 0}, // 505
    {OperationKind::SendBackward, 53, 0, 1}, {OperationKind::ReceiveBackward, 56, 1, 3}, // 507
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 1}, // 509
    {OperationKind::ReceiveBackward, 56, 0, 3}, {OperationKind::Backward, 56, 0, 0}, // 511
    {OperationKind::SendBackward, 56, 0, 1}, {OperationKind::Wait, 0, 0, 0}, {OperationKind::Optimizer, 0, 0, 0}, // 513
    {OperationKind::ReceiveForward, 0, 0, 2}, {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 4}, // 516
    {OperationKind::ReceiveForward, 0, 1, 2}, {OperationKind::Forward, 0, 1, 0}, {OperationKind::SendForward, 0, 1, 4}, // 519
    {OperationKind::ReceiveForward, 8, 0, 2}, {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 4}, // 522
    {OperationKind::ReceiveBackward, 0, 1, 4}, {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 2}, // 525
    {OperationKind::ReceiveForward, 8, 1, 2}, {OperationKind::Forward, 8, 1, 0}, {OperationKind::SendForward, 8, 1, 4}, // 528
    {OperationKind::ReceiveBackward, 0, 0, 4}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 2}, // 531
    {OperationKind::ReceiveForward, 16, 0, 2}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 4}, // 534
    {OperationKind::ReceiveBackward, 8, 1, 4}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 2}, // 537
    {OperationKind::ReceiveForward, 16, 1, 2}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 4}, // 540
    {OperationKind::ReceiveBackward, 8, 0, 4}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 2}, // 543
    {OperationKind::ReceiveForward, 24, 0, 2}, {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 4}, // 546
    {OperationKind::ReceiveBackward, 16, 1, 4}, {OperationKind::Backward, 16, 1, 0}, // 549
    {OperationKind::SendBackward, 16, 1, 2}, {OperationKind::ReceiveForward, 24, 1, 2}, {OperationKind::Forward, 24, 1, 0}, // 551
    {OperationKind::SendForward, 24, 1, 4}, {OperationKind::ReceiveBackward, 16, 0, 4}, // 554
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 2}, // 556
    {OperationKind::ReceiveForward, 32, 0, 2}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 4}, // 558
    {OperationKind::ReceiveBackward, 24, 1, 4}, {OperationKind::Backward, 24, 1, 0}, // 561
    {OperationKind::SendBackward, 24, 1, 2}, {OperationKind::ReceiveForward, 32, 1, 2}, {OperationKind::Forward, 32, 1, 0}, // 563
    {OperationKind::SendForward, 32, 1, 4}, {OperationKind::ReceiveBackward, 24, 0, 4}, // 566
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 2}, // 568
    {OperationKind::ReceiveForward, 40, 0, 2}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 4}, // 570
    {OperationKind::ReceiveBackward, 32, 1, 4}, {OperationKind::Backward, 32, 1, 0}, // 573
    {OperationKind::SendBackward, 32, 1, 2}, {OperationKind::ReceiveForward, 40, 1, 2}, {OperationKind::Forward, 40, 1, 0}, // 575
    {OperationKind::SendForward, 40, 1, 4}, {OperationKind::ReceiveBackward, 32, 0, 4}, // 578
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 2}, // 580
    {OperationKind::ReceiveForward, 48, 0, 2}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 4}, // 582
    {OperationKind::ReceiveBackward, 40, 1, 4}, {OperationKind::Backward, 40, 1, 0}, // 585
    {OperationKind::SendBackward, 40, 1, 2}, {OperationKind::ReceiveForward, 48, 1, 2}, {OperationKind::Forward, 48, 1, 0}, // 587
    {OperationKind::SendForward, 48, 1, 4}, {OperationKind::ReceiveBackward, 40, 0, 4}, // 590
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 2}, // 592
    {OperationKind::ReceiveForward, 56, 0, 2}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 4}, // 594
    {OperationKind::ReceiveBackward, 48, 1, 4}, {OperationKind::Backward, 48, 1, 0}, // 597
    {OperationKind::SendBackward, 48, 1, 2}, {OperationKind::ReceiveForward, 56, 1, 2}, {OperationKind::Forward, 56, 1, 0}, // 599
    {OperationKind::SendForward, 56, 1, 4}, {OperationKind::ReceiveBackward, 48, 0, 4}, // 602
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 2}, // 604
    {OperationKind::ReceiveBackward, 56, 1, 4}, {OperationKind::Backward, 56, 1, 0}, // 606
    {OperationKind::SendBackward, 56, 1, 2}, {OperationKind::ReceiveBackward, 56, 0, 4}, // 608
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 2}, {OperationKind::Wait, 0, 0, 0}, // 610
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 3}, {OperationKind::Forward, 0, 0, 0}, // 613
    {OperationKind::SendForward, 0, 0, 5}, {OperationKind::ReceiveForward, 0, 1, 3}, {OperationKind::Forward, 0, 1, 0}, // 616
    {OperationKind::SendForward, 0, 1, 5}, {OperationKind::ReceiveBackward, 0, 1, 5}, {OperationKind::Backward, 0, 1, 0}, // 619
    {OperationKind::SendBackward, 0, 1, 3}, {OperationKind::ReceiveForward, 7, 1, 3}, {OperationKind::Forward, 7, 1, 0}, // 622
    {OperationKind::SendForward, 7, 1, 5}, {OperationKind::ReceiveBackward, 1, 1, 5}, {OperationKind::Backward, 1, 1, 0}, // 625
    {OperationKind::SendBackward, 1, 1, 3}, {OperationKind::ReceiveForward, 8, 0, 3}, {OperationKind::Forward, 8, 0, 0}, // 628
    {OperationKind::SendForward, 8, 0, 5}, {OperationKind::ReceiveBackward, 0, 0, 5}, {OperationKind::Backward, 0, 0, 0}, // 631
    {OperationKind::SendBackward, 0, 0, 3}, {OperationKind::ReceiveForward, 15, 0, 3}, {OperationKind::Forward, 15, 0, 0}, // 634
    {OperationKind::SendForward, 15, 0, 5}, {OperationKind::ReceiveBackward, 1, 0, 5}, {OperationKind::Backward, 1, 0, 0}, // 637
    {OperationKind::SendBackward, 1, 0, 3}, {OperationKind::ReceiveForward, 8, 1, 3}, {OperationKind::Forward, 8, 1, 0}, // 640
    {OperationKind::SendForward, 8, 1, 5}, {OperationKind::ReceiveBackward, 8, 1, 5}, {OperationKind::Backward, 8, 1, 0}, // 643
    {OperationKind::SendBackward, 8, 1, 3}, {OperationKind::ReceiveForward, 15, 1, 3}, {OperationKind::Forward, 15, 1, 0}, // 646
    {OperationKind::SendForward, 15, 1, 5}, {OperationKind::ReceiveBackward, 9, 1, 5}, {OperationKind::Backward, 9, 1, 0}, // 649
    {OperationKind::SendBackward, 9, 1, 3}, {OperationKind::ReceiveForward, 16, 0, 3}, {OperationKind::Forward, 16, 0, 0}, // 652
    {OperationKind::SendForward, 16, 0, 5}, {OperationKind::ReceiveBackward, 8, 0, 5}, {OperationKind::Backward, 8, 0, 0}, // 655
    {OperationKind::SendBackward, 8, 0, 3}, {OperationKind::ReceiveForward, 23, 0, 3}, {OperationKind::Forward, 23, 0, 0}, // 658
    {OperationKind::SendForward, 23, 0, 5}, {OperationKind::ReceiveBackward, 9, 0, 5}, {OperationKind::Backward, 9, 0, 0}, // 661
    {OperationKind::SendBackward, 9, 0, 3}, {OperationKind::ReceiveForward, 16, 1, 3}, {OperationKind::Forward, 16, 1, 0}, // 664
    {OperationKind::SendForward, 16, 1, 5}, {OperationKind::ReceiveBackward, 16, 1, 5}, // 667
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 3}, // 669
    {OperationKind::ReceiveForward, 23, 1, 3}, {OperationKind::Forward, 23, 1, 0}, {OperationKind::SendForward, 23, 1, 5}, // 671
    {OperationKind::ReceiveBackward, 17, 1, 5}, {OperationKind::Backward, 17, 1, 0}, // 674
    {OperationKind::SendBackward, 17, 1, 3}, {OperationKind::ReceiveForward, 24, 0, 3}, {OperationKind::Forward, 24, 0, 0}, // 676
    {OperationKind::SendForward, 24, 0, 5}, {OperationKind::ReceiveBackward, 16, 0, 5}, // 679
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 3}, // 681
    {OperationKind::ReceiveForward, 31, 0, 3}, {OperationKind::Forward, 31, 0, 0}, {OperationKind::SendForward, 31, 0, 5}, // 683
    {OperationKind::ReceiveBackward, 17, 0, 5}, {OperationKind::Backward, 17, 0, 0}, // 686
    {OperationKind::SendBackward, 17, 0, 3}, {OperationKind::ReceiveForward, 24, 1, 3}, {OperationKind::Forward, 24, 1, 0}, // 688
    {OperationKind::SendForward, 24, 1, 5}, {OperationKind::ReceiveBackward, 24, 1, 5}, // 691
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 3}, // 693
    {OperationKind::ReceiveForward, 31, 1, 3}, {OperationKind::Forward, 31, 1, 0}, {OperationKind::SendForward, 31, 1, 5}, // 695
    {OperationKind::ReceiveBackward, 25, 1, 5}, {OperationKind::Backward, 25, 1, 0}, // 698
    {OperationKind::SendBackward, 25, 1, 3}, {OperationKind::ReceiveForward, 32, 0, 3}, {OperationKind::Forward, 32, 0, 0}, // 700
    {OperationKind::SendForward, 32, 0, 5}, {OperationKind::ReceiveBackward, 24, 0, 5}, // 703
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 3}, // 705
    {OperationKind::ReceiveForward, 39, 0, 3}, {OperationKind::Forward, 39, 0, 0}, {OperationKind::SendForward, 39, 0, 5}, // 707
    {OperationKind::ReceiveBackward, 25, 0, 5}, {OperationKind::Backward, 25, 0, 0}, // 710
    {OperationKind::SendBackward, 25, 0, 3}, {OperationKind::ReceiveForward, 32, 1, 3}, {OperationKind::Forward, 32, 1, 0}, // 712
    {OperationKind::SendForward, 32, 1, 5}, {OperationKind::ReceiveBackward, 32, 1, 5}, // 715
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 3}, // 717
    {OperationKind::ReceiveForward, 39, 1, 3}, {OperationKind::Forward, 39, 1, 0}, {OperationKind::SendForward, 39, 1, 5}, // 719
    {OperationKind::ReceiveBackward, 33, 1, 5}, {OperationKind::Backward, 33, 1, 0}, // 722
    {OperationKind::SendBackward, 33, 1, 3}, {OperationKind::ReceiveForward, 40, 0, 3}, {OperationKind::Forward, 40, 0, 0}, // 724
    {OperationKind::SendForward, 40, 0, 5}, {OperationKind::ReceiveBackward, 32, 0, 5}, // 727
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 3}, // 729
    {OperationKind::ReceiveForward, 47, 0, 3}, {OperationKind::Forward, 47, 0, 0}, {OperationKind::SendForward, 47, 0, 5}, // 731
    {OperationKind::ReceiveBackward, 33, 0, 5}, {OperationKind::Backward, 33, 0, 0}, // 734
    {OperationKind::SendBackward, 33, 0, 3}, {OperationKind::ReceiveForward, 40, 1, 3}, {OperationKind::Forward, 40, 1, 0}, // 736
    {OperationKind::SendForward, 40, 1, 5}, {OperationKind::ReceiveBackward, 40, 1, 5}, // 739
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 3}, // 741
    {OperationKind::ReceiveForward, 47, 1, 3}, {OperationKind::Forward, 47, 1, 0}, {OperationKind::SendForward, 47, 1, 5}, // 743
    {OperationKind::ReceiveBackward, 41, 1, 5}, {OperationKind::Backward, 41, 1, 0}, // 746
    {OperationKind::SendBackward, 41, 1, 3}, {OperationKind::ReceiveForward, 48, 0, 3}, {OperationKind::Forward, 48, 0, 0}, // 748
    {OperationKind::SendForward, 48, 0, 5}, {OperationKind::ReceiveBackward, 40, 0, 5}, // 751
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 3}, // 753
    {OperationKind::ReceiveForward, 55, 0, 3}, {OperationKind::Forward, 55, 0, 0}, {OperationKind::SendForward, 55, 0, 5}, // 755
    {OperationKind::ReceiveBackward, 41, 0, 5}, {OperationKind::Backward, 41, 0, 0}, // 758
    {OperationKind::SendBackward, 41, 0, 3}, {OperationKind::ReceiveForward, 48, 1, 3}, {OperationKind::Forward, 48, 1, 0}, // 760
    {OperationKind::SendForward, 48, 1, 5}, {OperationKind::ReceiveBackward, 48, 1, 5}, // 763
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 3}, // 765
    {OperationKind::ReceiveForward, 55, 1, 3}, {OperationKind::Forward, 55, 1, 0}, {OperationKind::SendForward, 55, 1, 5}, // 767
    {OperationKind::ReceiveBackward, 49, 1, 5}, {OperationKind::Backward, 49, 1, 0}, // 770
    {OperationKind::SendBackward, 49, 1, 3}, {OperationKind::ReceiveForward, 56, 0, 3}, {OperationKind::Forward, 56, 0, 0}, // 772
    {OperationKind::SendForward, 56, 0, 5}, {OperationKind::ReceiveBackward, 48, 0, 5}, // 775
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 3}, // 777
    {OperationKind::ReceiveForward, 63, 0, 3}, {OperationKind::Forward, 63, 0, 0}, {OperationKind::SendForward, 63, 0, 5}, // 779
    {OperationKind::ReceiveBackward, 49, 0, 5}, {OperationKind::Backward, 49, 0, 0}, // 782
    {OperationKind::SendBackward, 49, 0, 3}, {OperationKind::ReceiveForward, 56, 1, 3}, {OperationKind::Forward, 56, 1, 0}, // 784
    {OperationKind::SendForward, 56, 1, 5}, {OperationKind::ReceiveBackward, 56, 1, 5}, // 787
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 3}, // 789
    {OperationKind::ReceiveForward, 63, 1, 3}, {OperationKind::Forward, 63, 1, 0}, {OperationKind::SendForward, 63, 1, 5}, // 791
    {OperationKind::ReceiveBackward, 57, 1, 5}, {OperationKind::Backward, 57, 1, 0}, // 794
    {OperationKind::SendBackward, 57, 1, 3}, {OperationKind::ReceiveBackward, 56, 0, 5}, // 796
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 3}, {OperationKind::Wait, 0, 0, 0}, // 798
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 4}, {OperationKind::Forward, 0, 0, 0}, // 801
    {OperationKind::SendForward, 0, 0, 6}, {OperationKind::ReceiveForward, 0, 1, 4}, {OperationKind::Forward, 0, 1, 0}, // 804
    {OperationKind::SendForward, 0, 1, 6}, {OperationKind::ReceiveBackward, 0, 1, 6}, {OperationKind::Backward, 0, 1, 0}, // 807
    {OperationKind::SendBackward, 0, 1, 4}, {OperationKind::ReceiveForward, 5, 1, 4}, {OperationKind::Forward, 5, 1, 0}, // 810
    {OperationKind::SendForward, 5, 1, 6}, {OperationKind::ReceiveBackward, 3, 1, 6}, {OperationKind::Backward, 3, 1, 0}, // 813
    {OperationKind::SendBackward, 3, 1, 4}, {OperationKind::ReceiveForward, 8, 0, 4}, {OperationKind::Forward, 8, 0, 0}, // 816
    {OperationKind::SendForward, 8, 0, 6}, {OperationKind::ReceiveBackward, 0, 0, 6}, {OperationKind::Backward, 0, 0, 0}, // 819
    {OperationKind::SendBackward, 0, 0, 4}, {OperationKind::ReceiveForward, 13, 0, 4}, {OperationKind::Forward, 13, 0, 0}, // 822
    {OperationKind::SendForward, 13, 0, 6}, {OperationKind::ReceiveBackward, 3, 0, 6}, {OperationKind::Backward, 3, 0, 0}, // 825
    {OperationKind::SendBackward, 3, 0, 4}, {OperationKind::ReceiveForward, 8, 1, 4}, {OperationKind::Forward, 8, 1, 0}, // 828
    {OperationKind::SendForward, 8, 1, 6}, {OperationKind::ReceiveBackward, 8, 1, 6}, {OperationKind::Backward, 8, 1, 0}, // 831
    {OperationKind::SendBackward, 8, 1, 4}, {OperationKind::ReceiveForward, 13, 1, 4}, {OperationKind::Forward, 13, 1, 0}, // 834
    {OperationKind::SendForward, 13, 1, 6}, {OperationKind::ReceiveBackward, 11, 1, 6}, // 837
    {OperationKind::Backward, 11, 1, 0}, {OperationKind::SendBackward, 11, 1, 4}, // 839
    {OperationKind::ReceiveForward, 16, 0, 4}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 6}, // 841
    {OperationKind::ReceiveBackward, 8, 0, 6}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 4}, // 844
    {OperationKind::ReceiveForward, 21, 0, 4}, {OperationKind::Forward, 21, 0, 0}, {OperationKind::SendForward, 21, 0, 6}, // 847
    {OperationKind::ReceiveBackward, 11, 0, 6}, {OperationKind::Backward, 11, 0, 0}, // 850
    {OperationKind::SendBackward, 11, 0, 4}, {OperationKind::ReceiveForward, 16, 1, 4}, {OperationKind::Forward, 16, 1, 0}, // 852
    {OperationKind::SendForward, 16, 1, 6}, {OperationKind::ReceiveBackward, 16, 1, 6}, // 855
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 4}, // 857
    {OperationKind::ReceiveForward, 21, 1, 4}, {OperationKind::Forward, 21, 1, 0}, {OperationKind::SendForward, 21, 1, 6}, // 859
    {OperationKind::ReceiveBackward, 19, 1, 6}, {OperationKind::Backward, 19, 1, 0}, // 862
    {OperationKind::SendBackward, 19, 1, 4}, {OperationKind::ReceiveForward, 24, 0, 4}, {OperationKind::Forward, 24, 0, 0}, // 864
    {OperationKind::SendForward, 24, 0, 6}, {OperationKind::ReceiveBackward, 16, 0, 6}, // 867
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 4}, // 869
    {OperationKind::ReceiveForward, 29, 0, 4}, {OperationKind::Forward, 29, 0, 0}, {OperationKind::SendForward, 29, 0, 6}, // 871
    {OperationKind::ReceiveBackward, 19, 0, 6}, {OperationKind::Backward, 19, 0, 0}, // 874
    {OperationKind::SendBackward, 19, 0, 4}, {OperationKind::ReceiveForward, 24, 1, 4}, {OperationKind::Forward, 24, 1, 0}, // 876
    {OperationKind::SendForward, 24, 1, 6}, {OperationKind::ReceiveBackward, 24, 1, 6}, // 879
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 4}, // 881
    {OperationKind::ReceiveForward, 29, 1, 4}, {OperationKind::Forward, 29, 1, 0}, {OperationKind::SendForward, 29, 1, 6}, // 883
    {OperationKind::ReceiveBackward, 27, 1, 6}, {OperationKind::Backward, 27, 1, 0}, // 886
    {OperationKind::SendBackward, 27, 1, 4}, {OperationKind::ReceiveForward, 32, 0, 4}, {OperationKind::Forward, 32, 0, 0}, // 888
    {OperationKind::SendForward, 32, 0, 6}, {OperationKind::ReceiveBackward, 24, 0, 6}, // 891
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 4}, // 893
    {OperationKind::ReceiveForward, 37, 0, 4}, {OperationKind::Forward, 37, 0, 0}, {OperationKind::SendForward, 37, 0, 6}, // 895
    {OperationKind::ReceiveBackward, 27, 0, 6}, {OperationKind::Backward, 27, 0, 0}, // 898
    {OperationKind::SendBackward, 27, 0, 4}, {OperationKind::ReceiveForward, 32, 1, 4}, {OperationKind::Forward, 32, 1, 0}, // 900
    {OperationKind::SendForward, 32, 1, 6}, {OperationKind::ReceiveBackward, 32, 1, 6}, // 903
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 4}, // 905
    {OperationKind::ReceiveForward, 37, 1, 4}, {OperationKind::Forward, 37, 1, 0}, {OperationKind::SendForward, 37, 1, 6}, // 907
    {OperationKind::ReceiveBackward, 35, 1, 6}, {OperationKind::Backward, 35, 1, 0}, // 910
    {OperationKind::SendBackward, 35, 1, 4}, {OperationKind::ReceiveForward, 40, 0, 4}, {OperationKind::Forward, 40, 0, 0}, // 912
    {OperationKind::SendForward, 40, 0, 6}, {OperationKind::ReceiveBackward, 32, 0, 6}, // 915
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 4}, // 917
    {OperationKind::ReceiveForward, 45, 0, 4}, {OperationKind::Forward, 45, 0, 0}, {OperationKind::SendForward, 45, 0, 6}, // 919
    {OperationKind::ReceiveBackward, 35, 0, 6}, {OperationKind::Backward, 35, 0, 0}, // 922
    {OperationKind::SendBackward, 35, 0, 4}, {OperationKind::ReceiveForward, 40, 1, 4}, {OperationKind::Forward, 40, 1, 0}, // 924
    {OperationKind::SendForward, 40, 1, 6}, {OperationKind::ReceiveBackward, 40, 1, 6}, // 927
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 4}, // 929
    {OperationKind::ReceiveForward, 45, 1, 4}, {OperationKind::Forward, 45, 1, 0}, {OperationKind::SendForward, 45, 1, 6}, // 931
    {OperationKind::ReceiveBackward, 43, 1, 6}, {OperationKind::Backward, 43, 1, 0}, // 934
    {OperationKind::SendBackward, 43, 1, 4}, {OperationKind::ReceiveForward, 48, 0, 4}, {OperationKind::Forward, 48, 0, 0}, // 936
    {OperationKind::SendForward, 48, 0, 6}, {OperationKind::ReceiveBackward, 40, 0, 6}, // 939
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 4}, // 941
    {OperationKind::ReceiveForward, 53, 0, 4}, {OperationKind::Forward, 53, 0, 0}, {OperationKind::SendForward, 53, 0, 6}, // 943
    {OperationKind::ReceiveBackward, 43, 0, 6}, {OperationKind::Backward, 43, 0, 0}, // 946
    {OperationKind::SendBackward, 43, 0, 4}, {OperationKind::ReceiveForward, 48, 1, 4}, {OperationKind::Forward, 48, 1, 0}, // 948
    {OperationKind::SendForward, 48, 1, 6}, {OperationKind::ReceiveBackward, 48, 1, 6}, // 951
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 4}, // 953
    {OperationKind::ReceiveForward, 53, 1, 4}, {OperationKind::Forward, 53, 1, 0}, {OperationKind::SendForward, 53, 1, 6}, // 955
    {OperationKind::ReceiveBackward, 51, 1, 6}, {OperationKind::Backward, 51, 1, 0}, // 958
    {OperationKind::SendBackward, 51, 1, 4}, {OperationKind::ReceiveForward, 56, 0, 4}, {OperationKind::Forward, 56, 0, 0}, // 960
    {OperationKind::SendForward, 56, 0, 6}, {OperationKind::ReceiveBackward, 48, 0, 6}, // 963
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 4}, // 965
    {OperationKind::ReceiveForward, 61, 0, 4}, {OperationKind::Forward, 61, 0, 0}, {OperationKind::SendForward, 61, 0, 6}, // 967
    {OperationKind::ReceiveBackward, 51, 0, 6}, {OperationKind::Backward, 51, 0, 0}, // 970
    {OperationKind::SendBackward, 51, 0, 4}, {OperationKind::ReceiveForward, 56, 1, 4}, {OperationKind::Forward, 56, 1, 0}, // 972
    {OperationKind::SendForward, 56, 1, 6}, {OperationKind::ReceiveBackward, 56, 1, 6}, // 975
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 4}, // 977
    {OperationKind::ReceiveForward, 61, 1, 4}, {OperationKind::Forward, 61, 1, 0}, {OperationKind::SendForward, 61, 1, 6}, // 979
    {OperationKind::ReceiveBackward, 59, 1, 6}, {OperationKind::Backward, 59, 1, 0}, // 982
    {OperationKind::SendBackward, 59, 1, 4}, {OperationKind::ReceiveBackward, 56, 0, 6}, // 984
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 4}, {OperationKind::Wait, 0, 0, 0}, // 986
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 5}, {OperationKind::Forward, 0, 0, 0}, // 989
    {OperationKind::SendForward, 0, 0, 7}, {OperationKind::ReceiveForward, 0, 1, 5}, {OperationKind::Forward, 0, 1, 0}, // 992
    {OperationKind::SendForward, 0, 1, 7}, {OperationKind::ReceiveBackward, 0, 1, 7}, {OperationKind::Backward, 0, 1, 0}, // 995
    {OperationKind::SendBackward, 0, 1, 5}, {OperationKind::ReceiveForward, 3, 1, 5}, {OperationKind::Forward, 3, 1, 0}, // 998
    {OperationKind::SendForward, 3, 1, 7}, {OperationKind::ReceiveBackward, 5, 1, 7}, {OperationKind::Backward, 5, 1, 0}, // 1001
    {OperationKind::SendBackward, 5, 1, 5}, {OperationKind::ReceiveForward, 8, 0, 5}, {OperationKind::Forward, 8, 0, 0}, // 1004
    {OperationKind::SendForward, 8, 0, 7}, {OperationKind::ReceiveBackward, 0, 0, 7}, {OperationKind::Backward, 0, 0, 0}, // 1007
    {OperationKind::SendBackward, 0, 0, 5}, {OperationKind::ReceiveForward, 11, 0, 5}, {OperationKind::Forward, 11, 0, 0}, // 1010
    {OperationKind::SendForward, 11, 0, 7}, {OperationKind::ReceiveBackward, 5, 0, 7}, {OperationKind::Backward, 5, 0, 0}, // 1013
    {OperationKind::SendBackward, 5, 0, 5}, {OperationKind::ReceiveForward, 8, 1, 5}, {OperationKind::Forward, 8, 1, 0}, // 1016
    {OperationKind::SendForward, 8, 1, 7}, {OperationKind::ReceiveBackward, 8, 1, 7}, {OperationKind::Backward, 8, 1, 0}, // 1019
    {OperationKind::SendBackward, 8, 1, 5}, {OperationKind::ReceiveForward, 11, 1, 5}, {OperationKind::Forward, 11, 1, 0}, // 1022
    {OperationKind::SendForward, 11, 1, 7}, {OperationKind::ReceiveBackward, 13, 1, 7}, // 1025
    {OperationKind::Backward, 13, 1, 0}, {OperationKind::SendBackward, 13, 1, 5}, // 1027
    {OperationKind::ReceiveForward, 16, 0, 5}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 7}, // 1029
    {OperationKind::ReceiveBackward, 8, 0, 7}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 5}, // 1032
    {OperationKind::ReceiveForward, 19, 0, 5}, {OperationKind::Forward, 19, 0, 0}, {OperationKind::SendForward, 19, 0, 7}, // 1035
    {OperationKind::ReceiveBackward, 13, 0, 7}, {OperationKind::Backward, 13, 0, 0}, // 1038
    {OperationKind::SendBackward, 13, 0, 5}, {OperationKind::ReceiveForward, 16, 1, 5}, // 1040
    {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 7}, // 1042
    {OperationKind::ReceiveBackward, 16, 1, 7}, {OperationKind::Backward, 16, 1, 0}, // 1044
    {OperationKind::SendBackward, 16, 1, 5}, {OperationKind::ReceiveForward, 19, 1, 5}, // 1046
    {OperationKind::Forward, 19, 1, 0}, {OperationKind::SendForward, 19, 1, 7}, // 1048
    {OperationKind::ReceiveBackward, 21, 1, 7}, {OperationKind::Backward, 21, 1, 0}, // 1050
    {OperationKind::SendBackward, 21, 1, 5}, {OperationKind::ReceiveForward, 24, 0, 5}, // 1052
    {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 7}, // 1054
    {OperationKind::ReceiveBackward, 16, 0, 7}, {OperationKind::Backward, 16, 0, 0}, // 1056
    {OperationKind::SendBackward, 16, 0, 5}, {OperationKind::ReceiveForward, 27, 0, 5}, // 1058
    {OperationKind::Forward, 27, 0, 0}, {OperationKind::SendForward, 27, 0, 7}, // 1060
    {OperationKind::ReceiveBackward, 21, 0, 7}, {OperationKind::Backward, 21, 0, 0}, // 1062
    {OperationKind::SendBackward, 21, 0, 5}, {OperationKind::ReceiveForward, 24, 1, 5}, // 1064
    {OperationKind::Forward, 24, 1, 0}, {OperationKind::SendForward, 24, 1, 7}, // 1066
    {OperationKind::ReceiveBackward, 24, 1, 7}, {OperationKind::Backward, 24, 1, 0}, // 1068
    {OperationKind::SendBackward, 24, 1, 5}, {OperationKind::ReceiveForward, 27, 1, 5}, // 1070
    {OperationKind::Forward, 27, 1, 0}, {OperationKind::SendForward, 27, 1, 7}, // 1072
    {OperationKind::ReceiveBackward, 29, 1, 7}, {OperationKind::Backward, 29, 1, 0}, // 1074
    {OperationKind::SendBackward, 29, 1, 5}, {OperationKind::ReceiveForward, 32, 0, 5}, // 1076
    {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 7}, // 1078
    {OperationKind::ReceiveBackward, 24, 0, 7}, {OperationKind::Backward, 24, 0, 0}, // 1080
    {OperationKind::SendBackward, 24, 0, 5}, {OperationKind::ReceiveForward, 35, 0, 5}, // 1082
    {OperationKind::Forward, 35, 0, 0}, {OperationKind::SendForward, 35, 0, 7}, // 1084
    {OperationKind::ReceiveBackward, 29, 0, 7}, {OperationKind::Backward, 29, 0, 0}, // 1086
    {OperationKind::SendBackward, 29, 0, 5}, {OperationKind::ReceiveForward, 32, 1, 5}, // 1088
    {OperationKind::Forward, 32, 1, 0}, {OperationKind::SendForward, 32, 1, 7}, // 1090
    {OperationKind::ReceiveBackward, 32, 1, 7}, {OperationKind::Backward, 32, 1, 0}, // 1092
    {OperationKind::SendBackward, 32, 1, 5}, {OperationKind::ReceiveForward, 35, 1, 5}, // 1094
    {OperationKind::Forward, 35, 1, 0}, {OperationKind::SendForward, 35, 1, 7}, // 1096
    {OperationKind::ReceiveBackward, 37, 1, 7}, {OperationKind::Backward, 37, 1, 0}, // 1098
    {OperationKind::SendBackward, 37, 1, 5}, {OperationKind::ReceiveForward, 40, 0, 5}, // 1100
    {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 7}, // 1102
    {OperationKind::ReceiveBackward, 32, 0, 7}, {OperationKind::Backward, 32, 0, 0}, // 1104
    {OperationKind::SendBackward, 32, 0, 5}, {OperationKind::ReceiveForward, 43, 0, 5}, // 1106
    {OperationKind::Forward, 43, 0, 0}, {OperationKind::SendForward, 43, 0, 7}, // 1108
    {OperationKind::ReceiveBackward, 37, 0, 7}, {OperationKind::Backward, 37, 0, 0}, // 1110
    {OperationKind::SendBackward, 37, 0, 5}, {OperationKind::ReceiveForward, 40, 1, 5}, // 1112
    {OperationKind::Forward, 40, 1, 0}, {OperationKind::SendForward, 40, 1, 7}, // 1114
    {OperationKind::ReceiveBackward, 40, 1, 7}, {OperationKind::Backward, 40, 1, 0}, // 1116
    {OperationKind::SendBackward, 40, 1, 5}, {OperationKind::ReceiveForward, 43, 1, 5}, // 1118
    {OperationKind::Forward, 43, 1, 0}, {OperationKind::SendForward, 43, 1, 7}, // 1120
    {OperationKind::ReceiveBackward, 45, 1, 7}, {OperationKind::Backward, 45, 1, 0}, // 1122
    {OperationKind::SendBackward, 45, 1, 5}, {OperationKind::ReceiveForward, 48, 0, 5}, // 1124
    {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 7}, // 1126
    {OperationKind::ReceiveBackward, 40, 0, 7}, {OperationKind::Backward, 40, 0, 0}, // 1128
    {OperationKind::SendBackward, 40, 0, 5}, {OperationKind::ReceiveForward, 51, 0, 5}, // 1130
    {OperationKind::Forward, 51, 0, 0}, {OperationKind::SendForward, 51, 0, 7}, // 1132
    {OperationKind::ReceiveBackward, 45, 0, 7}, {OperationKind::Backward, 45, 0, 0}, // 1134
    {OperationKind::SendBackward, 45, 0, 5}, {OperationKind::ReceiveForward, 48, 1, 5}, // 1136
    {OperationKind::Forward, 48, 1, 0}, {OperationKind::SendForward, 48, 1, 7}, // 1138
    {OperationKind::ReceiveBackward, 48, 1, 7}, {OperationKind::Backward, 48, 1, 0}, // 1140
    {OperationKind::SendBackward, 48, 1, 5}, {OperationKind::ReceiveForward, 51, 1, 5}, // 1142
    {OperationKind::Forward, 51, 1, 0}, {OperationKind::SendForward, 51, 1, 7}, // 1144
    {OperationKind::ReceiveBackward, 53, 1, 7}, {OperationKind::Backward, 53, 1, 0}, // 1146
    {OperationKind::SendBackward, 53, 1, 5}, {OperationKind::ReceiveForward, 56, 0, 5}, // 1148
    {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 7}, // 1150
    {OperationKind::ReceiveBackward, 48, 0, 7}, {OperationKind::Backward, 48, 0, 0}, // 1152
    {OperationKind::SendBackward, 48, 0, 5}, {OperationKind::ReceiveForward, 59, 0, 5}, // 1154
    {OperationKind::Forward, 59, 0, 0}, {OperationKind::SendForward, 59, 0, 7}, // 1156
    {OperationKind::ReceiveBackward, 53, 0, 7}, {OperationKind::Backward, 53, 0, 0}, // 1158
    {OperationKind::SendBackward, 53, 0, 5}, {OperationKind::ReceiveForward, 56, 1, 5}, // 1160
    {OperationKind::Forward, 56, 1, 0}, {OperationKind::SendForward, 56, 1, 7}, // 1162
    {OperationKind::ReceiveBackward, 56, 1, 7}, {OperationKind::Backward, 56, 1, 0}, // 1164
    {OperationKind::SendBackward, 56, 1, 5}, {OperationKind::ReceiveForward, 59, 1, 5}, // 1166
    {OperationKind::Forward, 59, 1, 0}, {OperationKind::SendForward, 59, 1, 7}, // 1168
    {OperationKind::ReceiveBackward, 61, 1, 7}, {OperationKind::Backward, 61, 1, 0}, // 1170
    {OperationKind::SendBackward, 61, 1, 5}, {OperationKind::ReceiveBackward, 56, 0, 7}, // 1172
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 5}, {OperationKind::Wait, 0, 0, 0}, // 1174
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 0, 6}, {OperationKind::Forward, 0, 0, 0}, // 1177
    {OperationKind::SendForward, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 1, 6}, {OperationKind::Forward, 0, 1, 0}, // 1180
    {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 6}, {OperationKind::ReceiveForward, 8, 0, 6}, // 1183
    {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 0}, {OperationKind::ReceiveBackward, 0, 1, 0}, // 1186
    {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 6}, {OperationKind::ReceiveForward, 8, 1, 6}, // 1189
    {OperationKind::Forward, 8, 1, 0}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 6}, // 1192
    {OperationKind::ReceiveForward, 16, 0, 6}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 0}, // 1195
    {OperationKind::ReceiveBackward, 8, 1, 0}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 6}, // 1198
    {OperationKind::ReceiveForward, 16, 1, 6}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::Backward, 16, 1, 0}, // 1201
    {OperationKind::SendBackward, 16, 1, 6}, {OperationKind::ReceiveForward, 24, 0, 6}, // 1204
    {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 0}, // 1206
    {OperationKind::ReceiveBackward, 16, 1, 0}, {OperationKind::Backward, 16, 0, 0}, // 1208
    {OperationKind::SendBackward, 16, 0, 6}, {OperationKind::ReceiveForward, 24, 1, 6}, // 1210
    {OperationKind::Forward, 24, 1, 0}, {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 6}, // 1212
    {OperationKind::ReceiveForward, 32, 0, 6}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 0}, // 1215
    {OperationKind::ReceiveBackward, 24, 1, 0}, {OperationKind::Backward, 24, 0, 0}, // 1218
    {OperationKind::SendBackward, 24, 0, 6}, {OperationKind::ReceiveForward, 32, 1, 6}, // 1220
    {OperationKind::Forward, 32, 1, 0}, {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 6}, // 1222
    {OperationKind::ReceiveForward, 40, 0, 6}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 0}, // 1225
    {OperationKind::ReceiveBackward, 32, 1, 0}, {OperationKind::Backward, 32, 0, 0}, // 1228
    {OperationKind::SendBackward, 32, 0, 6}, {OperationKind::ReceiveForward, 40, 1, 6}, // 1230
    {OperationKind::Forward, 40, 1, 0}, {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 6}, // 1232
    {OperationKind::ReceiveForward, 48, 0, 6}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 0}, // 1235
    {OperationKind::ReceiveBackward, 40, 1, 0}, {OperationKind::Backward, 40, 0, 0}, // 1238
    {OperationKind::SendBackward, 40, 0, 6}, {OperationKind::ReceiveForward, 48, 1, 6}, // 1240
    {OperationKind::Forward, 48, 1, 0}, {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 6}, // 1242
    {OperationKind::ReceiveForward, 56, 0, 6}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 0}, // 1245
    {OperationKind::ReceiveBackward, 48, 1, 0}, {OperationKind::Backward, 48, 0, 0}, // 1248
    {OperationKind::SendBackward, 48, 0, 6}, {OperationKind::ReceiveForward, 56, 1, 6}, // 1250
    {OperationKind::Forward, 56, 1, 0}, {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 6}, // 1252
    {OperationKind::ReceiveBackward, 56, 1, 0}, {OperationKind::Backward, 56, 0, 0}, // 1255
    {OperationKind::SendBackward, 56, 0, 6}, {OperationKind::Wait, 0, 0, 0}, {OperationKind::Optimizer, 0, 0, 0}, // 1257
}};

// first operation, operations, times
inline constexpr std::array<Loop, 241> loops{{
    {0, 2, 8}, {2, 3, 8}, {5, 2, 7}, {7, 5, 1}, {12, 6, 7}, {18, 5, 1}, {23, 4, 7}, {27, 5, 1}, {32, 6, 7}, {38, 5, 1}, // 0
    {43, 4, 7}, {47, 5, 1}, {52, 6, 7}, {58, 5, 1}, {63, 4, 7}, {67, 5, 1}, {72, 6, 7}, {78, 5, 1}, {83, 4, 7}, {87, 5, 1}, // 10
    {92, 6, 7}, {98, 5, 1}, {103, 4, 7}, {107, 5, 1}, {112, 6, 7}, {118, 5, 1}, {123, 4, 7}, {127, 5, 1}, {132, 6, 7}, // 20
    {138, 5, 1}, {143, 2, 7}, {145, 3, 8}, {148, 2, 8}, {150, 2, 1}, {152, 3, 8}, {155, 3, 8}, {158, 3, 5}, {161, 6, 3}, // 29
    {167, 6, 5}, {173, 6, 3}, {179, 6, 5}, {185, 6, 3}, {191, 6, 5}, {197, 6, 3}, {203, 6, 5}, {209, 6, 3}, {215, 6, 5}, // 38
    {221, 6, 3}, {227, 6, 5}, {233, 6, 3}, {239, 6, 5}, {245, 6, 3}, {251, 6, 5}, {257, 6, 3}, {263, 6, 5}, {269, 6, 3}, // 47
    {275, 6, 5}, {281, 6, 3}, {287, 6, 5}, {293, 6, 3}, {299, 6, 5}, {305, 6, 3}, {311, 6, 5}, {317, 6, 3}, {323, 3, 5}, // 56
    {326, 3, 8}, {329, 3, 8}, {332, 2, 1}, {334, 3, 8}, {337, 3, 8}, {340, 3, 3}, {343, 6, 5}, {349, 6, 3}, {355, 6, 5}, // 65
    {361, 6, 3}, {367, 6, 5}, {373, 6, 3}, {379, 6, 5}, {385, 6, 3}, {391, 6, 5}, {397, 6, 3}, {403, 6, 5}, {409, 6, 3}, // 74
    {415, 6, 5}, {421, 6, 3}, {427, 6, 5}, {433, 6, 3}, {439, 6, 5}, {445, 6, 3}, {451, 6, 5}, {457, 6, 3}, {463, 6, 5}, // 83
    {469, 6, 3}, {475, 6, 5}, {481, 6, 3}, {487, 6, 5}, {493, 6, 3}, {499, 6, 5}, {505, 3, 3}, {508, 3, 8}, {511, 3, 8}, // 92
    {514, 2, 1}, {516, 3, 8}, {519, 3, 8}, {522, 6, 8}, {528, 6, 8}, {534, 6, 8}, {540, 6, 8}, {546, 6, 8}, {552, 6, 8}, // 101
    {558, 6, 8}, {564, 6, 8}, {570, 6, 8}, {576, 6, 8}, {582, 6, 8}, {588, 6, 8}, {594, 6, 8}, {600, 6, 8}, {606, 3, 8}, // 110
    {609, 3, 8}, {612, 2, 1}, {614, 3, 8}, {617, 3, 7}, {620, 6, 1}, {626, 6, 7}, {632, 6, 1}, {638, 6, 7}, {644, 6, 1}, // 119
    {650, 6, 7}, {656, 6, 1}, {662, 6, 7}, {668, 6, 1}, {674, 6, 7}, {680, 6, 1}, {686, 6, 7}, {692, 6, 1}, {698, 6, 7}, // 128
    {704, 6, 1}, {710, 6, 7}, {716, 6, 1}, {722, 6, 7}, {728, 6, 1}, {734, 6, 7}, {740, 6, 1}, {746, 6, 7}, {752, 6, 1}, // 137
    {758, 6, 7}, {764, 6, 1}, {770, 6, 7}, {776, 6, 1}, {782, 6, 7}, {788, 6, 1}, {794, 3, 7}, {797, 3, 8}, {800, 2, 1}, // 146
    {802, 3, 8}, {805, 3, 5}, {808, 6, 3}, {814, 6, 5}, {820, 6, 3}, {826, 6, 5}, {832, 6, 3}, {838, 6, 5}, {844, 6, 3}, // 155
    {850, 6, 5}, {856, 6, 3}, {862, 6, 5}, {868, 6, 3}, {874, 6, 5}, {880, 6, 3}, {886, 6, 5}, {892, 6, 3}, {898, 6, 5}, // 164
    {904, 6, 3}, {910, 6, 5}, {916, 6, 3}, {922, 6, 5}, {928, 6, 3}, {934, 6, 5}, {940, 6, 3}, {946, 6, 5}, {952, 6, 3}, // 173
    {958, 6, 5}, {964, 6, 3}, {970, 6, 5}, {976, 6, 3}, {982, 3, 5}, {985, 3, 8}, {988, 2, 1}, {990, 3, 8}, {993, 3, 3}, // 182
    {996, 6, 5}, {1002, 6, 3}, {1008, 6, 5}, {1014, 6, 3}, {1020, 6, 5}, {1026, 6, 3}, {1032, 6, 5}, {1038, 6, 3}, // 191
    {1044, 6, 5}, {1050, 6, 3}, {1056, 6, 5}, {1062, 6, 3}, {1068, 6, 5}, {1074, 6, 3}, {1080, 6, 5}, {1086, 6, 3}, // 199
    {1092, 6, 5}, {1098, 6, 3}, {1104, 6, 5}, {1110, 6, 3}, {1116, 6, 5}, {1122, 6, 3}, {1128, 6, 5}, {1134, 6, 3}, // 207
    {1140, 6, 5}, {1146, 6, 3}, {1152, 6, 5}, {1158, 6, 3}, {1164, 6, 5}, {1170, 3, 3}, {1173, 3, 8}, {1176, 2, 1}, // 215
    {1178, 3, 8}, {1181, 4, 8}, {1185, 6, 8}, {1191, 4, 8}, {1195, 6, 8}, {1201, 4, 8}, {1205, 6, 8}, {1211, 4, 8}, // 223
    {1215, 6, 8}, {1221, 4, 8}, {1225, 6, 8}, {1231, 4, 8}, {1235, 6, 8}, {1241, 4, 8}, {1245, 6, 8}, {1251, 4, 8}, // 231
    {1255, 3, 8}, {1258, 2, 1}, // 239
}};

// first loop, loops, ns of the update
inline constexpr std::array<RankList, 8> ranks{{
    {0, 34, 2345711}, {34, 34, 2087841}, {68, 34, 2087841}, {102, 19, 2087841}, {121, 34, 2087841}, {155, 34, 2087841}, // 0
    {189, 34, 2087841}, {223, 18, 2345727}, // 6
}};

inline constexpr Plan plan{
    "\"dense3d of examples/llama3_70b_h100.dpl\"",
    "HASH",
    512, // ranks
    8, // pipeline ranks
    64, // their stride
    2, // chunks of each
    64, // micro-batches
    64, // of a chunk
    16777216, // bytes of a message
    10492106426, // ns of a step, as predicted
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
