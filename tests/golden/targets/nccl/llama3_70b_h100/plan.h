// dense3d of examples/llama3_70b_h100.dpl, plan HASH.
// Written by dplc 0.1.0 for NCCL; an edit is lost with the next emit.
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

// count, stride, period
inline constexpr std::array<Factor, 2> factors{{
    {8, 1, 8}, {8, 8, 64}, // 0
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 2> groups{{
    {"tensor", 0, 1, 8}, {"data", 1, 1, 8}, // 0
}};

// kind, purpose, group, bytes, count, overlapped
inline constexpr std::array<Call, 11> calls{{
    {CallKind::AllGather, "tensor_activation", 0, 134217728, 1280, false}, // 0
    {CallKind::ReduceScatter, "tensor_activation", 0, 134217728, 1280, false}, // 1
    {CallKind::AllGather, "tensor_activation", 0, 134217728, 640, true}, // 2
    {CallKind::ReduceScatter, "tensor_activation", 0, 134217728, 64, false}, // 3
    {CallKind::AllGather, "tensor_activation", 0, 134217728, 64, false}, // 4
    {CallKind::ReduceScatter, "gradient_reduce", 1, 533581005, 5, true}, // 5
    {CallKind::ReduceScatter, "gradient_reduce", 1, 427884544, 5, true}, // 6
    {CallKind::ReduceScatter, "gradient_reduce", 1, 533587558, 5, true}, // 7
    {CallKind::AllGather, "parameter_gather", 1, 266790502, 5, true}, // 8
    {CallKind::AllGather, "parameter_gather", 1, 213942272, 5, true}, // 9
    {CallKind::AllGather, "parameter_gather", 1, 266793779, 5, true}, // 10
}};

// calls of the chunks, by index
inline constexpr std::array<std::size_t, 16> chunkCalls{{
    0, 1, 2, 3, 4, 5, 0, 1, 2, 6, 0, 1, 2, 3, 4, 7, // 0
}};

// ns forward, backward of inputs, of weights; first of chunkCalls, calls, last calls; chunk before, after
inline constexpr std::array<Chunk, 16> chunks{{
    {17390816, 23303789, 14238581, 0, 5, 1, none, 2}, {17267539, 22995597, 14238581, 6, 3, 1, 14, 3}, // 0
    {17267539, 22995597, 14238581, 6, 3, 1, 0, 4}, {17267539, 22995597, 14238581, 6, 3, 1, 1, 5}, // 2
    {17267539, 22995597, 14238581, 6, 3, 1, 2, 6}, {17267539, 22995597, 14238581, 6, 3, 1, 3, 7}, // 4
    {17267539, 22995597, 14238581, 6, 3, 1, 4, 8}, {17267539, 22995597, 14238581, 6, 3, 1, 5, 9}, // 6
    {17267539, 22995597, 14238581, 6, 3, 1, 6, 10}, {17267539, 22995597, 14238581, 6, 3, 1, 7, 11}, // 8
    {17267539, 22995597, 14238581, 6, 3, 1, 8, 12}, {17267539, 22995597, 14238581, 6, 3, 1, 9, 13}, // 10
    {17267539, 22995597, 14238581, 6, 3, 1, 10, 14}, {17267539, 22995597, 14238581, 6, 3, 1, 11, 15}, // 12
    {17267539, 22995597, 14238581, 6, 3, 1, 12, 1}, {21715696, 26973760, 17579172, 10, 5, 1, 13, none}, // 14
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 1284> operations{{
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
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::Overlapped, 0, 0, 5}, {OperationKind::Overlapped, 0, 0, 6}, // 149
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 8}, {OperationKind::Collective, 0, 0, 9}, // 152
    {OperationKind::ReceiveForward, 0, 0, 0}, {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 2}, // 155
    {OperationKind::ReceiveForward, 0, 1, 0}, {OperationKind::Forward, 0, 1, 0}, {OperationKind::SendForward, 0, 1, 2}, // 158
    {OperationKind::ReceiveForward, 8, 0, 0}, {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 2}, // 161
    {OperationKind::ReceiveBackward, 0, 1, 2}, {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 0}, // 164
    {OperationKind::ReceiveForward, 13, 0, 0}, {OperationKind::Forward, 13, 0, 0}, {OperationKind::SendForward, 13, 0, 2}, // 167
    {OperationKind::ReceiveBackward, 3, 1, 2}, {OperationKind::Backward, 3, 1, 0}, {OperationKind::SendBackward, 3, 1, 0}, // 170
    {OperationKind::ReceiveForward, 8, 1, 0}, {OperationKind::Forward, 8, 1, 0}, {OperationKind::SendForward, 8, 1, 2}, // 173
    {OperationKind::ReceiveBackward, 0, 0, 2}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 0}, // 176
    {OperationKind::ReceiveForward, 13, 1, 0}, {OperationKind::Forward, 13, 1, 0}, {OperationKind::SendForward, 13, 1, 2}, // 179
    {OperationKind::ReceiveBackward, 3, 0, 2}, {OperationKind::Backward, 3, 0, 0}, {OperationKind::SendBackward, 3, 0, 0}, // 182
    {OperationKind::ReceiveForward, 16, 0, 0}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 2}, // 185
    {OperationKind::ReceiveBackward, 8, 1, 2}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 0}, // 188
    {OperationKind::ReceiveForward, 21, 0, 0}, {OperationKind::Forward, 21, 0, 0}, {OperationKind::SendForward, 21, 0, 2}, // 191
    {OperationKind::ReceiveBackward, 11, 1, 2}, {OperationKind::Backward, 11, 1, 0}, // 194
    {OperationKind::SendBackward, 11, 1, 0}, {OperationKind::ReceiveForward, 16, 1, 0}, {OperationKind::Forward, 16, 1, 0}, // 196
    {OperationKind::SendForward, 16, 1, 2}, {OperationKind::ReceiveBackward, 8, 0, 2}, {OperationKind::Backward, 8, 0, 0}, // 199
    {OperationKind::SendBackward, 8, 0, 0}, {OperationKind::ReceiveForward, 21, 1, 0}, {OperationKind::Forward, 21, 1, 0}, // 202
    {OperationKind::SendForward, 21, 1, 2}, {OperationKind::ReceiveBackward, 11, 0, 2}, // 205
    {OperationKind::Backward, 11, 0, 0}, {OperationKind::SendBackward, 11, 0, 0}, // 207
    {OperationKind::ReceiveForward, 24, 0, 0}, {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 2}, // 209
    {OperationKind::ReceiveBackward, 16, 1, 2}, {OperationKind::Backward, 16, 1, 0}, // 212
    {OperationKind::SendBackward, 16, 1, 0}, {OperationKind::ReceiveForward, 29, 0, 0}, {OperationKind::Forward, 29, 0, 0}, // 214
    {OperationKind::SendForward, 29, 0, 2}, {OperationKind::ReceiveBackward, 19, 1, 2}, // 217
    {OperationKind::Backward, 19, 1, 0}, {OperationKind::SendBackward, 19, 1, 0}, // 219
    {OperationKind::ReceiveForward, 24, 1, 0}, {OperationKind::Forward, 24, 1, 0}, {OperationKind::SendForward, 24, 1, 2}, // 221
    {OperationKind::ReceiveBackward, 16, 0, 2}, {OperationKind::Backward, 16, 0, 0}, // 224
    {OperationKind::SendBackward, 16, 0, 0}, {OperationKind::ReceiveForward, 29, 1, 0}, {OperationKind::Forward, 29, 1, 0}, // 226
    {OperationKind::SendForward, 29, 1, 2}, {OperationKind::ReceiveBackward, 19, 0, 2}, // 229
    {OperationKind::Backward, 19, 0, 0}, {OperationKind::SendBackward, 19, 0, 0}, // 231
    {OperationKind::ReceiveForward, 32, 0, 0}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 2}, // 233
    {OperationKind::ReceiveBackward, 24, 1, 2}, {OperationKind::Backward, 24, 1, 0}, // 236
    {OperationKind::SendBackward, 24, 1, 0}, {OperationKind::ReceiveForward, 37, 0, 0}, {OperationKind::Forward, 37, 0, 0}, // 238
    {OperationKind::SendForward, 37, 0, 2}, {OperationKind::ReceiveBackward, 27, 1, 2}, // 241
    {OperationKind::Backward, 27, 1, 0}, {OperationKind::SendBackward, 27, 1, 0}, // 243
    {OperationKind::ReceiveForward, 32, 1, 0}, {OperationKind::Forward, 32, 1, 0}, {OperationKind::SendForward, 32, 1, 2}, // 245
    {OperationKind::ReceiveBackward, 24, 0, 2}, {OperationKind::Backward, 24, 0, 0}, // 248
    {OperationKind::SendBackward, 24, 0, 0}, {OperationKind::ReceiveForward, 37, 1, 0}, {OperationKind::Forward, 37, 1, 0}, // 250
    {OperationKind::SendForward, 37, 1, 2}, {OperationKind::ReceiveBackward, 27, 0, 2}, // 253
    {OperationKind::Backward, 27, 0, 0}, {OperationKind::SendBackward, 27, 0, 0}, // 255
    {OperationKind::ReceiveForward, 40, 0, 0}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 2}, // 257
    {OperationKind::ReceiveBackward, 32, 1, 2}, {OperationKind::Backward, 32, 1, 0}, // 260
    {OperationKind::SendBackward, 32, 1, 0}, {OperationKind::ReceiveForward, 45, 0, 0}, {OperationKind::Forward, 45, 0, 0}, // 262
    {OperationKind::SendForward, 45, 0, 2}, {OperationKind::ReceiveBackward, 35, 1, 2}, // 265
    {OperationKind::Backward, 35, 1, 0}, {OperationKind::SendBackward, 35, 1, 0}, // 267
    {OperationKind::ReceiveForward, 40, 1, 0}, {OperationKind::Forward, 40, 1, 0}, {OperationKind::SendForward, 40, 1, 2}, // 269
    {OperationKind::ReceiveBackward, 32, 0, 2}, {OperationKind::Backward, 32, 0, 0}, // 272
    {OperationKind::SendBackward, 32, 0, 0}, {OperationKind::ReceiveForward, 45, 1, 0}, {OperationKind::Forward, 45, 1, 0}, // 274
    {OperationKind::SendForward, 45, 1, 2}, {OperationKind::ReceiveBackward, 35, 0, 2}, // 277
    {OperationKind::Backward, 35, 0, 0}, {OperationKind::SendBackward, 35, 0, 0}, // 279
    {OperationKind::ReceiveForward, 48, 0, 0}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 2}, // 281
    {OperationKind::ReceiveBackward, 40, 1, 2}, {OperationKind::Backward, 40, 1, 0}, // 284
    {OperationKind::SendBackward, 40, 1, 0}, {OperationKind::ReceiveForward, 53, 0, 0}, {OperationKind::Forward, 53, 0, 0}, // 286
    {OperationKind::SendForward, 53, 0, 2}, {OperationKind::ReceiveBackward, 43, 1, 2}, // 289
    {OperationKind::Backward, 43, 1, 0}, {OperationKind::SendBackward, 43, 1, 0}, // 291
    {OperationKind::ReceiveForward, 48, 1, 0}, {OperationKind::Forward, 48, 1, 0}, {OperationKind::SendForward, 48, 1, 2}, // 293
    {OperationKind::ReceiveBackward, 40, 0, 2}, {OperationKind::Backward, 40, 0, 0}, // 296
    {OperationKind::SendBackward, 40, 0, 0}, {OperationKind::ReceiveForward, 53, 1, 0}, {OperationKind::Forward, 53, 1, 0}, // 298
    {OperationKind::SendForward, 53, 1, 2}, {OperationKind::ReceiveBackward, 43, 0, 2}, // 301
    {OperationKind::Backward, 43, 0, 0}, {OperationKind::SendBackward, 43, 0, 0}, // 303
    {OperationKind::ReceiveForward, 56, 0, 0}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 2}, // 305
    {OperationKind::ReceiveBackward, 48, 1, 2}, {OperationKind::Backward, 48, 1, 0}, // 308
    {OperationKind::SendBackward, 48, 1, 0}, {OperationKind::ReceiveForward, 61, 0, 0}, {OperationKind::Forward, 61, 0, 0}, // 310
    {OperationKind::SendForward, 61, 0, 2}, {OperationKind::ReceiveBackward, 51, 1, 2}, // 313
    {OperationKind::Backward, 51, 1, 0}, {OperationKind::SendBackward, 51, 1, 0}, // 315
    {OperationKind::ReceiveForward, 56, 1, 0}, {OperationKind::Forward, 56, 1, 0}, {OperationKind::SendForward, 56, 1, 2}, // 317
    {OperationKind::ReceiveBackward, 48, 0, 2}, {OperationKind::Backward, 48, 0, 0}, // 320
    {OperationKind::SendBackward, 48, 0, 0}, {OperationKind::ReceiveForward, 61, 1, 0}, {OperationKind::Forward, 61, 1, 0}, // 322
    {OperationKind::SendForward, 61, 1, 2}, {OperationKind::ReceiveBackward, 51, 0, 2}, // 325
    {OperationKind::Backward, 51, 0, 0}, {OperationKind::SendBackward, 51, 0, 0}, // 327
    {OperationKind::ReceiveBackward, 56, 1, 2}, {OperationKind::Backward, 56, 1, 0}, // 329
    {OperationKind::SendBackward, 56, 1, 0}, {OperationKind::ReceiveBackward, 56, 0, 2}, // 331
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 0}, {OperationKind::Overlapped, 0, 0, 6}, // 333
    {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, // 336
    {OperationKind::Collective, 0, 0, 9}, {OperationKind::ReceiveForward, 0, 0, 1}, {OperationKind::Forward, 0, 0, 0}, // 339
    {OperationKind::SendForward, 0, 0, 3}, {OperationKind::ReceiveForward, 0, 1, 1}, {OperationKind::Forward, 0, 1, 0}, // 342
    {OperationKind::SendForward, 0, 1, 3}, {OperationKind::ReceiveForward, 8, 0, 1}, {OperationKind::Forward, 8, 0, 0}, // 345
    {OperationKind::SendForward, 8, 0, 3}, {OperationKind::ReceiveBackward, 0, 1, 3}, {OperationKind::Backward, 0, 1, 0}, // 348
    {OperationKind::SendBackward, 0, 1, 1}, {OperationKind::ReceiveForward, 11, 0, 1}, {OperationKind::Forward, 11, 0, 0}, // 351
    {OperationKind::SendForward, 11, 0, 3}, {OperationKind::ReceiveBackward, 5, 1, 3}, {OperationKind::Backward, 5, 1, 0}, // 354
    {OperationKind::SendBackward, 5, 1, 1}, {OperationKind::ReceiveForward, 8, 1, 1}, {OperationKind::Forward, 8, 1, 0}, // 357
    {OperationKind::SendForward, 8, 1, 3}, {OperationKind::ReceiveBackward, 0, 0, 3}, {OperationKind::Backward, 0, 0, 0}, // 360
    {OperationKind::SendBackward, 0, 0, 1}, {OperationKind::ReceiveForward, 11, 1, 1}, {OperationKind::Forward, 11, 1, 0}, // 363
    {OperationKind::SendForward, 11, 1, 3}, {OperationKind::ReceiveBackward, 5, 0, 3}, {OperationKind::Backward, 5, 0, 0}, // 366
    {OperationKind::SendBackward, 5, 0, 1}, {OperationKind::ReceiveForward, 16, 0, 1}, {OperationKind::Forward, 16, 0, 0}, // 369
    {OperationKind::SendForward, 16, 0, 3}, {OperationKind::ReceiveBackward, 8, 1, 3}, {OperationKind::Backward, 8, 1, 0}, // 372
    {OperationKind::SendBackward, 8, 1, 1}, {OperationKind::ReceiveForward, 19, 0, 1}, {OperationKind::Forward, 19, 0, 0}, // 375
    {OperationKind::SendForward, 19, 0, 3}, {OperationKind::ReceiveBackward, 13, 1, 3}, // 378
    {OperationKind::Backward, 13, 1, 0}, {OperationKind::SendBackward, 13, 1, 1}, // 380
    {OperationKind::ReceiveForward, 16, 1, 1}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 3}, // 382
    {OperationKind::ReceiveBackward, 8, 0, 3}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 1}, // 385
    {OperationKind::ReceiveForward, 19, 1, 1}, {OperationKind::Forward, 19, 1, 0}, {OperationKind::SendForward, 19, 1, 3}, // 388
    {OperationKind::ReceiveBackward, 13, 0, 3}, {OperationKind::Backward, 13, 0, 0}, // 391
    {OperationKind::SendBackward, 13, 0, 1}, {OperationKind::ReceiveForward, 24, 0, 1}, {OperationKind::Forward, 24, 0, 0}, // 393
    {OperationKind::SendForward, 24, 0, 3}, {OperationKind::ReceiveBackward, 16, 1, 3}, // 396
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 1}, // 398
    {OperationKind::ReceiveForward, 27, 0, 1}, {OperationKind::Forward, 27, 0, 0}, {OperationKind::SendForward, 27, 0, 3}, // 400
    {OperationKind::ReceiveBackward, 21, 1, 3}, {OperationKind::Backward, 21, 1, 0}, // 403
    {OperationKind::SendBackward, 21, 1, 1}, {OperationKind::ReceiveForward, 24, 1, 1}, {OperationKind::Forward, 24, 1, 0}, // 405
    {OperationKind::SendForward, 24, 1, 3}, {OperationKind::ReceiveBackward, 16, 0, 3}, // 408
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 1}, // 410
    {OperationKind::ReceiveForward, 27, 1, 1}, {OperationKind::Forward, 27, 1, 0}, {OperationKind::SendForward, 27, 1, 3}, // 412
    {OperationKind::ReceiveBackward, 21, 0, 3}, {OperationKind::Backward, 21, 0, 0}, // 415
    {OperationKind::SendBackward, 21, 0, 1}, {OperationKind::ReceiveForward, 32, 0, 1}, {OperationKind::Forward, 32, 0, 0}, // 417
    {OperationKind::SendForward, 32, 0, 3}, {OperationKind::ReceiveBackward, 24, 1, 3}, // 420
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 1}, // 422
    {OperationKind::ReceiveForward, 35, 0, 1}, {OperationKind::Forward, 35, 0, 0}, {OperationKind::SendForward, 35, 0, 3}, // 424
    {OperationKind::ReceiveBackward, 29, 1, 3}, {OperationKind::Backward, 29, 1, 0}, // 427
    {OperationKind::SendBackward, 29, 1, 1}, {OperationKind::ReceiveForward, 32, 1, 1}, {OperationKind::Forward, 32, 1, 0}, // 429
    {OperationKind::SendForward, 32, 1, 3}, {OperationKind::ReceiveBackward, 24, 0, 3}, // 432
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 1}, // 434
    {OperationKind::ReceiveForward, 35, 1, 1}, {OperationKind::Forward, 35, 1, 0}, {OperationKind::SendForward, 35, 1, 3}, // 436
    {OperationKind::ReceiveBackward, 29, 0, 3}, {OperationKind::Backward, 29, 0, 0}, // 439
    {OperationKind::SendBackward, 29, 0, 1}, {OperationKind::ReceiveForward, 40, 0, 1}, {OperationKind::Forward, 40, 0, 0}, // 441
    {OperationKind::SendForward, 40, 0, 3}, {OperationKind::ReceiveBackward, 32, 1, 3}, // 444
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 1}, // 446
    {OperationKind::ReceiveForward, 43, 0, 1}, {OperationKind::Forward, 43, 0, 0}, {OperationKind::SendForward, 43, 0, 3}, // 448
    {OperationKind::ReceiveBackward, 37, 1, 3}, {OperationKind::Backward, 37, 1, 0}, // 451
    {OperationKind::SendBackward, 37, 1, 1}, {OperationKind::ReceiveForward, 40, 1, 1}, {OperationKind::Forward, 40, 1, 0}, // 453
    {OperationKind::SendForward, 40, 1, 3}, {OperationKind::ReceiveBackward, 32, 0, 3}, // 456
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 1}, // 458
    {OperationKind::ReceiveForward, 43, 1, 1}, {OperationKind::Forward, 43, 1, 0}, {OperationKind::SendForward, 43, 1, 3}, // 460
    {OperationKind::ReceiveBackward, 37, 0, 3}, {OperationKind::Backward, 37, 0, 0}, // 463
    {OperationKind::SendBackward, 37, 0, 1}, {OperationKind::ReceiveForward, 48, 0, 1}, {OperationKind::Forward, 48, 0, 0}, // 465
    {OperationKind::SendForward, 48, 0, 3}, {OperationKind::ReceiveBackward, 40, 1, 3}, // 468
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 1}, // 470
    {OperationKind::ReceiveForward, 51, 0, 1}, {OperationKind::Forward, 51, 0, 0}, {OperationKind::SendForward, 51, 0, 3}, // 472
    {OperationKind::ReceiveBackward, 45, 1, 3}, {OperationKind::Backward, 45, 1, 0}, // 475
    {OperationKind::SendBackward, 45, 1, 1}, {OperationKind::ReceiveForward, 48, 1, 1}, {OperationKind::Forward, 48, 1, 0}, // 477
    {OperationKind::SendForward, 48, 1, 3}, {OperationKind::ReceiveBackward, 40, 0, 3}, // 480
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 1}, // 482
    {OperationKind::ReceiveForward, 51, 1, 1}, {OperationKind::Forward, 51, 1, 0}, {OperationKind::SendForward, 51, 1, 3}, // 484
    {OperationKind::ReceiveBackward, 45, 0, 3}, {OperationKind::Backward, 45, 0, 0}, // 487
    {OperationKind::SendBackward, 45, 0, 1}, {OperationKind::ReceiveForward, 56, 0, 1}, {OperationKind::Forward, 56, 0, 0}, // 489
    {OperationKind::SendForward, 56, 0, 3}, {OperationKind::ReceiveBackward, 48, 1, 3}, // 492
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 1}, // 494
    {OperationKind::ReceiveForward, 59, 0, 1}, {OperationKind::Forward, 59, 0, 0}, {OperationKind::SendForward, 59, 0, 3}, // 496
    {OperationKind::ReceiveBackward, 53, 1, 3}, {OperationKind::Backward, 53, 1, 0}, // 499
    {OperationKind::SendBackward, 53, 1, 1}, {OperationKind::ReceiveForward, 56, 1, 1}, {OperationKind::Forward, 56, 1, 0}, // 501
    {OperationKind::SendForward, 56, 1, 3}, {OperationKind::ReceiveBackward, 48, 0, 3}, // 504
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 1}, // 506
    {OperationKind::ReceiveForward, 59, 1, 1}, {OperationKind::Forward, 59, 1, 0}, {OperationKind::SendForward, 59, 1, 3}, // 508
    {OperationKind::ReceiveBackward, 53, 0, 3}, {OperationKind::Backward, 53, 0, 0}, // 511
    {OperationKind::SendBackward, 53, 0, 1}, {OperationKind::ReceiveBackward, 56, 1, 3}, // 513
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 1}, // 515
    {OperationKind::ReceiveBackward, 56, 0, 3}, {OperationKind::Backward, 56, 0, 0}, // 517
    {OperationKind::SendBackward, 56, 0, 1}, {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Overlapped, 0, 0, 6}, // 519
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, {OperationKind::Collective, 0, 0, 9}, // 522
    {OperationKind::ReceiveForward, 0, 0, 2}, {OperationKind::Forward, 0, 0, 0}, {OperationKind::SendForward, 0, 0, 4}, // 525
    {OperationKind::ReceiveForward, 0, 1, 2}, {OperationKind::Forward, 0, 1, 0}, {OperationKind::SendForward, 0, 1, 4}, // 528
    {OperationKind::ReceiveForward, 8, 0, 2}, {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 4}, // 531
    {OperationKind::ReceiveBackward, 0, 1, 4}, {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 2}, // 534
    {OperationKind::ReceiveForward, 8, 1, 2}, {OperationKind::Forward, 8, 1, 0}, {OperationKind::SendForward, 8, 1, 4}, // 537
    {OperationKind::ReceiveBackward, 0, 0, 4}, {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 2}, // 540
    {OperationKind::ReceiveForward, 16, 0, 2}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 4}, // 543
    {OperationKind::ReceiveBackward, 8, 1, 4}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 2}, // 546
    {OperationKind::ReceiveForward, 16, 1, 2}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 4}, // 549
    {OperationKind::ReceiveBackward, 8, 0, 4}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 2}, // 552
    {OperationKind::ReceiveForward, 24, 0, 2}, {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 4}, // 555
    {OperationKind::ReceiveBackward, 16, 1, 4}, {OperationKind::Backward, 16, 1, 0}, // 558
    {OperationKind::SendBackward, 16, 1, 2}, {OperationKind::ReceiveForward, 24, 1, 2}, {OperationKind::Forward, 24, 1, 0}, // 560
    {OperationKind::SendForward, 24, 1, 4}, {OperationKind::ReceiveBackward, 16, 0, 4}, // 563
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 2}, // 565
    {OperationKind::ReceiveForward, 32, 0, 2}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 4}, // 567
    {OperationKind::ReceiveBackward, 24, 1, 4}, {OperationKind::Backward, 24, 1, 0}, // 570
    {OperationKind::SendBackward, 24, 1, 2}, {OperationKind::ReceiveForward, 32, 1, 2}, {OperationKind::Forward, 32, 1, 0}, // 572
    {OperationKind::SendForward, 32, 1, 4}, {OperationKind::ReceiveBackward, 24, 0, 4}, // 575
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 2}, // 577
    {OperationKind::ReceiveForward, 40, 0, 2}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 4}, // 579
    {OperationKind::ReceiveBackward, 32, 1, 4}, {OperationKind::Backward, 32, 1, 0}, // 582
    {OperationKind::SendBackward, 32, 1, 2}, {OperationKind::ReceiveForward, 40, 1, 2}, {OperationKind::Forward, 40, 1, 0}, // 584
    {OperationKind::SendForward, 40, 1, 4}, {OperationKind::ReceiveBackward, 32, 0, 4}, // 587
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 2}, // 589
    {OperationKind::ReceiveForward, 48, 0, 2}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 4}, // 591
    {OperationKind::ReceiveBackward, 40, 1, 4}, {OperationKind::Backward, 40, 1, 0}, // 594
    {OperationKind::SendBackward, 40, 1, 2}, {OperationKind::ReceiveForward, 48, 1, 2}, {OperationKind::Forward, 48, 1, 0}, // 596
    {OperationKind::SendForward, 48, 1, 4}, {OperationKind::ReceiveBackward, 40, 0, 4}, // 599
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 2}, // 601
    {OperationKind::ReceiveForward, 56, 0, 2}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 4}, // 603
    {OperationKind::ReceiveBackward, 48, 1, 4}, {OperationKind::Backward, 48, 1, 0}, // 606
    {OperationKind::SendBackward, 48, 1, 2}, {OperationKind::ReceiveForward, 56, 1, 2}, {OperationKind::Forward, 56, 1, 0}, // 608
    {OperationKind::SendForward, 56, 1, 4}, {OperationKind::ReceiveBackward, 48, 0, 4}, // 611
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 2}, // 613
    {OperationKind::ReceiveBackward, 56, 1, 4}, {OperationKind::Backward, 56, 1, 0}, // 615
    {OperationKind::SendBackward, 56, 1, 2}, {OperationKind::ReceiveBackward, 56, 0, 4}, // 617
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 2}, {OperationKind::Overlapped, 0, 0, 6}, // 619
    {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, // 622
    {OperationKind::Collective, 0, 0, 9}, {OperationKind::ReceiveForward, 0, 0, 3}, {OperationKind::Forward, 0, 0, 0}, // 625
    {OperationKind::SendForward, 0, 0, 5}, {OperationKind::ReceiveForward, 0, 1, 3}, {OperationKind::Forward, 0, 1, 0}, // 628
    {OperationKind::SendForward, 0, 1, 5}, {OperationKind::ReceiveBackward, 0, 1, 5}, {OperationKind::Backward, 0, 1, 0}, // 631
    {OperationKind::SendBackward, 0, 1, 3}, {OperationKind::ReceiveForward, 7, 1, 3}, {OperationKind::Forward, 7, 1, 0}, // 634
    {OperationKind::SendForward, 7, 1, 5}, {OperationKind::ReceiveBackward, 1, 1, 5}, {OperationKind::Backward, 1, 1, 0}, // 637
    {OperationKind::SendBackward, 1, 1, 3}, {OperationKind::ReceiveForward, 8, 0, 3}, {OperationKind::Forward, 8, 0, 0}, // 640
    {OperationKind::SendForward, 8, 0, 5}, {OperationKind::ReceiveBackward, 0, 0, 5}, {OperationKind::Backward, 0, 0, 0}, // 643
    {OperationKind::SendBackward, 0, 0, 3}, {OperationKind::ReceiveForward, 15, 0, 3}, {OperationKind::Forward, 15, 0, 0}, // 646
    {OperationKind::SendForward, 15, 0, 5}, {OperationKind::ReceiveBackward, 1, 0, 5}, {OperationKind::Backward, 1, 0, 0}, // 649
    {OperationKind::SendBackward, 1, 0, 3}, {OperationKind::ReceiveForward, 8, 1, 3}, {OperationKind::Forward, 8, 1, 0}, // 652
    {OperationKind::SendForward, 8, 1, 5}, {OperationKind::ReceiveBackward, 8, 1, 5}, {OperationKind::Backward, 8, 1, 0}, // 655
    {OperationKind::SendBackward, 8, 1, 3}, {OperationKind::ReceiveForward, 15, 1, 3}, {OperationKind::Forward, 15, 1, 0}, // 658
    {OperationKind::SendForward, 15, 1, 5}, {OperationKind::ReceiveBackward, 9, 1, 5}, {OperationKind::Backward, 9, 1, 0}, // 661
    {OperationKind::SendBackward, 9, 1, 3}, {OperationKind::ReceiveForward, 16, 0, 3}, {OperationKind::Forward, 16, 0, 0}, // 664
    {OperationKind::SendForward, 16, 0, 5}, {OperationKind::ReceiveBackward, 8, 0, 5}, {OperationKind::Backward, 8, 0, 0}, // 667
    {OperationKind::SendBackward, 8, 0, 3}, {OperationKind::ReceiveForward, 23, 0, 3}, {OperationKind::Forward, 23, 0, 0}, // 670
    {OperationKind::SendForward, 23, 0, 5}, {OperationKind::ReceiveBackward, 9, 0, 5}, {OperationKind::Backward, 9, 0, 0}, // 673
    {OperationKind::SendBackward, 9, 0, 3}, {OperationKind::ReceiveForward, 16, 1, 3}, {OperationKind::Forward, 16, 1, 0}, // 676
    {OperationKind::SendForward, 16, 1, 5}, {OperationKind::ReceiveBackward, 16, 1, 5}, // 679
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 3}, // 681
    {OperationKind::ReceiveForward, 23, 1, 3}, {OperationKind::Forward, 23, 1, 0}, {OperationKind::SendForward, 23, 1, 5}, // 683
    {OperationKind::ReceiveBackward, 17, 1, 5}, {OperationKind::Backward, 17, 1, 0}, // 686
    {OperationKind::SendBackward, 17, 1, 3}, {OperationKind::ReceiveForward, 24, 0, 3}, {OperationKind::Forward, 24, 0, 0}, // 688
    {OperationKind::SendForward, 24, 0, 5}, {OperationKind::ReceiveBackward, 16, 0, 5}, // 691
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 3}, // 693
    {OperationKind::ReceiveForward, 31, 0, 3}, {OperationKind::Forward, 31, 0, 0}, {OperationKind::SendForward, 31, 0, 5}, // 695
    {OperationKind::ReceiveBackward, 17, 0, 5}, {OperationKind::Backward, 17, 0, 0}, // 698
    {OperationKind::SendBackward, 17, 0, 3}, {OperationKind::ReceiveForward, 24, 1, 3}, {OperationKind::Forward, 24, 1, 0}, // 700
    {OperationKind::SendForward, 24, 1, 5}, {OperationKind::ReceiveBackward, 24, 1, 5}, // 703
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 3}, // 705
    {OperationKind::ReceiveForward, 31, 1, 3}, {OperationKind::Forward, 31, 1, 0}, {OperationKind::SendForward, 31, 1, 5}, // 707
    {OperationKind::ReceiveBackward, 25, 1, 5}, {OperationKind::Backward, 25, 1, 0}, // 710
    {OperationKind::SendBackward, 25, 1, 3}, {OperationKind::ReceiveForward, 32, 0, 3}, {OperationKind::Forward, 32, 0, 0}, // 712
    {OperationKind::SendForward, 32, 0, 5}, {OperationKind::ReceiveBackward, 24, 0, 5}, // 715
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 3}, // 717
    {OperationKind::ReceiveForward, 39, 0, 3}, {OperationKind::Forward, 39, 0, 0}, {OperationKind::SendForward, 39, 0, 5}, // 719
    {OperationKind::ReceiveBackward, 25, 0, 5}, {OperationKind::Backward, 25, 0, 0}, // 722
    {OperationKind::SendBackward, 25, 0, 3}, {OperationKind::ReceiveForward, 32, 1, 3}, {OperationKind::Forward, 32, 1, 0}, // 724
    {OperationKind::SendForward, 32, 1, 5}, {OperationKind::ReceiveBackward, 32, 1, 5}, // 727
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 3}, // 729
    {OperationKind::ReceiveForward, 39, 1, 3}, {OperationKind::Forward, 39, 1, 0}, {OperationKind::SendForward, 39, 1, 5}, // 731
    {OperationKind::ReceiveBackward, 33, 1, 5}, {OperationKind::Backward, 33, 1, 0}, // 734
    {OperationKind::SendBackward, 33, 1, 3}, {OperationKind::ReceiveForward, 40, 0, 3}, {OperationKind::Forward, 40, 0, 0}, // 736
    {OperationKind::SendForward, 40, 0, 5}, {OperationKind::ReceiveBackward, 32, 0, 5}, // 739
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 3}, // 741
    {OperationKind::ReceiveForward, 47, 0, 3}, {OperationKind::Forward, 47, 0, 0}, {OperationKind::SendForward, 47, 0, 5}, // 743
    {OperationKind::ReceiveBackward, 33, 0, 5}, {OperationKind::Backward, 33, 0, 0}, // 746
    {OperationKind::SendBackward, 33, 0, 3}, {OperationKind::ReceiveForward, 40, 1, 3}, {OperationKind::Forward, 40, 1, 0}, // 748
    {OperationKind::SendForward, 40, 1, 5}, {OperationKind::ReceiveBackward, 40, 1, 5}, // 751
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 3}, // 753
    {OperationKind::ReceiveForward, 47, 1, 3}, {OperationKind::Forward, 47, 1, 0}, {OperationKind::SendForward, 47, 1, 5}, // 755
    {OperationKind::ReceiveBackward, 41, 1, 5}, {OperationKind::Backward, 41, 1, 0}, // 758
    {OperationKind::SendBackward, 41, 1, 3}, {OperationKind::ReceiveForward, 48, 0, 3}, {OperationKind::Forward, 48, 0, 0}, // 760
    {OperationKind::SendForward, 48, 0, 5}, {OperationKind::ReceiveBackward, 40, 0, 5}, // 763
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 3}, // 765
    {OperationKind::ReceiveForward, 55, 0, 3}, {OperationKind::Forward, 55, 0, 0}, {OperationKind::SendForward, 55, 0, 5}, // 767
    {OperationKind::ReceiveBackward, 41, 0, 5}, {OperationKind::Backward, 41, 0, 0}, // 770
    {OperationKind::SendBackward, 41, 0, 3}, {OperationKind::ReceiveForward, 48, 1, 3}, {OperationKind::Forward, 48, 1, 0}, // 772
    {OperationKind::SendForward, 48, 1, 5}, {OperationKind::ReceiveBackward, 48, 1, 5}, // 775
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 3}, // 777
    {OperationKind::ReceiveForward, 55, 1, 3}, {OperationKind::Forward, 55, 1, 0}, {OperationKind::SendForward, 55, 1, 5}, // 779
    {OperationKind::ReceiveBackward, 49, 1, 5}, {OperationKind::Backward, 49, 1, 0}, // 782
    {OperationKind::SendBackward, 49, 1, 3}, {OperationKind::ReceiveForward, 56, 0, 3}, {OperationKind::Forward, 56, 0, 0}, // 784
    {OperationKind::SendForward, 56, 0, 5}, {OperationKind::ReceiveBackward, 48, 0, 5}, // 787
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 3}, // 789
    {OperationKind::ReceiveForward, 63, 0, 3}, {OperationKind::Forward, 63, 0, 0}, {OperationKind::SendForward, 63, 0, 5}, // 791
    {OperationKind::ReceiveBackward, 49, 0, 5}, {OperationKind::Backward, 49, 0, 0}, // 794
    {OperationKind::SendBackward, 49, 0, 3}, {OperationKind::ReceiveForward, 56, 1, 3}, {OperationKind::Forward, 56, 1, 0}, // 796
    {OperationKind::SendForward, 56, 1, 5}, {OperationKind::ReceiveBackward, 56, 1, 5}, // 799
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 3}, // 801
    {OperationKind::ReceiveForward, 63, 1, 3}, {OperationKind::Forward, 63, 1, 0}, {OperationKind::SendForward, 63, 1, 5}, // 803
    {OperationKind::ReceiveBackward, 57, 1, 5}, {OperationKind::Backward, 57, 1, 0}, // 806
    {OperationKind::SendBackward, 57, 1, 3}, {OperationKind::ReceiveBackward, 56, 0, 5}, // 808
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 3}, {OperationKind::Overlapped, 0, 0, 6}, // 810
    {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, // 813
    {OperationKind::Collective, 0, 0, 9}, {OperationKind::ReceiveForward, 0, 0, 4}, {OperationKind::Forward, 0, 0, 0}, // 816
    {OperationKind::SendForward, 0, 0, 6}, {OperationKind::ReceiveForward, 0, 1, 4}, {OperationKind::Forward, 0, 1, 0}, // 819
    {OperationKind::SendForward, 0, 1, 6}, {OperationKind::ReceiveBackward, 0, 1, 6}, {OperationKind::Backward, 0, 1, 0}, // 822
    {OperationKind::SendBackward, 0, 1, 4}, {OperationKind::ReceiveForward, 5, 1, 4}, {OperationKind::Forward, 5, 1, 0}, // 825
    {OperationKind::SendForward, 5, 1, 6}, {OperationKind::ReceiveBackward, 3, 1, 6}, {OperationKind::Backward, 3, 1, 0}, // 828
    {OperationKind::SendBackward, 3, 1, 4}, {OperationKind::ReceiveForward, 8, 0, 4}, {OperationKind::Forward, 8, 0, 0}, // 831
    {OperationKind::SendForward, 8, 0, 6}, {OperationKind::ReceiveBackward, 0, 0, 6}, {OperationKind::Backward, 0, 0, 0}, // 834
    {OperationKind::SendBackward, 0, 0, 4}, {OperationKind::ReceiveForward, 13, 0, 4}, {OperationKind::Forward, 13, 0, 0}, // 837
    {OperationKind::SendForward, 13, 0, 6}, {OperationKind::ReceiveBackward, 3, 0, 6}, {OperationKind::Backward, 3, 0, 0}, // 840
    {OperationKind::SendBackward, 3, 0, 4}, {OperationKind::ReceiveForward, 8, 1, 4}, {OperationKind::Forward, 8, 1, 0}, // 843
    {OperationKind::SendForward, 8, 1, 6}, {OperationKind::ReceiveBackward, 8, 1, 6}, {OperationKind::Backward, 8, 1, 0}, // 846
    {OperationKind::SendBackward, 8, 1, 4}, {OperationKind::ReceiveForward, 13, 1, 4}, {OperationKind::Forward, 13, 1, 0}, // 849
    {OperationKind::SendForward, 13, 1, 6}, {OperationKind::ReceiveBackward, 11, 1, 6}, // 852
    {OperationKind::Backward, 11, 1, 0}, {OperationKind::SendBackward, 11, 1, 4}, // 854
    {OperationKind::ReceiveForward, 16, 0, 4}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 6}, // 856
    {OperationKind::ReceiveBackward, 8, 0, 6}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 4}, // 859
    {OperationKind::ReceiveForward, 21, 0, 4}, {OperationKind::Forward, 21, 0, 0}, {OperationKind::SendForward, 21, 0, 6}, // 862
    {OperationKind::ReceiveBackward, 11, 0, 6}, {OperationKind::Backward, 11, 0, 0}, // 865
    {OperationKind::SendBackward, 11, 0, 4}, {OperationKind::ReceiveForward, 16, 1, 4}, {OperationKind::Forward, 16, 1, 0}, // 867
    {OperationKind::SendForward, 16, 1, 6}, {OperationKind::ReceiveBackward, 16, 1, 6}, // 870
    {OperationKind::Backward, 16, 1, 0}, {OperationKind::SendBackward, 16, 1, 4}, // 872
    {OperationKind::ReceiveForward, 21, 1, 4}, {OperationKind::Forward, 21, 1, 0}, {OperationKind::SendForward, 21, 1, 6}, // 874
    {OperationKind::ReceiveBackward, 19, 1, 6}, {OperationKind::Backward, 19, 1, 0}, // 877
    {OperationKind::SendBackward, 19, 1, 4}, {OperationKind::ReceiveForward, 24, 0, 4}, {OperationKind::Forward, 24, 0, 0}, // 879
    {OperationKind::SendForward, 24, 0, 6}, {OperationKind::ReceiveBackward, 16, 0, 6}, // 882
    {OperationKind::Backward, 16, 0, 0}, {OperationKind::SendBackward, 16, 0, 4}, // 884
    {OperationKind::ReceiveForward, 29, 0, 4}, {OperationKind::Forward, 29, 0, 0}, {OperationKind::SendForward, 29, 0, 6}, // 886
    {OperationKind::ReceiveBackward, 19, 0, 6}, {OperationKind::Backward, 19, 0, 0}, // 889
    {OperationKind::SendBackward, 19, 0, 4}, {OperationKind::ReceiveForward, 24, 1, 4}, {OperationKind::Forward, 24, 1, 0}, // 891
    {OperationKind::SendForward, 24, 1, 6}, {OperationKind::ReceiveBackward, 24, 1, 6}, // 894
    {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 4}, // 896
    {OperationKind::ReceiveForward, 29, 1, 4}, {OperationKind::Forward, 29, 1, 0}, {OperationKind::SendForward, 29, 1, 6}, // 898
    {OperationKind::ReceiveBackward, 27, 1, 6}, {OperationKind::Backward, 27, 1, 0}, // 901
    {OperationKind::SendBackward, 27, 1, 4}, {OperationKind::ReceiveForward, 32, 0, 4}, {OperationKind::Forward, 32, 0, 0}, // 903
    {OperationKind::SendForward, 32, 0, 6}, {OperationKind::ReceiveBackward, 24, 0, 6}, // 906
    {OperationKind::Backward, 24, 0, 0}, {OperationKind::SendBackward, 24, 0, 4}, // 908
    {OperationKind::ReceiveForward, 37, 0, 4}, {OperationKind::Forward, 37, 0, 0}, {OperationKind::SendForward, 37, 0, 6}, // 910
    {OperationKind::ReceiveBackward, 27, 0, 6}, {OperationKind::Backward, 27, 0, 0}, // 913
    {OperationKind::SendBackward, 27, 0, 4}, {OperationKind::ReceiveForward, 32, 1, 4}, {OperationKind::Forward, 32, 1, 0}, // 915
    {OperationKind::SendForward, 32, 1, 6}, {OperationKind::ReceiveBackward, 32, 1, 6}, // 918
    {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 4}, // 920
    {OperationKind::ReceiveForward, 37, 1, 4}, {OperationKind::Forward, 37, 1, 0}, {OperationKind::SendForward, 37, 1, 6}, // 922
    {OperationKind::ReceiveBackward, 35, 1, 6}, {OperationKind::Backward, 35, 1, 0}, // 925
    {OperationKind::SendBackward, 35, 1, 4}, {OperationKind::ReceiveForward, 40, 0, 4}, {OperationKind::Forward, 40, 0, 0}, // 927
    {OperationKind::SendForward, 40, 0, 6}, {OperationKind::ReceiveBackward, 32, 0, 6}, // 930
    {OperationKind::Backward, 32, 0, 0}, {OperationKind::SendBackward, 32, 0, 4}, // 932
    {OperationKind::ReceiveForward, 45, 0, 4}, {OperationKind::Forward, 45, 0, 0}, {OperationKind::SendForward, 45, 0, 6}, // 934
    {OperationKind::ReceiveBackward, 35, 0, 6}, {OperationKind::Backward, 35, 0, 0}, // 937
    {OperationKind::SendBackward, 35, 0, 4}, {OperationKind::ReceiveForward, 40, 1, 4}, {OperationKind::Forward, 40, 1, 0}, // 939
    {OperationKind::SendForward, 40, 1, 6}, {OperationKind::ReceiveBackward, 40, 1, 6}, // 942
    {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 4}, // 944
    {OperationKind::ReceiveForward, 45, 1, 4}, {OperationKind::Forward, 45, 1, 0}, {OperationKind::SendForward, 45, 1, 6}, // 946
    {OperationKind::ReceiveBackward, 43, 1, 6}, {OperationKind::Backward, 43, 1, 0}, // 949
    {OperationKind::SendBackward, 43, 1, 4}, {OperationKind::ReceiveForward, 48, 0, 4}, {OperationKind::Forward, 48, 0, 0}, // 951
    {OperationKind::SendForward, 48, 0, 6}, {OperationKind::ReceiveBackward, 40, 0, 6}, // 954
    {OperationKind::Backward, 40, 0, 0}, {OperationKind::SendBackward, 40, 0, 4}, // 956
    {OperationKind::ReceiveForward, 53, 0, 4}, {OperationKind::Forward, 53, 0, 0}, {OperationKind::SendForward, 53, 0, 6}, // 958
    {OperationKind::ReceiveBackward, 43, 0, 6}, {OperationKind::Backward, 43, 0, 0}, // 961
    {OperationKind::SendBackward, 43, 0, 4}, {OperationKind::ReceiveForward, 48, 1, 4}, {OperationKind::Forward, 48, 1, 0}, // 963
    {OperationKind::SendForward, 48, 1, 6}, {OperationKind::ReceiveBackward, 48, 1, 6}, // 966
    {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 4}, // 968
    {OperationKind::ReceiveForward, 53, 1, 4}, {OperationKind::Forward, 53, 1, 0}, {OperationKind::SendForward, 53, 1, 6}, // 970
    {OperationKind::ReceiveBackward, 51, 1, 6}, {OperationKind::Backward, 51, 1, 0}, // 973
    {OperationKind::SendBackward, 51, 1, 4}, {OperationKind::ReceiveForward, 56, 0, 4}, {OperationKind::Forward, 56, 0, 0}, // 975
    {OperationKind::SendForward, 56, 0, 6}, {OperationKind::ReceiveBackward, 48, 0, 6}, // 978
    {OperationKind::Backward, 48, 0, 0}, {OperationKind::SendBackward, 48, 0, 4}, // 980
    {OperationKind::ReceiveForward, 61, 0, 4}, {OperationKind::Forward, 61, 0, 0}, {OperationKind::SendForward, 61, 0, 6}, // 982
    {OperationKind::ReceiveBackward, 51, 0, 6}, {OperationKind::Backward, 51, 0, 0}, // 985
    {OperationKind::SendBackward, 51, 0, 4}, {OperationKind::ReceiveForward, 56, 1, 4}, {OperationKind::Forward, 56, 1, 0}, // 987
    {OperationKind::SendForward, 56, 1, 6}, {OperationKind::ReceiveBackward, 56, 1, 6}, // 990
    {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 4}, // 992
    {OperationKind::ReceiveForward, 61, 1, 4}, {OperationKind::Forward, 61, 1, 0}, {OperationKind::SendForward, 61, 1, 6}, // 994
    {OperationKind::ReceiveBackward, 59, 1, 6}, {OperationKind::Backward, 59, 1, 0}, // 997
    {OperationKind::SendBackward, 59, 1, 4}, {OperationKind::ReceiveBackward, 56, 0, 6}, // 999
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 4}, {OperationKind::Overlapped, 0, 0, 6}, // 1001
    {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, // 1004
    {OperationKind::Collective, 0, 0, 9}, {OperationKind::ReceiveForward, 0, 0, 5}, {OperationKind::Forward, 0, 0, 0}, // 1007
    {OperationKind::SendForward, 0, 0, 7}, {OperationKind::ReceiveForward, 0, 1, 5}, {OperationKind::Forward, 0, 1, 0}, // 1010
    {OperationKind::SendForward, 0, 1, 7}, {OperationKind::ReceiveBackward, 0, 1, 7}, {OperationKind::Backward, 0, 1, 0}, // 1013
    {OperationKind::SendBackward, 0, 1, 5}, {OperationKind::ReceiveForward, 3, 1, 5}, {OperationKind::Forward, 3, 1, 0}, // 1016
    {OperationKind::SendForward, 3, 1, 7}, {OperationKind::ReceiveBackward, 5, 1, 7}, {OperationKind::Backward, 5, 1, 0}, // 1019
    {OperationKind::SendBackward, 5, 1, 5}, {OperationKind::ReceiveForward, 8, 0, 5}, {OperationKind::Forward, 8, 0, 0}, // 1022
    {OperationKind::SendForward, 8, 0, 7}, {OperationKind::ReceiveBackward, 0, 0, 7}, {OperationKind::Backward, 0, 0, 0}, // 1025
    {OperationKind::SendBackward, 0, 0, 5}, {OperationKind::ReceiveForward, 11, 0, 5}, {OperationKind::Forward, 11, 0, 0}, // 1028
    {OperationKind::SendForward, 11, 0, 7}, {OperationKind::ReceiveBackward, 5, 0, 7}, {OperationKind::Backward, 5, 0, 0}, // 1031
    {OperationKind::SendBackward, 5, 0, 5}, {OperationKind::ReceiveForward, 8, 1, 5}, {OperationKind::Forward, 8, 1, 0}, // 1034
    {OperationKind::SendForward, 8, 1, 7}, {OperationKind::ReceiveBackward, 8, 1, 7}, {OperationKind::Backward, 8, 1, 0}, // 1037
    {OperationKind::SendBackward, 8, 1, 5}, {OperationKind::ReceiveForward, 11, 1, 5}, {OperationKind::Forward, 11, 1, 0}, // 1040
    {OperationKind::SendForward, 11, 1, 7}, {OperationKind::ReceiveBackward, 13, 1, 7}, // 1043
    {OperationKind::Backward, 13, 1, 0}, {OperationKind::SendBackward, 13, 1, 5}, // 1045
    {OperationKind::ReceiveForward, 16, 0, 5}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 7}, // 1047
    {OperationKind::ReceiveBackward, 8, 0, 7}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 5}, // 1050
    {OperationKind::ReceiveForward, 19, 0, 5}, {OperationKind::Forward, 19, 0, 0}, {OperationKind::SendForward, 19, 0, 7}, // 1053
    {OperationKind::ReceiveBackward, 13, 0, 7}, {OperationKind::Backward, 13, 0, 0}, // 1056
    {OperationKind::SendBackward, 13, 0, 5}, {OperationKind::ReceiveForward, 16, 1, 5}, // 1058
    {OperationKind::Forward, 16, 1, 0}, {OperationKind::SendForward, 16, 1, 7}, // 1060
    {OperationKind::ReceiveBackward, 16, 1, 7}, {OperationKind::Backward, 16, 1, 0}, // 1062
    {OperationKind::SendBackward, 16, 1, 5}, {OperationKind::ReceiveForward, 19, 1, 5}, // 1064
    {OperationKind::Forward, 19, 1, 0}, {OperationKind::SendForward, 19, 1, 7}, // 1066
    {OperationKind::ReceiveBackward, 21, 1, 7}, {OperationKind::Backward, 21, 1, 0}, // 1068
    {OperationKind::SendBackward, 21, 1, 5}, {OperationKind::ReceiveForward, 24, 0, 5}, // 1070
    {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 7}, // 1072
    {OperationKind::ReceiveBackward, 16, 0, 7}, {OperationKind::Backward, 16, 0, 0}, // 1074
    {OperationKind::SendBackward, 16, 0, 5}, {OperationKind::ReceiveForward, 27, 0, 5}, // 1076
    {OperationKind::Forward, 27, 0, 0}, {OperationKind::SendForward, 27, 0, 7}, // 1078
    {OperationKind::ReceiveBackward, 21, 0, 7}, {OperationKind::Backward, 21, 0, 0}, // 1080
    {OperationKind::SendBackward, 21, 0, 5}, {OperationKind::ReceiveForward, 24, 1, 5}, // 1082
    {OperationKind::Forward, 24, 1, 0}, {OperationKind::SendForward, 24, 1, 7}, // 1084
    {OperationKind::ReceiveBackward, 24, 1, 7}, {OperationKind::Backward, 24, 1, 0}, // 1086
    {OperationKind::SendBackward, 24, 1, 5}, {OperationKind::ReceiveForward, 27, 1, 5}, // 1088
    {OperationKind::Forward, 27, 1, 0}, {OperationKind::SendForward, 27, 1, 7}, // 1090
    {OperationKind::ReceiveBackward, 29, 1, 7}, {OperationKind::Backward, 29, 1, 0}, // 1092
    {OperationKind::SendBackward, 29, 1, 5}, {OperationKind::ReceiveForward, 32, 0, 5}, // 1094
    {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 7}, // 1096
    {OperationKind::ReceiveBackward, 24, 0, 7}, {OperationKind::Backward, 24, 0, 0}, // 1098
    {OperationKind::SendBackward, 24, 0, 5}, {OperationKind::ReceiveForward, 35, 0, 5}, // 1100
    {OperationKind::Forward, 35, 0, 0}, {OperationKind::SendForward, 35, 0, 7}, // 1102
    {OperationKind::ReceiveBackward, 29, 0, 7}, {OperationKind::Backward, 29, 0, 0}, // 1104
    {OperationKind::SendBackward, 29, 0, 5}, {OperationKind::ReceiveForward, 32, 1, 5}, // 1106
    {OperationKind::Forward, 32, 1, 0}, {OperationKind::SendForward, 32, 1, 7}, // 1108
    {OperationKind::ReceiveBackward, 32, 1, 7}, {OperationKind::Backward, 32, 1, 0}, // 1110
    {OperationKind::SendBackward, 32, 1, 5}, {OperationKind::ReceiveForward, 35, 1, 5}, // 1112
    {OperationKind::Forward, 35, 1, 0}, {OperationKind::SendForward, 35, 1, 7}, // 1114
    {OperationKind::ReceiveBackward, 37, 1, 7}, {OperationKind::Backward, 37, 1, 0}, // 1116
    {OperationKind::SendBackward, 37, 1, 5}, {OperationKind::ReceiveForward, 40, 0, 5}, // 1118
    {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 7}, // 1120
    {OperationKind::ReceiveBackward, 32, 0, 7}, {OperationKind::Backward, 32, 0, 0}, // 1122
    {OperationKind::SendBackward, 32, 0, 5}, {OperationKind::ReceiveForward, 43, 0, 5}, // 1124
    {OperationKind::Forward, 43, 0, 0}, {OperationKind::SendForward, 43, 0, 7}, // 1126
    {OperationKind::ReceiveBackward, 37, 0, 7}, {OperationKind::Backward, 37, 0, 0}, // 1128
    {OperationKind::SendBackward, 37, 0, 5}, {OperationKind::ReceiveForward, 40, 1, 5}, // 1130
    {OperationKind::Forward, 40, 1, 0}, {OperationKind::SendForward, 40, 1, 7}, // 1132
    {OperationKind::ReceiveBackward, 40, 1, 7}, {OperationKind::Backward, 40, 1, 0}, // 1134
    {OperationKind::SendBackward, 40, 1, 5}, {OperationKind::ReceiveForward, 43, 1, 5}, // 1136
    {OperationKind::Forward, 43, 1, 0}, {OperationKind::SendForward, 43, 1, 7}, // 1138
    {OperationKind::ReceiveBackward, 45, 1, 7}, {OperationKind::Backward, 45, 1, 0}, // 1140
    {OperationKind::SendBackward, 45, 1, 5}, {OperationKind::ReceiveForward, 48, 0, 5}, // 1142
    {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 7}, // 1144
    {OperationKind::ReceiveBackward, 40, 0, 7}, {OperationKind::Backward, 40, 0, 0}, // 1146
    {OperationKind::SendBackward, 40, 0, 5}, {OperationKind::ReceiveForward, 51, 0, 5}, // 1148
    {OperationKind::Forward, 51, 0, 0}, {OperationKind::SendForward, 51, 0, 7}, // 1150
    {OperationKind::ReceiveBackward, 45, 0, 7}, {OperationKind::Backward, 45, 0, 0}, // 1152
    {OperationKind::SendBackward, 45, 0, 5}, {OperationKind::ReceiveForward, 48, 1, 5}, // 1154
    {OperationKind::Forward, 48, 1, 0}, {OperationKind::SendForward, 48, 1, 7}, // 1156
    {OperationKind::ReceiveBackward, 48, 1, 7}, {OperationKind::Backward, 48, 1, 0}, // 1158
    {OperationKind::SendBackward, 48, 1, 5}, {OperationKind::ReceiveForward, 51, 1, 5}, // 1160
    {OperationKind::Forward, 51, 1, 0}, {OperationKind::SendForward, 51, 1, 7}, // 1162
    {OperationKind::ReceiveBackward, 53, 1, 7}, {OperationKind::Backward, 53, 1, 0}, // 1164
    {OperationKind::SendBackward, 53, 1, 5}, {OperationKind::ReceiveForward, 56, 0, 5}, // 1166
    {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 7}, // 1168
    {OperationKind::ReceiveBackward, 48, 0, 7}, {OperationKind::Backward, 48, 0, 0}, // 1170
    {OperationKind::SendBackward, 48, 0, 5}, {OperationKind::ReceiveForward, 59, 0, 5}, // 1172
    {OperationKind::Forward, 59, 0, 0}, {OperationKind::SendForward, 59, 0, 7}, // 1174
    {OperationKind::ReceiveBackward, 53, 0, 7}, {OperationKind::Backward, 53, 0, 0}, // 1176
    {OperationKind::SendBackward, 53, 0, 5}, {OperationKind::ReceiveForward, 56, 1, 5}, // 1178
    {OperationKind::Forward, 56, 1, 0}, {OperationKind::SendForward, 56, 1, 7}, // 1180
    {OperationKind::ReceiveBackward, 56, 1, 7}, {OperationKind::Backward, 56, 1, 0}, // 1182
    {OperationKind::SendBackward, 56, 1, 5}, {OperationKind::ReceiveForward, 59, 1, 5}, // 1184
    {OperationKind::Forward, 59, 1, 0}, {OperationKind::SendForward, 59, 1, 7}, // 1186
    {OperationKind::ReceiveBackward, 61, 1, 7}, {OperationKind::Backward, 61, 1, 0}, // 1188
    {OperationKind::SendBackward, 61, 1, 5}, {OperationKind::ReceiveBackward, 56, 0, 7}, // 1190
    {OperationKind::Backward, 56, 0, 0}, {OperationKind::SendBackward, 56, 0, 5}, {OperationKind::Overlapped, 0, 0, 6}, // 1192
    {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, // 1195
    {OperationKind::Collective, 0, 0, 9}, {OperationKind::ReceiveForward, 0, 0, 6}, {OperationKind::Forward, 0, 0, 0}, // 1198
    {OperationKind::SendForward, 0, 0, 0}, {OperationKind::ReceiveForward, 0, 1, 6}, {OperationKind::Forward, 0, 1, 0}, // 1201
    {OperationKind::Backward, 0, 1, 0}, {OperationKind::SendBackward, 0, 1, 6}, {OperationKind::ReceiveForward, 8, 0, 6}, // 1204
    {OperationKind::Forward, 8, 0, 0}, {OperationKind::SendForward, 8, 0, 0}, {OperationKind::ReceiveBackward, 0, 1, 0}, // 1207
    {OperationKind::Backward, 0, 0, 0}, {OperationKind::SendBackward, 0, 0, 6}, {OperationKind::ReceiveForward, 8, 1, 6}, // 1210
    {OperationKind::Forward, 8, 1, 0}, {OperationKind::Backward, 8, 1, 0}, {OperationKind::SendBackward, 8, 1, 6}, // 1213
    {OperationKind::ReceiveForward, 16, 0, 6}, {OperationKind::Forward, 16, 0, 0}, {OperationKind::SendForward, 16, 0, 0}, // 1216
    {OperationKind::ReceiveBackward, 8, 1, 0}, {OperationKind::Backward, 8, 0, 0}, {OperationKind::SendBackward, 8, 0, 6}, // 1219
    {OperationKind::ReceiveForward, 16, 1, 6}, {OperationKind::Forward, 16, 1, 0}, {OperationKind::Backward, 16, 1, 0}, // 1222
    {OperationKind::SendBackward, 16, 1, 6}, {OperationKind::ReceiveForward, 24, 0, 6}, // 1225
    {OperationKind::Forward, 24, 0, 0}, {OperationKind::SendForward, 24, 0, 0}, // 1227
    {OperationKind::ReceiveBackward, 16, 1, 0}, {OperationKind::Backward, 16, 0, 0}, // 1229
    {OperationKind::SendBackward, 16, 0, 6}, {OperationKind::ReceiveForward, 24, 1, 6}, // 1231
    {OperationKind::Forward, 24, 1, 0}, {OperationKind::Backward, 24, 1, 0}, {OperationKind::SendBackward, 24, 1, 6}, // 1233
    {OperationKind::ReceiveForward, 32, 0, 6}, {OperationKind::Forward, 32, 0, 0}, {OperationKind::SendForward, 32, 0, 0}, // 1236
    {OperationKind::ReceiveBackward, 24, 1, 0}, {OperationKind::Backward, 24, 0, 0}, // 1239
    {OperationKind::SendBackward, 24, 0, 6}, {OperationKind::ReceiveForward, 32, 1, 6}, // 1241
    {OperationKind::Forward, 32, 1, 0}, {OperationKind::Backward, 32, 1, 0}, {OperationKind::SendBackward, 32, 1, 6}, // 1243
    {OperationKind::ReceiveForward, 40, 0, 6}, {OperationKind::Forward, 40, 0, 0}, {OperationKind::SendForward, 40, 0, 0}, // 1246
    {OperationKind::ReceiveBackward, 32, 1, 0}, {OperationKind::Backward, 32, 0, 0}, // 1249
    {OperationKind::SendBackward, 32, 0, 6}, {OperationKind::ReceiveForward, 40, 1, 6}, // 1251
    {OperationKind::Forward, 40, 1, 0}, {OperationKind::Backward, 40, 1, 0}, {OperationKind::SendBackward, 40, 1, 6}, // 1253
    {OperationKind::ReceiveForward, 48, 0, 6}, {OperationKind::Forward, 48, 0, 0}, {OperationKind::SendForward, 48, 0, 0}, // 1256
    {OperationKind::ReceiveBackward, 40, 1, 0}, {OperationKind::Backward, 40, 0, 0}, // 1259
    {OperationKind::SendBackward, 40, 0, 6}, {OperationKind::ReceiveForward, 48, 1, 6}, // 1261
    {OperationKind::Forward, 48, 1, 0}, {OperationKind::Backward, 48, 1, 0}, {OperationKind::SendBackward, 48, 1, 6}, // 1263
    {OperationKind::ReceiveForward, 56, 0, 6}, {OperationKind::Forward, 56, 0, 0}, {OperationKind::SendForward, 56, 0, 0}, // 1266
    {OperationKind::ReceiveBackward, 48, 1, 0}, {OperationKind::Backward, 48, 0, 0}, // 1269
    {OperationKind::SendBackward, 48, 0, 6}, {OperationKind::ReceiveForward, 56, 1, 6}, // 1271
    {OperationKind::Forward, 56, 1, 0}, {OperationKind::Backward, 56, 1, 0}, {OperationKind::SendBackward, 56, 1, 6}, // 1273
    {OperationKind::ReceiveBackward, 56, 1, 0}, {OperationKind::Backward, 56, 0, 0}, // 1276
    {OperationKind::SendBackward, 56, 0, 6}, {OperationKind::Overlapped, 0, 0, 6}, {OperationKind::Overlapped, 0, 0, 7}, // 1278
    {OperationKind::Optimizer, 0, 0, 0}, {OperationKind::Collective, 0, 0, 9}, {OperationKind::Collective, 0, 0, 10}, // 1281
}};

// first operation, operations, times
inline constexpr std::array<Loop, 241> loops{{
    {0, 2, 8}, {2, 3, 8}, {5, 2, 7}, {7, 5, 1}, {12, 6, 7}, {18, 5, 1}, {23, 4, 7}, {27, 5, 1}, {32, 6, 7}, {38, 5, 1}, // 0
    {43, 4, 7}, {47, 5, 1}, {52, 6, 7}, {58, 5, 1}, {63, 4, 7}, {67, 5, 1}, {72, 6, 7}, {78, 5, 1}, {83, 4, 7}, {87, 5, 1}, // 10
    {92, 6, 7}, {98, 5, 1}, {103, 4, 7}, {107, 5, 1}, {112, 6, 7}, {118, 5, 1}, {123, 4, 7}, {127, 5, 1}, {132, 6, 7}, // 20
    {138, 5, 1}, {143, 2, 7}, {145, 3, 8}, {148, 2, 8}, {150, 5, 1}, {155, 3, 8}, {158, 3, 8}, {161, 3, 5}, {164, 6, 3}, // 29
    {170, 6, 5}, {176, 6, 3}, {182, 6, 5}, {188, 6, 3}, {194, 6, 5}, {200, 6, 3}, {206, 6, 5}, {212, 6, 3}, {218, 6, 5}, // 38
    {224, 6, 3}, {230, 6, 5}, {236, 6, 3}, {242, 6, 5}, {248, 6, 3}, {254, 6, 5}, {260, 6, 3}, {266, 6, 5}, {272, 6, 3}, // 47
    {278, 6, 5}, {284, 6, 3}, {290, 6, 5}, {296, 6, 3}, {302, 6, 5}, {308, 6, 3}, {314, 6, 5}, {320, 6, 3}, {326, 3, 5}, // 56
    {329, 3, 8}, {332, 3, 8}, {335, 5, 1}, {340, 3, 8}, {343, 3, 8}, {346, 3, 3}, {349, 6, 5}, {355, 6, 3}, {361, 6, 5}, // 65
    {367, 6, 3}, {373, 6, 5}, {379, 6, 3}, {385, 6, 5}, {391, 6, 3}, {397, 6, 5}, {403, 6, 3}, {409, 6, 5}, {415, 6, 3}, // 74
    {421, 6, 5}, {427, 6, 3}, {433, 6, 5}, {439, 6, 3}, {445, 6, 5}, {451, 6, 3}, {457, 6, 5}, {463, 6, 3}, {469, 6, 5}, // 83
    {475, 6, 3}, {481, 6, 5}, {487, 6, 3}, {493, 6, 5}, {499, 6, 3}, {505, 6, 5}, {511, 3, 3}, {514, 3, 8}, {517, 3, 8}, // 92
    {520, 5, 1}, {525, 3, 8}, {528, 3, 8}, {531, 6, 8}, {537, 6, 8}, {543, 6, 8}, {549, 6, 8}, {555, 6, 8}, {561, 6, 8}, // 101
    {567, 6, 8}, {573, 6, 8}, {579, 6, 8}, {585, 6, 8}, {591, 6, 8}, {597, 6, 8}, {603, 6, 8}, {609, 6, 8}, {615, 3, 8}, // 110
    {618, 3, 8}, {621, 5, 1}, {626, 3, 8}, {629, 3, 7}, {632, 6, 1}, {638, 6, 7}, {644, 6, 1}, {650, 6, 7}, {656, 6, 1}, // 119
    {662, 6, 7}, {668, 6, 1}, {674, 6, 7}, {680, 6, 1}, {686, 6, 7}, {692, 6, 1}, {698, 6, 7}, {704, 6, 1}, {710, 6, 7}, // 128
    {716, 6, 1}, {722, 6, 7}, {728, 6, 1}, {734, 6, 7}, {740, 6, 1}, {746, 6, 7}, {752, 6, 1}, {758, 6, 7}, {764, 6, 1}, // 137
    {770, 6, 7}, {776, 6, 1}, {782, 6, 7}, {788, 6, 1}, {794, 6, 7}, {800, 6, 1}, {806, 3, 7}, {809, 3, 8}, {812, 5, 1}, // 146
    {817, 3, 8}, {820, 3, 5}, {823, 6, 3}, {829, 6, 5}, {835, 6, 3}, {841, 6, 5}, {847, 6, 3}, {853, 6, 5}, {859, 6, 3}, // 155
    {865, 6, 5}, {871, 6, 3}, {877, 6, 5}, {883, 6, 3}, {889, 6, 5}, {895, 6, 3}, {901, 6, 5}, {907, 6, 3}, {913, 6, 5}, // 164
    {919, 6, 3}, {925, 6, 5}, {931, 6, 3}, {937, 6, 5}, {943, 6, 3}, {949, 6, 5}, {955, 6, 3}, {961, 6, 5}, {967, 6, 3}, // 173
    {973, 6, 5}, {979, 6, 3}, {985, 6, 5}, {991, 6, 3}, {997, 3, 5}, {1000, 3, 8}, {1003, 5, 1}, {1008, 3, 8}, // 182
    {1011, 3, 3}, {1014, 6, 5}, {1020, 6, 3}, {1026, 6, 5}, {1032, 6, 3}, {1038, 6, 5}, {1044, 6, 3}, {1050, 6, 5}, // 190
    {1056, 6, 3}, {1062, 6, 5}, {1068, 6, 3}, {1074, 6, 5}, {1080, 6, 3}, {1086, 6, 5}, {1092, 6, 3}, {1098, 6, 5}, // 198
    {1104, 6, 3}, {1110, 6, 5}, {1116, 6, 3}, {1122, 6, 5}, {1128, 6, 3}, {1134, 6, 5}, {1140, 6, 3}, {1146, 6, 5}, // 206
    {1152, 6, 3}, {1158, 6, 5}, {1164, 6, 3}, {1170, 6, 5}, {1176, 6, 3}, {1182, 6, 5}, {1188, 3, 3}, {1191, 3, 8}, // 214
    {1194, 5, 1}, {1199, 3, 8}, {1202, 4, 8}, {1206, 6, 8}, {1212, 4, 8}, {1216, 6, 8}, {1222, 4, 8}, {1226, 6, 8}, // 222
    {1232, 4, 8}, {1236, 6, 8}, {1242, 4, 8}, {1246, 6, 8}, {1252, 4, 8}, {1256, 6, 8}, {1262, 4, 8}, {1266, 6, 8}, // 230
    {1272, 4, 8}, {1276, 3, 8}, {1279, 5, 1}, // 238
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
    16777216, // bytes of a message
    10931154960, // ns of a step, as predicted
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
