// dense3d of examples/llama3_70b_h100.dpl, plan HASH.
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
    {"replica", 1, 512}, // 0
    {"pipeline", 8, 64}, // 1
    {"data", 8, 8}, // 2
    {"context", 1, 8}, // 3
    {"tensor", 8, 1}, // 4
}};

// count, stride, period
inline constexpr std::array<Factor, 2> factors{{
    {8, 1, 8}, // 0
    {8, 8, 64}, // 1
}};

// name, first factor, factors, size
inline constexpr std::array<Group, 2> groups{{
    {"tensor", 0, 1, 8}, // 0
    {"data", 1, 1, 8}, // 1
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
    0, // 0
    1, // 1
    2, // 2
    3, // 3
    4, // 4
    5, // 5
    0, // 6
    1, // 7
    2, // 8
    6, // 9
    0, // 10
    1, // 11
    2, // 12
    3, // 13
    4, // 14
    7, // 15
}};

// ns forward, backward of inputs, of weights; first of chunkCalls, calls, last calls
inline constexpr std::array<Chunk, 16> chunks{{
    {17390816, 23303789, 14238581, 0, 5, 1}, // 0
    {17267539, 22995597, 14238581, 6, 3, 1}, // 1
    {17267539, 22995597, 14238581, 6, 3, 1}, // 2
    {17267539, 22995597, 14238581, 6, 3, 1}, // 3
    {17267539, 22995597, 14238581, 6, 3, 1}, // 4
    {17267539, 22995597, 14238581, 6, 3, 1}, // 5
    {17267539, 22995597, 14238581, 6, 3, 1}, // 6
    {17267539, 22995597, 14238581, 6, 3, 1}, // 7
    {17267539, 22995597, 14238581, 6, 3, 1}, // 8
    {17267539, 22995597, 14238581, 6, 3, 1}, // 9
    {17267539, 22995597, 14238581, 6, 3, 1}, // 10
    {17267539, 22995597, 14238581, 6, 3, 1}, // 11
    {17267539, 22995597, 14238581, 6, 3, 1}, // 12
    {17267539, 22995597, 14238581, 6, 3, 1}, // 13
    {17267539, 22995597, 14238581, 6, 3, 1}, // 14
    {21715696, 26973760, 17579172, 10, 5, 1}, // 15
}};

// kind, micro-batch, chunk, other
inline constexpr std::array<Operation, 1284> operations{{
    {OperationKind::Forward, 0, 0, 0}, // 0
    {OperationKind::SendForward, 0, 0, 1}, // 1
    {OperationKind::ReceiveForward, 0, 0, 7}, // 2
    {OperationKind::Forward, 0, 1, 0}, // 3
    {OperationKind::SendForward, 0, 1, 1}, // 4
    {OperationKind::Forward, 8, 0, 0}, // 5
    {OperationKind::SendForward, 8, 0, 1}, // 6
    {OperationKind::ReceiveBackward, 0, 1, 1}, // 7
    {OperationKind::Backward, 0, 1, 0}, // 8
    {OperationKind::SendBackward, 0, 1, 7}, // 9
    {OperationKind::Forward, 15, 0, 0}, // 10
    {OperationKind::SendForward, 15, 0, 1}, // 11
    {OperationKind::ReceiveBackward, 1, 1, 1}, // 12
    {OperationKind::Backward, 1, 1, 0}, // 13
    {OperationKind::SendBackward, 1, 1, 7}, // 14
    {OperationKind::ReceiveForward, 8, 0, 7}, // 15
    {OperationKind::Forward, 8, 1, 0}, // 16
    {OperationKind::SendForward, 8, 1, 1}, // 17
    {OperationKind::ReceiveBackward, 0, 0, 1}, // 18
    {OperationKind::Backward, 0, 0, 0}, // 19
    {OperationKind::ReceiveForward, 15, 0, 7}, // 20
    {OperationKind::Forward, 15, 1, 0}, // 21
    {OperationKind::SendForward, 15, 1, 1}, // 22
    {OperationKind::ReceiveBackward, 1, 0, 1}, // 23
    {OperationKind::Backward, 1, 0, 0}, // 24
    {OperationKind::Forward, 16, 0, 0}, // 25
    {OperationKind::SendForward, 16, 0, 1}, // 26
    {OperationKind::ReceiveBackward, 8, 1, 1}, // 27
    {OperationKind::Backward, 8, 1, 0}, // 28
    {OperationKind::SendBackward, 8, 1, 7}, // 29
    {OperationKind::Forward, 23, 0, 0}, // 30
    {OperationKind::SendForward, 23, 0, 1}, // 31
    {OperationKind::ReceiveBackward, 9, 1, 1}, // 32
    {OperationKind::Backward, 9, 1, 0}, // 33
    {OperationKind::SendBackward, 9, 1, 7}, // 34
    {OperationKind::ReceiveForward, 16, 0, 7}, // 35
    {OperationKind::Forward, 16, 1, 0}, // 36
    {OperationKind::SendForward, 16, 1, 1}, // 37
    {OperationKind::ReceiveBackward, 8, 0, 1}, // 38
    {OperationKind::Backward, 8, 0, 0}, // 39
    {OperationKind::ReceiveForward, 23, 0, 7}, // 40
    {OperationKind::Forward, 23, 1, 0}, // 41
    {OperationKind::SendForward, 23, 1, 1}, // 42
    {OperationKind::ReceiveBackward, 9, 0, 1}, // 43
    {OperationKind::Backward, 9, 0, 0}, // 44
    {OperationKind::Forward, 24, 0, 0}, // 45
    {OperationKind::SendForward, 24, 0, 1}, // 46
    {OperationKind::ReceiveBackward, 16, 1, 1}, // 47
    {OperationKind::Backward, 16, 1, 0}, // 48
    {OperationKind::SendBackward, 16, 1, 7}, // 49
    {OperationKind::Forward, 31, 0, 0}, // 50
    {OperationKind::SendForward, 31, 0, 1}, // 51
    {OperationKind::ReceiveBackward, 17, 1, 1}, // 52
    {OperationKind::Backward, 17, 1, 0}, // 53
    {OperationKind::SendBackward, 17, 1, 7}, // 54
    {OperationKind::ReceiveForward, 24, 0, 7}, // 55
    {OperationKind::Forward, 24, 1, 0}, // 56
    {OperationKind::SendForward, 24, 1, 1}, // 57
    {OperationKind::ReceiveBackward, 16, 0, 1}, // 58
    {OperationKind::Backward, 16, 0, 0}, // 59
    {OperationKind::ReceiveForward, 31, 0, 7}, // 60
    {OperationKind::Forward, 31, 1, 0}, // 61
    {OperationKind::SendForward, 31, 1, 1}, // 62
    {OperationKind::ReceiveBackward, 17, 0, 1}, // 63
    {OperationKind::Backward, 17, 0, 0}, // 64
    {OperationKind::Forward, 32, 0, 0}, // 65
    {OperationKind::SendForward, 32, 0, 1}, // 66
    {OperationKind::ReceiveBackward, 24, 1, 1}, // 67
    {OperationKind::Backward, 24, 1, 0}, // 68
    {OperationKind::SendBackward, 24, 1, 7}, // 69
    {OperationKind::Forward, 39, 0, 0}, // 70
    {OperationKind::SendForward, 39, 0, 1}, // 71
    {OperationKind::ReceiveBackward, 25, 1, 1}, // 72
    {OperationKind::Backward, 25, 1, 0}, // 73
    {OperationKind::SendBackward, 25, 1, 7}, // 74
    {OperationKind::ReceiveForward, 32, 0, 7}, // 75
    {OperationKind::Forward, 32, 1, 0}, // 76
    {OperationKind::SendForward, 32, 1, 1}, // 77
    {OperationKind::ReceiveBackward, 24, 0, 1}, // 78
    {OperationKind::Backward, 24, 0, 0}, // 79
    {OperationKind::ReceiveForward, 39, 0, 7}, // 80
    {OperationKind::Forward, 39, 1, 0}, // 81
    {OperationKind::SendForward, 39, 1, 1}, // 82
    {OperationKind::ReceiveBackward, 25, 0, 1}, // 83
    {OperationKind::Backward, 25, 0, 0}, // 84
    {OperationKind::Forward, 40, 0, 0}, // 85
    {OperationKind::SendForward, 40, 0, 1}, // 86
    {OperationKind::ReceiveBackward, 32, 1, 1}, // 87
    {OperationKind::Backward, 32, 1, 0}, // 88
    {OperationKind::SendBackward, 32, 1, 7}, // 89
    {OperationKind::Forward, 47, 0, 0}, // 90
    {OperationKind::SendForward, 47, 0, 1}, // 91
    {OperationKind::ReceiveBackward, 33, 1, 1}, // 92
    {OperationKind::Backward, 33, 1, 0}, // 93
    {OperationKind::SendBackward, 33, 1, 7}, // 94
    {OperationKind::ReceiveForward, 40, 0, 7}, // 95
    {OperationKind::Forward, 40, 1, 0}, // 96
    {OperationKind::SendForward, 40, 1, 1}, // 97
    {OperationKind::ReceiveBackward, 32, 0, 1}, // 98
    {OperationKind::Backward, 32, 0, 0}, // 99
    {OperationKind::ReceiveForward, 47, 0, 7}, // 100
    {OperationKind::Forward, 47, 1, 0}, // 101
    {OperationKind::SendForward, 47, 1, 1}, // 102
    {OperationKind::ReceiveBackward, 33, 0, 1}, // 103
    {OperationKind::Backward, 33, 0, 0}, // 104
    {OperationKind::Forward, 48, 0, 0}, // 105
    {OperationKind::SendForward, 48, 0, 1}, // 106
    {OperationKind::ReceiveBackward, 40, 1, 1}, // 107
    {OperationKind::Backward, 40, 1, 0}, // 108
    {OperationKind::SendBackward, 40, 1, 7}, // 109
    {OperationKind::Forward, 55, 0, 0}, // 110
    {OperationKind::SendForward, 55, 0, 1}, // 111
    {OperationKind::ReceiveBackward, 41, 1, 1}, // 112
    {OperationKind::Backward, 41, 1, 0}, // 113
    {OperationKind::SendBackward, 41, 1, 7}, // 114
    {OperationKind::ReceiveForward, 48, 0, 7}, // 115
    {OperationKind::Forward, 48, 1, 0}, // 116
    {OperationKind::SendForward, 48, 1, 1}, // 117
    {OperationKind::ReceiveBackward, 40, 0, 1}, // 118
    {OperationKind::Backward, 40, 0, 0}, // 119
    {OperationKind::ReceiveForward, 55, 0, 7}, // 120
    {OperationKind::Forward, 55, 1, 0}, // 121
    {OperationKind::SendForward, 55, 1, 1}, // 122
    {OperationKind::ReceiveBackward, 41, 0, 1}, // 123
    {OperationKind::Backward, 41, 0, 0}, // 124
    {OperationKind::Forward, 56, 0, 0}, // 125
    {OperationKind::SendForward, 56, 0, 1}, // 126
    {OperationKind::ReceiveBackward, 48, 1, 1}, // 127
    {OperationKind::Backward, 48, 1, 0}, // 128
    {OperationKind::SendBackward, 48, 1, 7}, // 129
    {OperationKind::Forward, 63, 0, 0}, // 130
    {OperationKind::SendForward, 63, 0, 1}, // 131
    {OperationKind::ReceiveBackward, 49, 1, 1}, // 132
    {OperationKind::Backward, 49, 1, 0}, // 133
    {OperationKind::SendBackward, 49, 1, 7}, // 134
    {OperationKind::ReceiveForward, 56, 0, 7}, // 135
    {OperationKind::Forward, 56, 1, 0}, // 136
    {OperationKind::SendForward, 56, 1, 1}, // 137
    {OperationKind::ReceiveBackward, 48, 0, 1}, // 138
    {OperationKind::Backward, 48, 0, 0}, // 139
    {OperationKind::ReceiveForward, 63, 0, 7}, // 140
    {OperationKind::Forward, 63, 1, 0}, // 141
    {OperationKind::SendForward, 63, 1, 1}, // 142
    {OperationKind::ReceiveBackward, 49, 0, 1}, // 143
    {OperationKind::Backward, 49, 0, 0}, // 144
    {OperationKind::ReceiveBackward, 56, 1, 1}, // 145
    {OperationKind::Backward, 56, 1, 0}, // 146
    {OperationKind::SendBackward, 56, 1, 7}, // 147
    {OperationKind::ReceiveBackward, 56, 0, 1}, // 148
    {OperationKind::Backward, 56, 0, 0}, // 149
    {OperationKind::Overlapped, 0, 0, 5}, // 150
    {OperationKind::Overlapped, 0, 0, 6}, // 151
    {OperationKind::Optimizer, 0, 0, 0}, // 152
    {OperationKind::Collective, 0, 0, 8}, // 153
    {OperationKind::Collective, 0, 0, 9}, // 154
    {OperationKind::ReceiveForward, 0, 0, 0}, // 155
    {OperationKind::Forward, 0, 0, 0}, // 156
    {OperationKind::SendForward, 0, 0, 2}, // 157
    {OperationKind::ReceiveForward, 0, 1, 0}, // 158
    {OperationKind::Forward, 0, 1, 0}, // 159
    {OperationKind::SendForward, 0, 1, 2}, // 160
    {OperationKind::ReceiveForward, 8, 0, 0}, // 161
    {OperationKind::Forward, 8, 0, 0}, // 162
    {OperationKind::SendForward, 8, 0, 2}, // 163
    {OperationKind::ReceiveBackward, 0, 1, 2}, // 164
    {OperationKind::Backward, 0, 1, 0}, // 165
    {OperationKind::SendBackward, 0, 1, 0}, // 166
    {OperationKind::ReceiveForward, 13, 0, 0}, // 167
    {OperationKind::Forward, 13, 0, 0}, // 168
    {OperationKind::SendForward, 13, 0, 2}, // 169
    {OperationKind::ReceiveBackward, 3, 1, 2}, // 170
    {OperationKind::Backward, 3, 1, 0}, // 171
    {OperationKind::SendBackward, 3, 1, 0}, // 172
    {OperationKind::ReceiveForward, 8, 1, 0}, // 173
    {OperationKind::Forward, 8, 1, 0}, // 174
    {OperationKind::SendForward, 8, 1, 2}, // 175
    {OperationKind::ReceiveBackward, 0, 0, 2}, // 176
    {OperationKind::Backward, 0, 0, 0}, // 177
    {OperationKind::SendBackward, 0, 0, 0}, // 178
    {OperationKind::ReceiveForward, 13, 1, 0}, // 179
    {OperationKind::Forward, 13, 1, 0}, // 180
    {OperationKind::SendForward, 13, 1, 2}, // 181
    {OperationKind::ReceiveBackward, 3, 0, 2}, // 182
    {OperationKind::Backward, 3, 0, 0}, // 183
    {OperationKind::SendBackward, 3, 0, 0}, // 184
    {OperationKind::ReceiveForward, 16, 0, 0}, // 185
    {OperationKind::Forward, 16, 0, 0}, // 186
    {OperationKind::SendForward, 16, 0, 2}, // 187
    {OperationKind::ReceiveBackward, 8, 1, 2}, // 188
    {OperationKind::Backward, 8, 1, 0}, // 189
    {OperationKind::SendBackward, 8, 1, 0}, // 190
    {OperationKind::ReceiveForward, 21, 0, 0}, // 191
    {OperationKind::Forward, 21, 0, 0}, // 192
    {OperationKind::SendForward, 21, 0, 2}, // 193
    {OperationKind::ReceiveBackward, 11, 1, 2}, // 194
    {OperationKind::Backward, 11, 1, 0}, // 195
    {OperationKind::SendBackward, 11, 1, 0}, // 196
    {OperationKind::ReceiveForward, 16, 1, 0}, // 197
    {OperationKind::Forward, 16, 1, 0}, // 198
    {OperationKind::SendForward, 16, 1, 2}, // 199
    {OperationKind::ReceiveBackward, 8, 0, 2}, // 200
    {OperationKind::Backward, 8, 0, 0}, // 201
    {OperationKind::SendBackward, 8, 0, 0}, // 202
    {OperationKind::ReceiveForward, 21, 1, 0}, // 203
    {OperationKind::Forward, 21, 1, 0}, // 204
    {OperationKind::SendForward, 21, 1, 2}, // 205
    {OperationKind::ReceiveBackward, 11, 0, 2}, // 206
    {OperationKind::Backward, 11, 0, 0}, // 207
    {OperationKind::SendBackward, 11, 0, 0}, // 208
    {OperationKind::ReceiveForward, 24, 0, 0}, // 209
    {OperationKind::Forward, 24, 0, 0}, // 210
    {OperationKind::SendForward, 24, 0, 2}, // 211
    {OperationKind::ReceiveBackward, 16, 1, 2}, // 212
    {OperationKind::Backward, 16, 1, 0}, // 213
    {OperationKind::SendBackward, 16, 1, 0}, // 214
    {OperationKind::ReceiveForward, 29, 0, 0}, // 215
    {OperationKind::Forward, 29, 0, 0}, // 216
    {OperationKind::SendForward, 29, 0, 2}, // 217
    {OperationKind::ReceiveBackward, 19, 1, 2}, // 218
    {OperationKind::Backward, 19, 1, 0}, // 219
    {OperationKind::SendBackward, 19, 1, 0}, // 220
    {OperationKind::ReceiveForward, 24, 1, 0}, // 221
    {OperationKind::Forward, 24, 1, 0}, // 222
    {OperationKind::SendForward, 24, 1, 2}, // 223
    {OperationKind::ReceiveBackward, 16, 0, 2}, // 224
    {OperationKind::Backward, 16, 0, 0}, // 225
    {OperationKind::SendBackward, 16, 0, 0}, // 226
    {OperationKind::ReceiveForward, 29, 1, 0}, // 227
    {OperationKind::Forward, 29, 1, 0}, // 228
    {OperationKind::SendForward, 29, 1, 2}, // 229
    {OperationKind::ReceiveBackward, 19, 0, 2}, // 230
    {OperationKind::Backward, 19, 0, 0}, // 231
    {OperationKind::SendBackward, 19, 0, 0}, // 232
    {OperationKind::ReceiveForward, 32, 0, 0}, // 233
    {OperationKind::Forward, 32, 0, 0}, // 234
    {OperationKind::SendForward, 32, 0, 2}, // 235
    {OperationKind::ReceiveBackward, 24, 1, 2}, // 236
    {OperationKind::Backward, 24, 1, 0}, // 237
    {OperationKind::SendBackward, 24, 1, 0}, // 238
    {OperationKind::ReceiveForward, 37, 0, 0}, // 239
    {OperationKind::Forward, 37, 0, 0}, // 240
    {OperationKind::SendForward, 37, 0, 2}, // 241
    {OperationKind::ReceiveBackward, 27, 1, 2}, // 242
    {OperationKind::Backward, 27, 1, 0}, // 243
    {OperationKind::SendBackward, 27, 1, 0}, // 244
    {OperationKind::ReceiveForward, 32, 1, 0}, // 245
    {OperationKind::Forward, 32, 1, 0}, // 246
    {OperationKind::SendForward, 32, 1, 2}, // 247
    {OperationKind::ReceiveBackward, 24, 0, 2}, // 248
    {OperationKind::Backward, 24, 0, 0}, // 249
    {OperationKind::SendBackward, 24, 0, 0}, // 250
    {OperationKind::ReceiveForward, 37, 1, 0}, // 251
    {OperationKind::Forward, 37, 1, 0}, // 252
    {OperationKind::SendForward, 37, 1, 2}, // 253
    {OperationKind::ReceiveBackward, 27, 0, 2}, // 254
    {OperationKind::Backward, 27, 0, 0}, // 255
    {OperationKind::SendBackward, 27, 0, 0}, // 256
    {OperationKind::ReceiveForward, 40, 0, 0}, // 257
    {OperationKind::Forward, 40, 0, 0}, // 258
    {OperationKind::SendForward, 40, 0, 2}, // 259
    {OperationKind::ReceiveBackward, 32, 1, 2}, // 260
    {OperationKind::Backward, 32, 1, 0}, // 261
    {OperationKind::SendBackward, 32, 1, 0}, // 262
    {OperationKind::ReceiveForward, 45, 0, 0}, // 263
    {OperationKind::Forward, 45, 0, 0}, // 264
    {OperationKind::SendForward, 45, 0, 2}, // 265
    {OperationKind::ReceiveBackward, 35, 1, 2}, // 266
    {OperationKind::Backward, 35, 1, 0}, // 267
    {OperationKind::SendBackward, 35, 1, 0}, // 268
    {OperationKind::ReceiveForward, 40, 1, 0}, // 269
    {OperationKind::Forward, 40, 1, 0}, // 270
    {OperationKind::SendForward, 40, 1, 2}, // 271
    {OperationKind::ReceiveBackward, 32, 0, 2}, // 272
    {OperationKind::Backward, 32, 0, 0}, // 273
    {OperationKind::SendBackward, 32, 0, 0}, // 274
    {OperationKind::ReceiveForward, 45, 1, 0}, // 275
    {OperationKind::Forward, 45, 1, 0}, // 276
    {OperationKind::SendForward, 45, 1, 2}, // 277
    {OperationKind::ReceiveBackward, 35, 0, 2}, // 278
    {OperationKind::Backward, 35, 0, 0}, // 279
    {OperationKind::SendBackward, 35, 0, 0}, // 280
    {OperationKind::ReceiveForward, 48, 0, 0}, // 281
    {OperationKind::Forward, 48, 0, 0}, // 282
    {OperationKind::SendForward, 48, 0, 2}, // 283
    {OperationKind::ReceiveBackward, 40, 1, 2}, // 284
    {OperationKind::Backward, 40, 1, 0}, // 285
    {OperationKind::SendBackward, 40, 1, 0}, // 286
    {OperationKind::ReceiveForward, 53, 0, 0}, // 287
    {OperationKind::Forward, 53, 0, 0}, // 288
    {OperationKind::SendForward, 53, 0, 2}, // 289
    {OperationKind::ReceiveBackward, 43, 1, 2}, // 290
    {OperationKind::Backward, 43, 1, 0}, // 291
    {OperationKind::SendBackward, 43, 1, 0}, // 292
    {OperationKind::ReceiveForward, 48, 1, 0}, // 293
    {OperationKind::Forward, 48, 1, 0}, // 294
    {OperationKind::SendForward, 48, 1, 2}, // 295
    {OperationKind::ReceiveBackward, 40, 0, 2}, // 296
    {OperationKind::Backward, 40, 0, 0}, // 297
    {OperationKind::SendBackward, 40, 0, 0}, // 298
    {OperationKind::ReceiveForward, 53, 1, 0}, // 299
    {OperationKind::Forward, 53, 1, 0}, // 300
    {OperationKind::SendForward, 53, 1, 2}, // 301
    {OperationKind::ReceiveBackward, 43, 0, 2}, // 302
    {OperationKind::Backward, 43, 0, 0}, // 303
    {OperationKind::SendBackward, 43, 0, 0}, // 304
    {OperationKind::ReceiveForward, 56, 0, 0}, // 305
    {OperationKind::Forward, 56, 0, 0}, // 306
    {OperationKind::SendForward, 56, 0, 2}, // 307
    {OperationKind::ReceiveBackward, 48, 1, 2}, // 308
    {OperationKind::Backward, 48, 1, 0}, // 309
    {OperationKind::SendBackward, 48, 1, 0}, // 310
    {OperationKind::ReceiveForward, 61, 0, 0}, // 311
    {OperationKind::Forward, 61, 0, 0}, // 312
    {OperationKind::SendForward, 61, 0, 2}, // 313
    {OperationKind::ReceiveBackward, 51, 1, 2}, // 314
    {OperationKind::Backward, 51, 1, 0}, // 315
    {OperationKind::SendBackward, 51, 1, 0}, // 316
    {OperationKind::ReceiveForward, 56, 1, 0}, // 317
    {OperationKind::Forward, 56, 1, 0}, // 318
    {OperationKind::SendForward, 56, 1, 2}, // 319
    {OperationKind::ReceiveBackward, 48, 0, 2}, // 320
    {OperationKind::Backward, 48, 0, 0}, // 321
    {OperationKind::SendBackward, 48, 0, 0}, // 322
    {OperationKind::ReceiveForward, 61, 1, 0}, // 323
    {OperationKind::Forward, 61, 1, 0}, // 324
    {OperationKind::SendForward, 61, 1, 2}, // 325
    {OperationKind::ReceiveBackward, 51, 0, 2}, // 326
    {OperationKind::Backward, 51, 0, 0}, // 327
    {OperationKind::SendBackward, 51, 0, 0}, // 328
    {OperationKind::ReceiveBackward, 56, 1, 2}, // 329
    {OperationKind::Backward, 56, 1, 0}, // 330
    {OperationKind::SendBackward, 56, 1, 0}, // 331
    {OperationKind::ReceiveBackward, 56, 0, 2}, // 332
    {OperationKind::Backward, 56, 0, 0}, // 333
    {OperationKind::SendBackward, 56, 0, 0}, // 334
    {OperationKind::Overlapped, 0, 0, 6}, // 335
    {OperationKind::Overlapped, 0, 0, 6}, // 336
    {OperationKind::Optimizer, 0, 0, 0}, // 337
    {OperationKind::Collective, 0, 0, 9}, // 338
    {OperationKind::Collective, 0, 0, 9}, // 339
    {OperationKind::ReceiveForward, 0, 0, 1}, // 340
    {OperationKind::Forward, 0, 0, 0}, // 341
    {OperationKind::SendForward, 0, 0, 3}, // 342
    {OperationKind::ReceiveForward, 0, 1, 1}, // 343
    {OperationKind::Forward, 0, 1, 0}, // 344
    {OperationKind::SendForward, 0, 1, 3}, // 345
    {OperationKind::ReceiveForward, 8, 0, 1}, // 346
    {OperationKind::Forward, 8, 0, 0}, // 347
    {OperationKind::SendForward, 8, 0, 3}, // 348
    {OperationKind::ReceiveBackward, 0, 1, 3}, // 349
    {OperationKind::Backward, 0, 1, 0}, // 350
    {OperationKind::SendBackward, 0, 1, 1}, // 351
    {OperationKind::ReceiveForward, 11, 0, 1}, // 352
    {OperationKind::Forward, 11, 0, 0}, // 353
    {OperationKind::SendForward, 11, 0, 3}, // 354
    {OperationKind::ReceiveBackward, 5, 1, 3}, // 355
    {OperationKind::Backward, 5, 1, 0}, // 356
    {OperationKind::SendBackward, 5, 1, 1}, // 357
    {OperationKind::ReceiveForward, 8, 1, 1}, // 358
    {OperationKind::Forward, 8, 1, 0}, // 359
    {OperationKind::SendForward, 8, 1, 3}, // 360
    {OperationKind::ReceiveBackward, 0, 0, 3}, // 361
    {OperationKind::Backward, 0, 0, 0}, // 362
    {OperationKind::SendBackward, 0, 0, 1}, // 363
    {OperationKind::ReceiveForward, 11, 1, 1}, // 364
    {OperationKind::Forward, 11, 1, 0}, // 365
    {OperationKind::SendForward, 11, 1, 3}, // 366
    {OperationKind::ReceiveBackward, 5, 0, 3}, // 367
    {OperationKind::Backward, 5, 0, 0}, // 368
    {OperationKind::SendBackward, 5, 0, 1}, // 369
    {OperationKind::ReceiveForward, 16, 0, 1}, // 370
    {OperationKind::Forward, 16, 0, 0}, // 371
    {OperationKind::SendForward, 16, 0, 3}, // 372
    {OperationKind::ReceiveBackward, 8, 1, 3}, // 373
    {OperationKind::Backward, 8, 1, 0}, // 374
    {OperationKind::SendBackward, 8, 1, 1}, // 375
    {OperationKind::ReceiveForward, 19, 0, 1}, // 376
    {OperationKind::Forward, 19, 0, 0}, // 377
    {OperationKind::SendForward, 19, 0, 3}, // 378
    {OperationKind::ReceiveBackward, 13, 1, 3}, // 379
    {OperationKind::Backward, 13, 1, 0}, // 380
    {OperationKind::SendBackward, 13, 1, 1}, // 381
    {OperationKind::ReceiveForward, 16, 1, 1}, // 382
    {OperationKind::Forward, 16, 1, 0}, // 383
    {OperationKind::SendForward, 16, 1, 3}, // 384
    {OperationKind::ReceiveBackward, 8, 0, 3}, // 385
    {OperationKind::Backward, 8, 0, 0}, // 386
    {OperationKind::SendBackward, 8, 0, 1}, // 387
    {OperationKind::ReceiveForward, 19, 1, 1}, // 388
    {OperationKind::Forward, 19, 1, 0}, // 389
    {OperationKind::SendForward, 19, 1, 3}, // 390
    {OperationKind::ReceiveBackward, 13, 0, 3}, // 391
    {OperationKind::Backward, 13, 0, 0}, // 392
    {OperationKind::SendBackward, 13, 0, 1}, // 393
    {OperationKind::ReceiveForward, 24, 0, 1}, // 394
    {OperationKind::Forward, 24, 0, 0}, // 395
    {OperationKind::SendForward, 24, 0, 3}, // 396
    {OperationKind::ReceiveBackward, 16, 1, 3}, // 397
    {OperationKind::Backward, 16, 1, 0}, // 398
    {OperationKind::SendBackward, 16, 1, 1}, // 399
    {OperationKind::ReceiveForward, 27, 0, 1}, // 400
    {OperationKind::Forward, 27, 0, 0}, // 401
    {OperationKind::SendForward, 27, 0, 3}, // 402
    {OperationKind::ReceiveBackward, 21, 1, 3}, // 403
    {OperationKind::Backward, 21, 1, 0}, // 404
    {OperationKind::SendBackward, 21, 1, 1}, // 405
    {OperationKind::ReceiveForward, 24, 1, 1}, // 406
    {OperationKind::Forward, 24, 1, 0}, // 407
    {OperationKind::SendForward, 24, 1, 3}, // 408
    {OperationKind::ReceiveBackward, 16, 0, 3}, // 409
    {OperationKind::Backward, 16, 0, 0}, // 410
    {OperationKind::SendBackward, 16, 0, 1}, // 411
    {OperationKind::ReceiveForward, 27, 1, 1}, // 412
    {OperationKind::Forward, 27, 1, 0}, // 413
    {OperationKind::SendForward, 27, 1, 3}, // 414
    {OperationKind::ReceiveBackward, 21, 0, 3}, // 415
    {OperationKind::Backward, 21, 0, 0}, // 416
    {OperationKind::SendBackward, 21, 0, 1}, // 417
    {OperationKind::ReceiveForward, 32, 0, 1}, // 418
    {OperationKind::Forward, 32, 0, 0}, // 419
    {OperationKind::SendForward, 32, 0, 3}, // 420
    {OperationKind::ReceiveBackward, 24, 1, 3}, // 421
    {OperationKind::Backward, 24, 1, 0}, // 422
    {OperationKind::SendBackward, 24, 1, 1}, // 423
    {OperationKind::ReceiveForward, 35, 0, 1}, // 424
    {OperationKind::Forward, 35, 0, 0}, // 425
    {OperationKind::SendForward, 35, 0, 3}, // 426
    {OperationKind::ReceiveBackward, 29, 1, 3}, // 427
    {OperationKind::Backward, 29, 1, 0}, // 428
    {OperationKind::SendBackward, 29, 1, 1}, // 429
    {OperationKind::ReceiveForward, 32, 1, 1}, // 430
    {OperationKind::Forward, 32, 1, 0}, // 431
    {OperationKind::SendForward, 32, 1, 3}, // 432
    {OperationKind::ReceiveBackward, 24, 0, 3}, // 433
    {OperationKind::Backward, 24, 0, 0}, // 434
    {OperationKind::SendBackward, 24, 0, 1}, // 435
    {OperationKind::ReceiveForward, 35, 1, 1}, // 436
    {OperationKind::Forward, 35, 1, 0}, // 437
    {OperationKind::SendForward, 35, 1, 3}, // 438
    {OperationKind::ReceiveBackward, 29, 0, 3}, // 439
    {OperationKind::Backward, 29, 0, 0}, // 440
    {OperationKind::SendBackward, 29, 0, 1}, // 441
    {OperationKind::ReceiveForward, 40, 0, 1}, // 442
    {OperationKind::Forward, 40, 0, 0}, // 443
    {OperationKind::SendForward, 40, 0, 3}, // 444
    {OperationKind::ReceiveBackward, 32, 1, 3}, // 445
    {OperationKind::Backward, 32, 1, 0}, // 446
    {OperationKind::SendBackward, 32, 1, 1}, // 447
    {OperationKind::ReceiveForward, 43, 0, 1}, // 448
    {OperationKind::Forward, 43, 0, 0}, // 449
    {OperationKind::SendForward, 43, 0, 3}, // 450
    {OperationKind::ReceiveBackward, 37, 1, 3}, // 451
    {OperationKind::Backward, 37, 1, 0}, // 452
    {OperationKind::SendBackward, 37, 1, 1}, // 453
    {OperationKind::ReceiveForward, 40, 1, 1}, // 454
    {OperationKind::Forward, 40, 1, 0}, // 455
    {OperationKind::SendForward, 40, 1, 3}, // 456
    {OperationKind::ReceiveBackward, 32, 0, 3}, // 457
    {OperationKind::Backward, 32, 0, 0}, // 458
    {OperationKind::SendBackward, 32, 0, 1}, // 459
    {OperationKind::ReceiveForward, 43, 1, 1}, // 460
    {OperationKind::Forward, 43, 1, 0}, // 461
    {OperationKind::SendForward, 43, 1, 3}, // 462
    {OperationKind::ReceiveBackward, 37, 0, 3}, // 463
    {OperationKind::Backward, 37, 0, 0}, // 464
    {OperationKind::SendBackward, 37, 0, 1}, // 465
    {OperationKind::ReceiveForward, 48, 0, 1}, // 466
    {OperationKind::Forward, 48, 0, 0}, // 467
    {OperationKind::SendForward, 48, 0, 3}, // 468
    {OperationKind::ReceiveBackward, 40, 1, 3}, // 469
    {OperationKind::Backward, 40, 1, 0}, // 470
    {OperationKind::SendBackward, 40, 1, 1}, // 471
    {OperationKind::ReceiveForward, 51, 0, 1}, // 472
    {OperationKind::Forward, 51, 0, 0}, // 473
    {OperationKind::SendForward, 51, 0, 3}, // 474
    {OperationKind::ReceiveBackward, 45, 1, 3}, // 475
    {OperationKind::Backward, 45, 1, 0}, // 476
    {OperationKind::SendBackward, 45, 1, 1}, // 477
    {OperationKind::ReceiveForward, 48, 1, 1}, // 478
    {OperationKind::Forward, 48, 1, 0}, // 479
    {OperationKind::SendForward, 48, 1, 3}, // 480
    {OperationKind::ReceiveBackward, 40, 0, 3}, // 481
    {OperationKind::Backward, 40, 0, 0}, // 482
    {OperationKind::SendBackward, 40, 0, 1}, // 483
    {OperationKind::ReceiveForward, 51, 1, 1}, // 484
    {OperationKind::Forward, 51, 1, 0}, // 485
    {OperationKind::SendForward, 51, 1, 3}, // 486
    {OperationKind::ReceiveBackward, 45, 0, 3}, // 487
    {OperationKind::Backward, 45, 0, 0}, // 488
    {OperationKind::SendBackward, 45, 0, 1}, // 489
    {OperationKind::ReceiveForward, 56, 0, 1}, // 490
    {OperationKind::Forward, 56, 0, 0}, // 491
    {OperationKind::SendForward, 56, 0, 3}, // 492
    {OperationKind::ReceiveBackward, 48, 1, 3}, // 493
    {OperationKind::Backward, 48, 1, 0}, // 494
    {OperationKind::SendBackward, 48, 1, 1}, // 495
    {OperationKind::ReceiveForward, 59, 0, 1}, // 496
    {OperationKind::Forward, 59, 0, 0}, // 497
    {OperationKind::SendForward, 59, 0, 3}, // 498
    {OperationKind::ReceiveBackward, 53, 1, 3}, // 499
    {OperationKind::Backward, 53, 1, 0}, // 500
    {OperationKind::SendBackward, 53, 1, 1}, // 501
    {OperationKind::ReceiveForward, 56, 1, 1}, // 502
    {OperationKind::Forward, 56, 1, 0}, // 503
    {OperationKind::SendForward, 56, 1, 3}, // 504
    {OperationKind::ReceiveBackward, 48, 0, 3}, // 505
    {OperationKind::Backward, 48, 0, 0}, // 506
    {OperationKind::SendBackward, 48, 0, 1}, // 507
    {OperationKind::ReceiveForward, 59, 1, 1}, // 508
    {OperationKind::Forward, 59, 1, 0}, // 509
    {OperationKind::SendForward, 59, 1, 3}, // 510
    {OperationKind::ReceiveBackward, 53, 0, 3}, // 511
    {OperationKind::Backward, 53, 0, 0}, // 512
    {OperationKind::SendBackward, 53, 0, 1}, // 513
    {OperationKind::ReceiveBackward, 56, 1, 3}, // 514
    {OperationKind::Backward, 56, 1, 0}, // 515
    {OperationKind::SendBackward, 56, 1, 1}, // 516
    {OperationKind::ReceiveBackward, 56, 0, 3}, // 517
    {OperationKind::Backward, 56, 0, 0}, // 518
    {OperationKind::SendBackward, 56, 0, 1}, // 519
    {OperationKind::Overlapped, 0, 0, 6}, // 520
    {OperationKind::Overlapped, 0, 0, 6}, // 521
    {OperationKind::Optimizer, 0, 0, 0}, // 522
    {OperationKind::Collective, 0, 0, 9}, // 523
    {OperationKind::Collective, 0, 0, 9}, // 524
    {OperationKind::ReceiveForward, 0, 0, 2}, // 525
    {OperationKind::Forward, 0, 0, 0}, // 526
    {OperationKind::SendForward, 0, 0, 4}, // 527
    {OperationKind::ReceiveForward, 0, 1, 2}, // 528
    {OperationKind::Forward, 0, 1, 0}, // 529
    {OperationKind::SendForward, 0, 1, 4}, // 530
    {OperationKind::ReceiveForward, 8, 0, 2}, // 531
    {OperationKind::Forward, 8, 0, 0}, // 532
    {OperationKind::SendForward, 8, 0, 4}, // 533
    {OperationKind::ReceiveBackward, 0, 1, 4}, // 534
    {OperationKind::Backward, 0, 1, 0}, // 535
    {OperationKind::SendBackward, 0, 1, 2}, // 536
    {OperationKind::ReceiveForward, 8, 1, 2}, // 537
    {OperationKind::Forward, 8, 1, 0}, // 538
    {OperationKind::SendForward, 8, 1, 4}, // 539
    {OperationKind::ReceiveBackward, 0, 0, 4}, // 540
    {OperationKind::Backward, 0, 0, 0}, // 541
    {OperationKind::SendBackward, 0, 0, 2}, // 542
    {OperationKind::ReceiveForward, 16, 0, 2}, // 543
    {OperationKind::Forward, 16, 0, 0}, // 544
    {OperationKind::SendForward, 16, 0, 4}, // 545
    {OperationKind::ReceiveBackward, 8, 1, 4}, // 546
    {OperationKind::Backward, 8, 1, 0}, // 547
    {OperationKind::SendBackward, 8, 1, 2}, // 548
    {OperationKind::ReceiveForward, 16, 1, 2}, // 549
    {OperationKind::Forward, 16, 1, 0}, // 550
    {OperationKind::SendForward, 16, 1, 4}, // 551
    {OperationKind::ReceiveBackward, 8, 0, 4}, // 552
    {OperationKind::Backward, 8, 0, 0}, // 553
    {OperationKind::SendBackward, 8, 0, 2}, // 554
    {OperationKind::ReceiveForward, 24, 0, 2}, // 555
    {OperationKind::Forward, 24, 0, 0}, // 556
    {OperationKind::SendForward, 24, 0, 4}, // 557
    {OperationKind::ReceiveBackward, 16, 1, 4}, // 558
    {OperationKind::Backward, 16, 1, 0}, // 559
    {OperationKind::SendBackward, 16, 1, 2}, // 560
    {OperationKind::ReceiveForward, 24, 1, 2}, // 561
    {OperationKind::Forward, 24, 1, 0}, // 562
    {OperationKind::SendForward, 24, 1, 4}, // 563
    {OperationKind::ReceiveBackward, 16, 0, 4}, // 564
    {OperationKind::Backward, 16, 0, 0}, // 565
    {OperationKind::SendBackward, 16, 0, 2}, // 566
    {OperationKind::ReceiveForward, 32, 0, 2}, // 567
    {OperationKind::Forward, 32, 0, 0}, // 568
    {OperationKind::SendForward, 32, 0, 4}, // 569
    {OperationKind::ReceiveBackward, 24, 1, 4}, // 570
    {OperationKind::Backward, 24, 1, 0}, // 571
    {OperationKind::SendBackward, 24, 1, 2}, // 572
    {OperationKind::ReceiveForward, 32, 1, 2}, // 573
    {OperationKind::Forward, 32, 1, 0}, // 574
    {OperationKind::SendForward, 32, 1, 4}, // 575
    {OperationKind::ReceiveBackward, 24, 0, 4}, // 576
    {OperationKind::Backward, 24, 0, 0}, // 577
    {OperationKind::SendBackward, 24, 0, 2}, // 578
    {OperationKind::ReceiveForward, 40, 0, 2}, // 579
    {OperationKind::Forward, 40, 0, 0}, // 580
    {OperationKind::SendForward, 40, 0, 4}, // 581
    {OperationKind::ReceiveBackward, 32, 1, 4}, // 582
    {OperationKind::Backward, 32, 1, 0}, // 583
    {OperationKind::SendBackward, 32, 1, 2}, // 584
    {OperationKind::ReceiveForward, 40, 1, 2}, // 585
    {OperationKind::Forward, 40, 1, 0}, // 586
    {OperationKind::SendForward, 40, 1, 4}, // 587
    {OperationKind::ReceiveBackward, 32, 0, 4}, // 588
    {OperationKind::Backward, 32, 0, 0}, // 589
    {OperationKind::SendBackward, 32, 0, 2}, // 590
    {OperationKind::ReceiveForward, 48, 0, 2}, // 591
    {OperationKind::Forward, 48, 0, 0}, // 592
    {OperationKind::SendForward, 48, 0, 4}, // 593
    {OperationKind::ReceiveBackward, 40, 1, 4}, // 594
    {OperationKind::Backward, 40, 1, 0}, // 595
    {OperationKind::SendBackward, 40, 1, 2}, // 596
    {OperationKind::ReceiveForward, 48, 1, 2}, // 597
    {OperationKind::Forward, 48, 1, 0}, // 598
    {OperationKind::SendForward, 48, 1, 4}, // 599
    {OperationKind::ReceiveBackward, 40, 0, 4}, // 600
    {OperationKind::Backward, 40, 0, 0}, // 601
    {OperationKind::SendBackward, 40, 0, 2}, // 602
    {OperationKind::ReceiveForward, 56, 0, 2}, // 603
    {OperationKind::Forward, 56, 0, 0}, // 604
    {OperationKind::SendForward, 56, 0, 4}, // 605
    {OperationKind::ReceiveBackward, 48, 1, 4}, // 606
    {OperationKind::Backward, 48, 1, 0}, // 607
    {OperationKind::SendBackward, 48, 1, 2}, // 608
    {OperationKind::ReceiveForward, 56, 1, 2}, // 609
    {OperationKind::Forward, 56, 1, 0}, // 610
    {OperationKind::SendForward, 56, 1, 4}, // 611
    {OperationKind::ReceiveBackward, 48, 0, 4}, // 612
    {OperationKind::Backward, 48, 0, 0}, // 613
    {OperationKind::SendBackward, 48, 0, 2}, // 614
    {OperationKind::ReceiveBackward, 56, 1, 4}, // 615
    {OperationKind::Backward, 56, 1, 0}, // 616
    {OperationKind::SendBackward, 56, 1, 2}, // 617
    {OperationKind::ReceiveBackward, 56, 0, 4}, // 618
    {OperationKind::Backward, 56, 0, 0}, // 619
    {OperationKind::SendBackward, 56, 0, 2}, // 620
    {OperationKind::Overlapped, 0, 0, 6}, // 621
    {OperationKind::Overlapped, 0, 0, 6}, // 622
    {OperationKind::Optimizer, 0, 0, 0}, // 623
    {OperationKind::Collective, 0, 0, 9}, // 624
    {OperationKind::Collective, 0, 0, 9}, // 625
    {OperationKind::ReceiveForward, 0, 0, 3}, // 626
    {OperationKind::Forward, 0, 0, 0}, // 627
    {OperationKind::SendForward, 0, 0, 5}, // 628
    {OperationKind::ReceiveForward, 0, 1, 3}, // 629
    {OperationKind::Forward, 0, 1, 0}, // 630
    {OperationKind::SendForward, 0, 1, 5}, // 631
    {OperationKind::ReceiveBackward, 0, 1, 5}, // 632
    {OperationKind::Backward, 0, 1, 0}, // 633
    {OperationKind::SendBackward, 0, 1, 3}, // 634
    {OperationKind::ReceiveForward, 7, 1, 3}, // 635
    {OperationKind::Forward, 7, 1, 0}, // 636
    {OperationKind::SendForward, 7, 1, 5}, // 637
    {OperationKind::ReceiveBackward, 1, 1, 5}, // 638
    {OperationKind::Backward, 1, 1, 0}, // 639
    {OperationKind::SendBackward, 1, 1, 3}, // 640
    {OperationKind::ReceiveForward, 8, 0, 3}, // 641
    {OperationKind::Forward, 8, 0, 0}, // 642
    {OperationKind::SendForward, 8, 0, 5}, // 643
    {OperationKind::ReceiveBackward, 0, 0, 5}, // 644
    {OperationKind::Backward, 0, 0, 0}, // 645
    {OperationKind::SendBackward, 0, 0, 3}, // 646
    {OperationKind::ReceiveForward, 15, 0, 3}, // 647
    {OperationKind::Forward, 15, 0, 0}, // 648
    {OperationKind::SendForward, 15, 0, 5}, // 649
    {OperationKind::ReceiveBackward, 1, 0, 5}, // 650
    {OperationKind::Backward, 1, 0, 0}, // 651
    {OperationKind::SendBackward, 1, 0, 3}, // 652
    {OperationKind::ReceiveForward, 8, 1, 3}, // 653
    {OperationKind::Forward, 8, 1, 0}, // 654
    {OperationKind::SendForward, 8, 1, 5}, // 655
    {OperationKind::ReceiveBackward, 8, 1, 5}, // 656
    {OperationKind::Backward, 8, 1, 0}, // 657
    {OperationKind::SendBackward, 8, 1, 3}, // 658
    {OperationKind::ReceiveForward, 15, 1, 3}, // 659
    {OperationKind::Forward, 15, 1, 0}, // 660
    {OperationKind::SendForward, 15, 1, 5}, // 661
    {OperationKind::ReceiveBackward, 9, 1, 5}, // 662
    {OperationKind::Backward, 9, 1, 0}, // 663
    {OperationKind::SendBackward, 9, 1, 3}, // 664
    {OperationKind::ReceiveForward, 16, 0, 3}, // 665
    {OperationKind::Forward, 16, 0, 0}, // 666
    {OperationKind::SendForward, 16, 0, 5}, // 667
    {OperationKind::ReceiveBackward, 8, 0, 5}, // 668
    {OperationKind::Backward, 8, 0, 0}, // 669
    {OperationKind::SendBackward, 8, 0, 3}, // 670
    {OperationKind::ReceiveForward, 23, 0, 3}, // 671
    {OperationKind::Forward, 23, 0, 0}, // 672
    {OperationKind::SendForward, 23, 0, 5}, // 673
    {OperationKind::ReceiveBackward, 9, 0, 5}, // 674
    {OperationKind::Backward, 9, 0, 0}, // 675
    {OperationKind::SendBackward, 9, 0, 3}, // 676
    {OperationKind::ReceiveForward, 16, 1, 3}, // 677
    {OperationKind::Forward, 16, 1, 0}, // 678
    {OperationKind::SendForward, 16, 1, 5}, // 679
    {OperationKind::ReceiveBackward, 16, 1, 5}, // 680
    {OperationKind::Backward, 16, 1, 0}, // 681
    {OperationKind::SendBackward, 16, 1, 3}, // 682
    {OperationKind::ReceiveForward, 23, 1, 3}, // 683
    {OperationKind::Forward, 23, 1, 0}, // 684
    {OperationKind::SendForward, 23, 1, 5}, // 685
    {OperationKind::ReceiveBackward, 17, 1, 5}, // 686
    {OperationKind::Backward, 17, 1, 0}, // 687
    {OperationKind::SendBackward, 17, 1, 3}, // 688
    {OperationKind::ReceiveForward, 24, 0, 3}, // 689
    {OperationKind::Forward, 24, 0, 0}, // 690
    {OperationKind::SendForward, 24, 0, 5}, // 691
    {OperationKind::ReceiveBackward, 16, 0, 5}, // 692
    {OperationKind::Backward, 16, 0, 0}, // 693
    {OperationKind::SendBackward, 16, 0, 3}, // 694
    {OperationKind::ReceiveForward, 31, 0, 3}, // 695
    {OperationKind::Forward, 31, 0, 0}, // 696
    {OperationKind::SendForward, 31, 0, 5}, // 697
    {OperationKind::ReceiveBackward, 17, 0, 5}, // 698
    {OperationKind::Backward, 17, 0, 0}, // 699
    {OperationKind::SendBackward, 17, 0, 3}, // 700
    {OperationKind::ReceiveForward, 24, 1, 3}, // 701
    {OperationKind::Forward, 24, 1, 0}, // 702
    {OperationKind::SendForward, 24, 1, 5}, // 703
    {OperationKind::ReceiveBackward, 24, 1, 5}, // 704
    {OperationKind::Backward, 24, 1, 0}, // 705
    {OperationKind::SendBackward, 24, 1, 3}, // 706
    {OperationKind::ReceiveForward, 31, 1, 3}, // 707
    {OperationKind::Forward, 31, 1, 0}, // 708
    {OperationKind::SendForward, 31, 1, 5}, // 709
    {OperationKind::ReceiveBackward, 25, 1, 5}, // 710
    {OperationKind::Backward, 25, 1, 0}, // 711
    {OperationKind::SendBackward, 25, 1, 3}, // 712
    {OperationKind::ReceiveForward, 32, 0, 3}, // 713
    {OperationKind::Forward, 32, 0, 0}, // 714
    {OperationKind::SendForward, 32, 0, 5}, // 715
    {OperationKind::ReceiveBackward, 24, 0, 5}, // 716
    {OperationKind::Backward, 24, 0, 0}, // 717
    {OperationKind::SendBackward, 24, 0, 3}, // 718
    {OperationKind::ReceiveForward, 39, 0, 3}, // 719
    {OperationKind::Forward, 39, 0, 0}, // 720
    {OperationKind::SendForward, 39, 0, 5}, // 721
    {OperationKind::ReceiveBackward, 25, 0, 5}, // 722
    {OperationKind::Backward, 25, 0, 0}, // 723
    {OperationKind::SendBackward, 25, 0, 3}, // 724
    {OperationKind::ReceiveForward, 32, 1, 3}, // 725
    {OperationKind::Forward, 32, 1, 0}, // 726
    {OperationKind::SendForward, 32, 1, 5}, // 727
    {OperationKind::ReceiveBackward, 32, 1, 5}, // 728
    {OperationKind::Backward, 32, 1, 0}, // 729
    {OperationKind::SendBackward, 32, 1, 3}, // 730
    {OperationKind::ReceiveForward, 39, 1, 3}, // 731
    {OperationKind::Forward, 39, 1, 0}, // 732
    {OperationKind::SendForward, 39, 1, 5}, // 733
    {OperationKind::ReceiveBackward, 33, 1, 5}, // 734
    {OperationKind::Backward, 33, 1, 0}, // 735
    {OperationKind::SendBackward, 33, 1, 3}, // 736
    {OperationKind::ReceiveForward, 40, 0, 3}, // 737
    {OperationKind::Forward, 40, 0, 0}, // 738
    {OperationKind::SendForward, 40, 0, 5}, // 739
    {OperationKind::ReceiveBackward, 32, 0, 5}, // 740
    {OperationKind::Backward, 32, 0, 0}, // 741
    {OperationKind::SendBackward, 32, 0, 3}, // 742
    {OperationKind::ReceiveForward, 47, 0, 3}, // 743
    {OperationKind::Forward, 47, 0, 0}, // 744
    {OperationKind::SendForward, 47, 0, 5}, // 745
    {OperationKind::ReceiveBackward, 33, 0, 5}, // 746
    {OperationKind::Backward, 33, 0, 0}, // 747
    {OperationKind::SendBackward, 33, 0, 3}, // 748
    {OperationKind::ReceiveForward, 40, 1, 3}, // 749
    {OperationKind::Forward, 40, 1, 0}, // 750
    {OperationKind::SendForward, 40, 1, 5}, // 751
    {OperationKind::ReceiveBackward, 40, 1, 5}, // 752
    {OperationKind::Backward, 40, 1, 0}, // 753
    {OperationKind::SendBackward, 40, 1, 3}, // 754
    {OperationKind::ReceiveForward, 47, 1, 3}, // 755
    {OperationKind::Forward, 47, 1, 0}, // 756
    {OperationKind::SendForward, 47, 1, 5}, // 757
    {OperationKind::ReceiveBackward, 41, 1, 5}, // 758
    {OperationKind::Backward, 41, 1, 0}, // 759
    {OperationKind::SendBackward, 41, 1, 3}, // 760
    {OperationKind::ReceiveForward, 48, 0, 3}, // 761
    {OperationKind::Forward, 48, 0, 0}, // 762
    {OperationKind::SendForward, 48, 0, 5}, // 763
    {OperationKind::ReceiveBackward, 40, 0, 5}, // 764
    {OperationKind::Backward, 40, 0, 0}, // 765
    {OperationKind::SendBackward, 40, 0, 3}, // 766
    {OperationKind::ReceiveForward, 55, 0, 3}, // 767
    {OperationKind::Forward, 55, 0, 0}, // 768
    {OperationKind::SendForward, 55, 0, 5}, // 769
    {OperationKind::ReceiveBackward, 41, 0, 5}, // 770
    {OperationKind::Backward, 41, 0, 0}, // 771
    {OperationKind::SendBackward, 41, 0, 3}, // 772
    {OperationKind::ReceiveForward, 48, 1, 3}, // 773
    {OperationKind::Forward, 48, 1, 0}, // 774
    {OperationKind::SendForward, 48, 1, 5}, // 775
    {OperationKind::ReceiveBackward, 48, 1, 5}, // 776
    {OperationKind::Backward, 48, 1, 0}, // 777
    {OperationKind::SendBackward, 48, 1, 3}, // 778
    {OperationKind::ReceiveForward, 55, 1, 3}, // 779
    {OperationKind::Forward, 55, 1, 0}, // 780
    {OperationKind::SendForward, 55, 1, 5}, // 781
    {OperationKind::ReceiveBackward, 49, 1, 5}, // 782
    {OperationKind::Backward, 49, 1, 0}, // 783
    {OperationKind::SendBackward, 49, 1, 3}, // 784
    {OperationKind::ReceiveForward, 56, 0, 3}, // 785
    {OperationKind::Forward, 56, 0, 0}, // 786
    {OperationKind::SendForward, 56, 0, 5}, // 787
    {OperationKind::ReceiveBackward, 48, 0, 5}, // 788
    {OperationKind::Backward, 48, 0, 0}, // 789
    {OperationKind::SendBackward, 48, 0, 3}, // 790
    {OperationKind::ReceiveForward, 63, 0, 3}, // 791
    {OperationKind::Forward, 63, 0, 0}, // 792
    {OperationKind::SendForward, 63, 0, 5}, // 793
    {OperationKind::ReceiveBackward, 49, 0, 5}, // 794
    {OperationKind::Backward, 49, 0, 0}, // 795
    {OperationKind::SendBackward, 49, 0, 3}, // 796
    {OperationKind::ReceiveForward, 56, 1, 3}, // 797
    {OperationKind::Forward, 56, 1, 0}, // 798
    {OperationKind::SendForward, 56, 1, 5}, // 799
    {OperationKind::ReceiveBackward, 56, 1, 5}, // 800
    {OperationKind::Backward, 56, 1, 0}, // 801
    {OperationKind::SendBackward, 56, 1, 3}, // 802
    {OperationKind::ReceiveForward, 63, 1, 3}, // 803
    {OperationKind::Forward, 63, 1, 0}, // 804
    {OperationKind::SendForward, 63, 1, 5}, // 805
    {OperationKind::ReceiveBackward, 57, 1, 5}, // 806
    {OperationKind::Backward, 57, 1, 0}, // 807
    {OperationKind::SendBackward, 57, 1, 3}, // 808
    {OperationKind::ReceiveBackward, 56, 0, 5}, // 809
    {OperationKind::Backward, 56, 0, 0}, // 810
    {OperationKind::SendBackward, 56, 0, 3}, // 811
    {OperationKind::Overlapped, 0, 0, 6}, // 812
    {OperationKind::Overlapped, 0, 0, 6}, // 813
    {OperationKind::Optimizer, 0, 0, 0}, // 814
    {OperationKind::Collective, 0, 0, 9}, // 815
    {OperationKind::Collective, 0, 0, 9}, // 816
    {OperationKind::ReceiveForward, 0, 0, 4}, // 817
    {OperationKind::Forward, 0, 0, 0}, // 818
    {OperationKind::SendForward, 0, 0, 6}, // 819
    {OperationKind::ReceiveForward, 0, 1, 4}, // 820
    {OperationKind::Forward, 0, 1, 0}, // 821
    {OperationKind::SendForward, 0, 1, 6}, // 822
    {OperationKind::ReceiveBackward, 0, 1, 6}, // 823
    {OperationKind::Backward, 0, 1, 0}, // 824
    {OperationKind::SendBackward, 0, 1, 4}, // 825
    {OperationKind::ReceiveForward, 5, 1, 4}, // 826
    {OperationKind::Forward, 5, 1, 0}, // 827
    {OperationKind::SendForward, 5, 1, 6}, // 828
    {OperationKind::ReceiveBackward, 3, 1, 6}, // 829
    {OperationKind::Backward, 3, 1, 0}, // 830
    {OperationKind::SendBackward, 3, 1, 4}, // 831
    {OperationKind::ReceiveForward, 8, 0, 4}, // 832
    {OperationKind::Forward, 8, 0, 0}, // 833
    {OperationKind::SendForward, 8, 0, 6}, // 834
    {OperationKind::ReceiveBackward, 0, 0, 6}, // 835
    {OperationKind::Backward, 0, 0, 0}, // 836
    {OperationKind::SendBackward, 0, 0, 4}, // 837
    {OperationKind::ReceiveForward, 13, 0, 4}, // 838
    {OperationKind::Forward, 13, 0, 0}, // 839
    {OperationKind::SendForward, 13, 0, 6}, // 840
    {OperationKind::ReceiveBackward, 3, 0, 6}, // 841
    {OperationKind::Backward, 3, 0, 0}, // 842
    {OperationKind::SendBackward, 3, 0, 4}, // 843
    {OperationKind::ReceiveForward, 8, 1, 4}, // 844
    {OperationKind::Forward, 8, 1, 0}, // 845
    {OperationKind::SendForward, 8, 1, 6}, // 846
    {OperationKind::ReceiveBackward, 8, 1, 6}, // 847
    {OperationKind::Backward, 8, 1, 0}, // 848
    {OperationKind::SendBackward, 8, 1, 4}, // 849
    {OperationKind::ReceiveForward, 13, 1, 4}, // 850
    {OperationKind::Forward, 13, 1, 0}, // 851
    {OperationKind::SendForward, 13, 1, 6}, // 852
    {OperationKind::ReceiveBackward, 11, 1, 6}, // 853
    {OperationKind::Backward, 11, 1, 0}, // 854
    {OperationKind::SendBackward, 11, 1, 4}, // 855
    {OperationKind::ReceiveForward, 16, 0, 4}, // 856
    {OperationKind::Forward, 16, 0, 0}, // 857
    {OperationKind::SendForward, 16, 0, 6}, // 858
    {OperationKind::ReceiveBackward, 8, 0, 6}, // 859
    {OperationKind::Backward, 8, 0, 0}, // 860
    {OperationKind::SendBackward, 8, 0, 4}, // 861
    {OperationKind::ReceiveForward, 21, 0, 4}, // 862
    {OperationKind::Forward, 21, 0, 0}, // 863
    {OperationKind::SendForward, 21, 0, 6}, // 864
    {OperationKind::ReceiveBackward, 11, 0, 6}, // 865
    {OperationKind::Backward, 11, 0, 0}, // 866
    {OperationKind::SendBackward, 11, 0, 4}, // 867
    {OperationKind::ReceiveForward, 16, 1, 4}, // 868
    {OperationKind::Forward, 16, 1, 0}, // 869
    {OperationKind::SendForward, 16, 1, 6}, // 870
    {OperationKind::ReceiveBackward, 16, 1, 6}, // 871
    {OperationKind::Backward, 16, 1, 0}, // 872
    {OperationKind::SendBackward, 16, 1, 4}, // 873
    {OperationKind::ReceiveForward, 21, 1, 4}, // 874
    {OperationKind::Forward, 21, 1, 0}, // 875
    {OperationKind::SendForward, 21, 1, 6}, // 876
    {OperationKind::ReceiveBackward, 19, 1, 6}, // 877
    {OperationKind::Backward, 19, 1, 0}, // 878
    {OperationKind::SendBackward, 19, 1, 4}, // 879
    {OperationKind::ReceiveForward, 24, 0, 4}, // 880
    {OperationKind::Forward, 24, 0, 0}, // 881
    {OperationKind::SendForward, 24, 0, 6}, // 882
    {OperationKind::ReceiveBackward, 16, 0, 6}, // 883
    {OperationKind::Backward, 16, 0, 0}, // 884
    {OperationKind::SendBackward, 16, 0, 4}, // 885
    {OperationKind::ReceiveForward, 29, 0, 4}, // 886
    {OperationKind::Forward, 29, 0, 0}, // 887
    {OperationKind::SendForward, 29, 0, 6}, // 888
    {OperationKind::ReceiveBackward, 19, 0, 6}, // 889
    {OperationKind::Backward, 19, 0, 0}, // 890
    {OperationKind::SendBackward, 19, 0, 4}, // 891
    {OperationKind::ReceiveForward, 24, 1, 4}, // 892
    {OperationKind::Forward, 24, 1, 0}, // 893
    {OperationKind::SendForward, 24, 1, 6}, // 894
    {OperationKind::ReceiveBackward, 24, 1, 6}, // 895
    {OperationKind::Backward, 24, 1, 0}, // 896
    {OperationKind::SendBackward, 24, 1, 4}, // 897
    {OperationKind::ReceiveForward, 29, 1, 4}, // 898
    {OperationKind::Forward, 29, 1, 0}, // 899
    {OperationKind::SendForward, 29, 1, 6}, // 900
    {OperationKind::ReceiveBackward, 27, 1, 6}, // 901
    {OperationKind::Backward, 27, 1, 0}, // 902
    {OperationKind::SendBackward, 27, 1, 4}, // 903
    {OperationKind::ReceiveForward, 32, 0, 4}, // 904
    {OperationKind::Forward, 32, 0, 0}, // 905
    {OperationKind::SendForward, 32, 0, 6}, // 906
    {OperationKind::ReceiveBackward, 24, 0, 6}, // 907
    {OperationKind::Backward, 24, 0, 0}, // 908
    {OperationKind::SendBackward, 24, 0, 4}, // 909
    {OperationKind::ReceiveForward, 37, 0, 4}, // 910
    {OperationKind::Forward, 37, 0, 0}, // 911
    {OperationKind::SendForward, 37, 0, 6}, // 912
    {OperationKind::ReceiveBackward, 27, 0, 6}, // 913
    {OperationKind::Backward, 27, 0, 0}, // 914
    {OperationKind::SendBackward, 27, 0, 4}, // 915
    {OperationKind::ReceiveForward, 32, 1, 4}, // 916
    {OperationKind::Forward, 32, 1, 0}, // 917
    {OperationKind::SendForward, 32, 1, 6}, // 918
    {OperationKind::ReceiveBackward, 32, 1, 6}, // 919
    {OperationKind::Backward, 32, 1, 0}, // 920
    {OperationKind::SendBackward, 32, 1, 4}, // 921
    {OperationKind::ReceiveForward, 37, 1, 4}, // 922
    {OperationKind::Forward, 37, 1, 0}, // 923
    {OperationKind::SendForward, 37, 1, 6}, // 924
    {OperationKind::ReceiveBackward, 35, 1, 6}, // 925
    {OperationKind::Backward, 35, 1, 0}, // 926
    {OperationKind::SendBackward, 35, 1, 4}, // 927
    {OperationKind::ReceiveForward, 40, 0, 4}, // 928
    {OperationKind::Forward, 40, 0, 0}, // 929
    {OperationKind::SendForward, 40, 0, 6}, // 930
    {OperationKind::ReceiveBackward, 32, 0, 6}, // 931
    {OperationKind::Backward, 32, 0, 0}, // 932
    {OperationKind::SendBackward, 32, 0, 4}, // 933
    {OperationKind::ReceiveForward, 45, 0, 4}, // 934
    {OperationKind::Forward, 45, 0, 0}, // 935
    {OperationKind::SendForward, 45, 0, 6}, // 936
    {OperationKind::ReceiveBackward, 35, 0, 6}, // 937
    {OperationKind::Backward, 35, 0, 0}, // 938
    {OperationKind::SendBackward, 35, 0, 4}, // 939
    {OperationKind::ReceiveForward, 40, 1, 4}, // 940
    {OperationKind::Forward, 40, 1, 0}, // 941
    {OperationKind::SendForward, 40, 1, 6}, // 942
    {OperationKind::ReceiveBackward, 40, 1, 6}, // 943
    {OperationKind::Backward, 40, 1, 0}, // 944
    {OperationKind::SendBackward, 40, 1, 4}, // 945
    {OperationKind::ReceiveForward, 45, 1, 4}, // 946
    {OperationKind::Forward, 45, 1, 0}, // 947
    {OperationKind::SendForward, 45, 1, 6}, // 948
    {OperationKind::ReceiveBackward, 43, 1, 6}, // 949
    {OperationKind::Backward, 43, 1, 0}, // 950
    {OperationKind::SendBackward, 43, 1, 4}, // 951
    {OperationKind::ReceiveForward, 48, 0, 4}, // 952
    {OperationKind::Forward, 48, 0, 0}, // 953
    {OperationKind::SendForward, 48, 0, 6}, // 954
    {OperationKind::ReceiveBackward, 40, 0, 6}, // 955
    {OperationKind::Backward, 40, 0, 0}, // 956
    {OperationKind::SendBackward, 40, 0, 4}, // 957
    {OperationKind::ReceiveForward, 53, 0, 4}, // 958
    {OperationKind::Forward, 53, 0, 0}, // 959
    {OperationKind::SendForward, 53, 0, 6}, // 960
    {OperationKind::ReceiveBackward, 43, 0, 6}, // 961
    {OperationKind::Backward, 43, 0, 0}, // 962
    {OperationKind::SendBackward, 43, 0, 4}, // 963
    {OperationKind::ReceiveForward, 48, 1, 4}, // 964
    {OperationKind::Forward, 48, 1, 0}, // 965
    {OperationKind::SendForward, 48, 1, 6}, // 966
    {OperationKind::ReceiveBackward, 48, 1, 6}, // 967
    {OperationKind::Backward, 48, 1, 0}, // 968
    {OperationKind::SendBackward, 48, 1, 4}, // 969
    {OperationKind::ReceiveForward, 53, 1, 4}, // 970
    {OperationKind::Forward, 53, 1, 0}, // 971
    {OperationKind::SendForward, 53, 1, 6}, // 972
    {OperationKind::ReceiveBackward, 51, 1, 6}, // 973
    {OperationKind::Backward, 51, 1, 0}, // 974
    {OperationKind::SendBackward, 51, 1, 4}, // 975
    {OperationKind::ReceiveForward, 56, 0, 4}, // 976
    {OperationKind::Forward, 56, 0, 0}, // 977
    {OperationKind::SendForward, 56, 0, 6}, // 978
    {OperationKind::ReceiveBackward, 48, 0, 6}, // 979
    {OperationKind::Backward, 48, 0, 0}, // 980
    {OperationKind::SendBackward, 48, 0, 4}, // 981
    {OperationKind::ReceiveForward, 61, 0, 4}, // 982
    {OperationKind::Forward, 61, 0, 0}, // 983
    {OperationKind::SendForward, 61, 0, 6}, // 984
    {OperationKind::ReceiveBackward, 51, 0, 6}, // 985
    {OperationKind::Backward, 51, 0, 0}, // 986
    {OperationKind::SendBackward, 51, 0, 4}, // 987
    {OperationKind::ReceiveForward, 56, 1, 4}, // 988
    {OperationKind::Forward, 56, 1, 0}, // 989
    {OperationKind::SendForward, 56, 1, 6}, // 990
    {OperationKind::ReceiveBackward, 56, 1, 6}, // 991
    {OperationKind::Backward, 56, 1, 0}, // 992
    {OperationKind::SendBackward, 56, 1, 4}, // 993
    {OperationKind::ReceiveForward, 61, 1, 4}, // 994
    {OperationKind::Forward, 61, 1, 0}, // 995
    {OperationKind::SendForward, 61, 1, 6}, // 996
    {OperationKind::ReceiveBackward, 59, 1, 6}, // 997
    {OperationKind::Backward, 59, 1, 0}, // 998
    {OperationKind::SendBackward, 59, 1, 4}, // 999
    {OperationKind::ReceiveBackward, 56, 0, 6}, // 1000
    {OperationKind::Backward, 56, 0, 0}, // 1001
    {OperationKind::SendBackward, 56, 0, 4}, // 1002
    {OperationKind::Overlapped, 0, 0, 6}, // 1003
    {OperationKind::Overlapped, 0, 0, 6}, // 1004
    {OperationKind::Optimizer, 0, 0, 0}, // 1005
    {OperationKind::Collective, 0, 0, 9}, // 1006
    {OperationKind::Collective, 0, 0, 9}, // 1007
    {OperationKind::ReceiveForward, 0, 0, 5}, // 1008
    {OperationKind::Forward, 0, 0, 0}, // 1009
    {OperationKind::SendForward, 0, 0, 7}, // 1010
    {OperationKind::ReceiveForward, 0, 1, 5}, // 1011
    {OperationKind::Forward, 0, 1, 0}, // 1012
    {OperationKind::SendForward, 0, 1, 7}, // 1013
    {OperationKind::ReceiveBackward, 0, 1, 7}, // 1014
    {OperationKind::Backward, 0, 1, 0}, // 1015
    {OperationKind::SendBackward, 0, 1, 5}, // 1016
    {OperationKind::ReceiveForward, 3, 1, 5}, // 1017
    {OperationKind::Forward, 3, 1, 0}, // 1018
    {OperationKind::SendForward, 3, 1, 7}, // 1019
    {OperationKind::ReceiveBackward, 5, 1, 7}, // 1020
    {OperationKind::Backward, 5, 1, 0}, // 1021
    {OperationKind::SendBackward, 5, 1, 5}, // 1022
    {OperationKind::ReceiveForward, 8, 0, 5}, // 1023
    {OperationKind::Forward, 8, 0, 0}, // 1024
    {OperationKind::SendForward, 8, 0, 7}, // 1025
    {OperationKind::ReceiveBackward, 0, 0, 7}, // 1026
    {OperationKind::Backward, 0, 0, 0}, // 1027
    {OperationKind::SendBackward, 0, 0, 5}, // 1028
    {OperationKind::ReceiveForward, 11, 0, 5}, // 1029
    {OperationKind::Forward, 11, 0, 0}, // 1030
    {OperationKind::SendForward, 11, 0, 7}, // 1031
    {OperationKind::ReceiveBackward, 5, 0, 7}, // 1032
    {OperationKind::Backward, 5, 0, 0}, // 1033
    {OperationKind::SendBackward, 5, 0, 5}, // 1034
    {OperationKind::ReceiveForward, 8, 1, 5}, // 1035
    {OperationKind::Forward, 8, 1, 0}, // 1036
    {OperationKind::SendForward, 8, 1, 7}, // 1037
    {OperationKind::ReceiveBackward, 8, 1, 7}, // 1038
    {OperationKind::Backward, 8, 1, 0}, // 1039
    {OperationKind::SendBackward, 8, 1, 5}, // 1040
    {OperationKind::ReceiveForward, 11, 1, 5}, // 1041
    {OperationKind::Forward, 11, 1, 0}, // 1042
    {OperationKind::SendForward, 11, 1, 7}, // 1043
    {OperationKind::ReceiveBackward, 13, 1, 7}, // 1044
    {OperationKind::Backward, 13, 1, 0}, // 1045
    {OperationKind::SendBackward, 13, 1, 5}, // 1046
    {OperationKind::ReceiveForward, 16, 0, 5}, // 1047
    {OperationKind::Forward, 16, 0, 0}, // 1048
    {OperationKind::SendForward, 16, 0, 7}, // 1049
    {OperationKind::ReceiveBackward, 8, 0, 7}, // 1050
    {OperationKind::Backward, 8, 0, 0}, // 1051
    {OperationKind::SendBackward, 8, 0, 5}, // 1052
    {OperationKind::ReceiveForward, 19, 0, 5}, // 1053
    {OperationKind::Forward, 19, 0, 0}, // 1054
    {OperationKind::SendForward, 19, 0, 7}, // 1055
    {OperationKind::ReceiveBackward, 13, 0, 7}, // 1056
    {OperationKind::Backward, 13, 0, 0}, // 1057
    {OperationKind::SendBackward, 13, 0, 5}, // 1058
    {OperationKind::ReceiveForward, 16, 1, 5}, // 1059
    {OperationKind::Forward, 16, 1, 0}, // 1060
    {OperationKind::SendForward, 16, 1, 7}, // 1061
    {OperationKind::ReceiveBackward, 16, 1, 7}, // 1062
    {OperationKind::Backward, 16, 1, 0}, // 1063
    {OperationKind::SendBackward, 16, 1, 5}, // 1064
    {OperationKind::ReceiveForward, 19, 1, 5}, // 1065
    {OperationKind::Forward, 19, 1, 0}, // 1066
    {OperationKind::SendForward, 19, 1, 7}, // 1067
    {OperationKind::ReceiveBackward, 21, 1, 7}, // 1068
    {OperationKind::Backward, 21, 1, 0}, // 1069
    {OperationKind::SendBackward, 21, 1, 5}, // 1070
    {OperationKind::ReceiveForward, 24, 0, 5}, // 1071
    {OperationKind::Forward, 24, 0, 0}, // 1072
    {OperationKind::SendForward, 24, 0, 7}, // 1073
    {OperationKind::ReceiveBackward, 16, 0, 7}, // 1074
    {OperationKind::Backward, 16, 0, 0}, // 1075
    {OperationKind::SendBackward, 16, 0, 5}, // 1076
    {OperationKind::ReceiveForward, 27, 0, 5}, // 1077
    {OperationKind::Forward, 27, 0, 0}, // 1078
    {OperationKind::SendForward, 27, 0, 7}, // 1079
    {OperationKind::ReceiveBackward, 21, 0, 7}, // 1080
    {OperationKind::Backward, 21, 0, 0}, // 1081
    {OperationKind::SendBackward, 21, 0, 5}, // 1082
    {OperationKind::ReceiveForward, 24, 1, 5}, // 1083
    {OperationKind::Forward, 24, 1, 0}, // 1084
    {OperationKind::SendForward, 24, 1, 7}, // 1085
    {OperationKind::ReceiveBackward, 24, 1, 7}, // 1086
    {OperationKind::Backward, 24, 1, 0}, // 1087
    {OperationKind::SendBackward, 24, 1, 5}, // 1088
    {OperationKind::ReceiveForward, 27, 1, 5}, // 1089
    {OperationKind::Forward, 27, 1, 0}, // 1090
    {OperationKind::SendForward, 27, 1, 7}, // 1091
    {OperationKind::ReceiveBackward, 29, 1, 7}, // 1092
    {OperationKind::Backward, 29, 1, 0}, // 1093
    {OperationKind::SendBackward, 29, 1, 5}, // 1094
    {OperationKind::ReceiveForward, 32, 0, 5}, // 1095
    {OperationKind::Forward, 32, 0, 0}, // 1096
    {OperationKind::SendForward, 32, 0, 7}, // 1097
    {OperationKind::ReceiveBackward, 24, 0, 7}, // 1098
    {OperationKind::Backward, 24, 0, 0}, // 1099
    {OperationKind::SendBackward, 24, 0, 5}, // 1100
    {OperationKind::ReceiveForward, 35, 0, 5}, // 1101
    {OperationKind::Forward, 35, 0, 0}, // 1102
    {OperationKind::SendForward, 35, 0, 7}, // 1103
    {OperationKind::ReceiveBackward, 29, 0, 7}, // 1104
    {OperationKind::Backward, 29, 0, 0}, // 1105
    {OperationKind::SendBackward, 29, 0, 5}, // 1106
    {OperationKind::ReceiveForward, 32, 1, 5}, // 1107
    {OperationKind::Forward, 32, 1, 0}, // 1108
    {OperationKind::SendForward, 32, 1, 7}, // 1109
    {OperationKind::ReceiveBackward, 32, 1, 7}, // 1110
    {OperationKind::Backward, 32, 1, 0}, // 1111
    {OperationKind::SendBackward, 32, 1, 5}, // 1112
    {OperationKind::ReceiveForward, 35, 1, 5}, // 1113
    {OperationKind::Forward, 35, 1, 0}, // 1114
    {OperationKind::SendForward, 35, 1, 7}, // 1115
    {OperationKind::ReceiveBackward, 37, 1, 7}, // 1116
    {OperationKind::Backward, 37, 1, 0}, // 1117
    {OperationKind::SendBackward, 37, 1, 5}, // 1118
    {OperationKind::ReceiveForward, 40, 0, 5}, // 1119
    {OperationKind::Forward, 40, 0, 0}, // 1120
    {OperationKind::SendForward, 40, 0, 7}, // 1121
    {OperationKind::ReceiveBackward, 32, 0, 7}, // 1122
    {OperationKind::Backward, 32, 0, 0}, // 1123
    {OperationKind::SendBackward, 32, 0, 5}, // 1124
    {OperationKind::ReceiveForward, 43, 0, 5}, // 1125
    {OperationKind::Forward, 43, 0, 0}, // 1126
    {OperationKind::SendForward, 43, 0, 7}, // 1127
    {OperationKind::ReceiveBackward, 37, 0, 7}, // 1128
    {OperationKind::Backward, 37, 0, 0}, // 1129
    {OperationKind::SendBackward, 37, 0, 5}, // 1130
    {OperationKind::ReceiveForward, 40, 1, 5}, // 1131
    {OperationKind::Forward, 40, 1, 0}, // 1132
    {OperationKind::SendForward, 40, 1, 7}, // 1133
    {OperationKind::ReceiveBackward, 40, 1, 7}, // 1134
    {OperationKind::Backward, 40, 1, 0}, // 1135
    {OperationKind::SendBackward, 40, 1, 5}, // 1136
    {OperationKind::ReceiveForward, 43, 1, 5}, // 1137
    {OperationKind::Forward, 43, 1, 0}, // 1138
    {OperationKind::SendForward, 43, 1, 7}, // 1139
    {OperationKind::ReceiveBackward, 45, 1, 7}, // 1140
    {OperationKind::Backward, 45, 1, 0}, // 1141
    {OperationKind::SendBackward, 45, 1, 5}, // 1142
    {OperationKind::ReceiveForward, 48, 0, 5}, // 1143
    {OperationKind::Forward, 48, 0, 0}, // 1144
    {OperationKind::SendForward, 48, 0, 7}, // 1145
    {OperationKind::ReceiveBackward, 40, 0, 7}, // 1146
    {OperationKind::Backward, 40, 0, 0}, // 1147
    {OperationKind::SendBackward, 40, 0, 5}, // 1148
    {OperationKind::ReceiveForward, 51, 0, 5}, // 1149
    {OperationKind::Forward, 51, 0, 0}, // 1150
    {OperationKind::SendForward, 51, 0, 7}, // 1151
    {OperationKind::ReceiveBackward, 45, 0, 7}, // 1152
    {OperationKind::Backward, 45, 0, 0}, // 1153
    {OperationKind::SendBackward, 45, 0, 5}, // 1154
    {OperationKind::ReceiveForward, 48, 1, 5}, // 1155
    {OperationKind::Forward, 48, 1, 0}, // 1156
    {OperationKind::SendForward, 48, 1, 7}, // 1157
    {OperationKind::ReceiveBackward, 48, 1, 7}, // 1158
    {OperationKind::Backward, 48, 1, 0}, // 1159
    {OperationKind::SendBackward, 48, 1, 5}, // 1160
    {OperationKind::ReceiveForward, 51, 1, 5}, // 1161
    {OperationKind::Forward, 51, 1, 0}, // 1162
    {OperationKind::SendForward, 51, 1, 7}, // 1163
    {OperationKind::ReceiveBackward, 53, 1, 7}, // 1164
    {OperationKind::Backward, 53, 1, 0}, // 1165
    {OperationKind::SendBackward, 53, 1, 5}, // 1166
    {OperationKind::ReceiveForward, 56, 0, 5}, // 1167
    {OperationKind::Forward, 56, 0, 0}, // 1168
    {OperationKind::SendForward, 56, 0, 7}, // 1169
    {OperationKind::ReceiveBackward, 48, 0, 7}, // 1170
    {OperationKind::Backward, 48, 0, 0}, // 1171
    {OperationKind::SendBackward, 48, 0, 5}, // 1172
    {OperationKind::ReceiveForward, 59, 0, 5}, // 1173
    {OperationKind::Forward, 59, 0, 0}, // 1174
    {OperationKind::SendForward, 59, 0, 7}, // 1175
    {OperationKind::ReceiveBackward, 53, 0, 7}, // 1176
    {OperationKind::Backward, 53, 0, 0}, // 1177
    {OperationKind::SendBackward, 53, 0, 5}, // 1178
    {OperationKind::ReceiveForward, 56, 1, 5}, // 1179
    {OperationKind::Forward, 56, 1, 0}, // 1180
    {OperationKind::SendForward, 56, 1, 7}, // 1181
    {OperationKind::ReceiveBackward, 56, 1, 7}, // 1182
    {OperationKind::Backward, 56, 1, 0}, // 1183
    {OperationKind::SendBackward, 56, 1, 5}, // 1184
    {OperationKind::ReceiveForward, 59, 1, 5}, // 1185
    {OperationKind::Forward, 59, 1, 0}, // 1186
    {OperationKind::SendForward, 59, 1, 7}, // 1187
    {OperationKind::ReceiveBackward, 61, 1, 7}, // 1188
    {OperationKind::Backward, 61, 1, 0}, // 1189
    {OperationKind::SendBackward, 61, 1, 5}, // 1190
    {OperationKind::ReceiveBackward, 56, 0, 7}, // 1191
    {OperationKind::Backward, 56, 0, 0}, // 1192
    {OperationKind::SendBackward, 56, 0, 5}, // 1193
    {OperationKind::Overlapped, 0, 0, 6}, // 1194
    {OperationKind::Overlapped, 0, 0, 6}, // 1195
    {OperationKind::Optimizer, 0, 0, 0}, // 1196
    {OperationKind::Collective, 0, 0, 9}, // 1197
    {OperationKind::Collective, 0, 0, 9}, // 1198
    {OperationKind::ReceiveForward, 0, 0, 6}, // 1199
    {OperationKind::Forward, 0, 0, 0}, // 1200
    {OperationKind::SendForward, 0, 0, 0}, // 1201
    {OperationKind::ReceiveForward, 0, 1, 6}, // 1202
    {OperationKind::Forward, 0, 1, 0}, // 1203
    {OperationKind::Backward, 0, 1, 0}, // 1204
    {OperationKind::SendBackward, 0, 1, 6}, // 1205
    {OperationKind::ReceiveForward, 8, 0, 6}, // 1206
    {OperationKind::Forward, 8, 0, 0}, // 1207
    {OperationKind::SendForward, 8, 0, 0}, // 1208
    {OperationKind::ReceiveBackward, 0, 1, 0}, // 1209
    {OperationKind::Backward, 0, 0, 0}, // 1210
    {OperationKind::SendBackward, 0, 0, 6}, // 1211
    {OperationKind::ReceiveForward, 8, 1, 6}, // 1212
    {OperationKind::Forward, 8, 1, 0}, // 1213
    {OperationKind::Backward, 8, 1, 0}, // 1214
    {OperationKind::SendBackward, 8, 1, 6}, // 1215
    {OperationKind::ReceiveForward, 16, 0, 6}, // 1216
    {OperationKind::Forward, 16, 0, 0}, // 1217
    {OperationKind::SendForward, 16, 0, 0}, // 1218
    {OperationKind::ReceiveBackward, 8, 1, 0}, // 1219
    {OperationKind::Backward, 8, 0, 0}, // 1220
    {OperationKind::SendBackward, 8, 0, 6}, // 1221
    {OperationKind::ReceiveForward, 16, 1, 6}, // 1222
    {OperationKind::Forward, 16, 1, 0}, // 1223
    {OperationKind::Backward, 16, 1, 0}, // 1224
    {OperationKind::SendBackward, 16, 1, 6}, // 1225
    {OperationKind::ReceiveForward, 24, 0, 6}, // 1226
    {OperationKind::Forward, 24, 0, 0}, // 1227
    {OperationKind::SendForward, 24, 0, 0}, // 1228
    {OperationKind::ReceiveBackward, 16, 1, 0}, // 1229
    {OperationKind::Backward, 16, 0, 0}, // 1230
    {OperationKind::SendBackward, 16, 0, 6}, // 1231
    {OperationKind::ReceiveForward, 24, 1, 6}, // 1232
    {OperationKind::Forward, 24, 1, 0}, // 1233
    {OperationKind::Backward, 24, 1, 0}, // 1234
    {OperationKind::SendBackward, 24, 1, 6}, // 1235
    {OperationKind::ReceiveForward, 32, 0, 6}, // 1236
    {OperationKind::Forward, 32, 0, 0}, // 1237
    {OperationKind::SendForward, 32, 0, 0}, // 1238
    {OperationKind::ReceiveBackward, 24, 1, 0}, // 1239
    {OperationKind::Backward, 24, 0, 0}, // 1240
    {OperationKind::SendBackward, 24, 0, 6}, // 1241
    {OperationKind::ReceiveForward, 32, 1, 6}, // 1242
    {OperationKind::Forward, 32, 1, 0}, // 1243
    {OperationKind::Backward, 32, 1, 0}, // 1244
    {OperationKind::SendBackward, 32, 1, 6}, // 1245
    {OperationKind::ReceiveForward, 40, 0, 6}, // 1246
    {OperationKind::Forward, 40, 0, 0}, // 1247
    {OperationKind::SendForward, 40, 0, 0}, // 1248
    {OperationKind::ReceiveBackward, 32, 1, 0}, // 1249
    {OperationKind::Backward, 32, 0, 0}, // 1250
    {OperationKind::SendBackward, 32, 0, 6}, // 1251
    {OperationKind::ReceiveForward, 40, 1, 6}, // 1252
    {OperationKind::Forward, 40, 1, 0}, // 1253
    {OperationKind::Backward, 40, 1, 0}, // 1254
    {OperationKind::SendBackward, 40, 1, 6}, // 1255
    {OperationKind::ReceiveForward, 48, 0, 6}, // 1256
    {OperationKind::Forward, 48, 0, 0}, // 1257
    {OperationKind::SendForward, 48, 0, 0}, // 1258
    {OperationKind::ReceiveBackward, 40, 1, 0}, // 1259
    {OperationKind::Backward, 40, 0, 0}, // 1260
    {OperationKind::SendBackward, 40, 0, 6}, // 1261
    {OperationKind::ReceiveForward, 48, 1, 6}, // 1262
    {OperationKind::Forward, 48, 1, 0}, // 1263
    {OperationKind::Backward, 48, 1, 0}, // 1264
    {OperationKind::SendBackward, 48, 1, 6}, // 1265
    {OperationKind::ReceiveForward, 56, 0, 6}, // 1266
    {OperationKind::Forward, 56, 0, 0}, // 1267
    {OperationKind::SendForward, 56, 0, 0}, // 1268
    {OperationKind::ReceiveBackward, 48, 1, 0}, // 1269
    {OperationKind::Backward, 48, 0, 0}, // 1270
    {OperationKind::SendBackward, 48, 0, 6}, // 1271
    {OperationKind::ReceiveForward, 56, 1, 6}, // 1272
    {OperationKind::Forward, 56, 1, 0}, // 1273
    {OperationKind::Backward, 56, 1, 0}, // 1274
    {OperationKind::SendBackward, 56, 1, 6}, // 1275
    {OperationKind::ReceiveBackward, 56, 1, 0}, // 1276
    {OperationKind::Backward, 56, 0, 0}, // 1277
    {OperationKind::SendBackward, 56, 0, 6}, // 1278
    {OperationKind::Overlapped, 0, 0, 6}, // 1279
    {OperationKind::Overlapped, 0, 0, 7}, // 1280
    {OperationKind::Optimizer, 0, 0, 0}, // 1281
    {OperationKind::Collective, 0, 0, 9}, // 1282
    {OperationKind::Collective, 0, 0, 10}, // 1283
}};

// first operation, operations, times
inline constexpr std::array<Loop, 241> loops{{
    {0, 2, 8}, // 0
    {2, 3, 8}, // 1
    {5, 2, 7}, // 2
    {7, 5, 1}, // 3
    {12, 6, 7}, // 4
    {18, 5, 1}, // 5
    {23, 4, 7}, // 6
    {27, 5, 1}, // 7
    {32, 6, 7}, // 8
    {38, 5, 1}, // 9
    {43, 4, 7}, // 10
    {47, 5, 1}, // 11
    {52, 6, 7}, // 12
    {58, 5, 1}, // 13
    {63, 4, 7}, // 14
    {67, 5, 1}, // 15
    {72, 6, 7}, // 16
    {78, 5, 1}, // 17
    {83, 4, 7}, // 18
    {87, 5, 1}, // 19
    {92, 6, 7}, // 20
    {98, 5, 1}, // 21
    {103, 4, 7}, // 22
    {107, 5, 1}, // 23
    {112, 6, 7}, // 24
    {118, 5, 1}, // 25
    {123, 4, 7}, // 26
    {127, 5, 1}, // 27
    {132, 6, 7}, // 28
    {138, 5, 1}, // 29
    {143, 2, 7}, // 30
    {145, 3, 8}, // 31
    {148, 2, 8}, // 32
    {150, 5, 1}, // 33
    {155, 3, 8}, // 34
    {158, 3, 8}, // 35
    {161, 3, 5}, // 36
    {164, 6, 3}, // 37
    {170, 6, 5}, // 38
    {176, 6, 3}, // 39
    {182, 6, 5}, // 40
    {188, 6, 3}, // 41
    {194, 6, 5}, // 42
    {200, 6, 3}, // 43
    {206, 6, 5}, // 44
    {212, 6, 3}, // 45
    {218, 6, 5}, // 46
    {224, 6, 3}, // 47
    {230, 6, 5}, // 48
    {236, 6, 3}, // 49
    {242, 6, 5}, // 50
    {248, 6, 3}, // 51
    {254, 6, 5}, // 52
    {260, 6, 3}, // 53
    {266, 6, 5}, // 54
    {272, 6, 3}, // 55
    {278, 6, 5}, // 56
    {284, 6, 3}, // 57
    {290, 6, 5}, // 58
    {296, 6, 3}, // 59
    {302, 6, 5}, // 60
    {308, 6, 3}, // 61
    {314, 6, 5}, // 62
    {320, 6, 3}, // 63
    {326, 3, 5}, // 64
    {329, 3, 8}, // 65
    {332, 3, 8}, // 66
    {335, 5, 1}, // 67
    {340, 3, 8}, // 68
    {343, 3, 8}, // 69
    {346, 3, 3}, // 70
    {349, 6, 5}, // 71
    {355, 6, 3}, // 72
    {361, 6, 5}, // 73
    {367, 6, 3}, // 74
    {373, 6, 5}, // 75
    {379, 6, 3}, // 76
    {385, 6, 5}, // 77
    {391, 6, 3}, // 78
    {397, 6, 5}, // 79
    {403, 6, 3}, // 80
    {409, 6, 5}, // 81
    {415, 6, 3}, // 82
    {421, 6, 5}, // 83
    {427, 6, 3}, // 84
    {433, 6, 5}, // 85
    {439, 6, 3}, // 86
    {445, 6, 5}, // 87
    {451, 6, 3}, // 88
    {457, 6, 5}, // 89
    {463, 6, 3}, // 90
    {469, 6, 5}, // 91
    {475, 6, 3}, // 92
    {481, 6, 5}, // 93
    {487, 6, 3}, // 94
    {493, 6, 5}, // 95
    {499, 6, 3}, // 96
    {505, 6, 5}, // 97
    {511, 3, 3}, // 98
    {514, 3, 8}, // 99
    {517, 3, 8}, // 100
    {520, 5, 1}, // 101
    {525, 3, 8}, // 102
    {528, 3, 8}, // 103
    {531, 6, 8}, // 104
    {537, 6, 8}, // 105
    {543, 6, 8}, // 106
    {549, 6, 8}, // 107
    {555, 6, 8}, // 108
    {561, 6, 8}, // 109
    {567, 6, 8}, // 110
    {573, 6, 8}, // 111
    {579, 6, 8}, // 112
    {585, 6, 8}, // 113
    {591, 6, 8}, // 114
    {597, 6, 8}, // 115
    {603, 6, 8}, // 116
    {609, 6, 8}, // 117
    {615, 3, 8}, // 118
    {618, 3, 8}, // 119
    {621, 5, 1}, // 120
    {626, 3, 8}, // 121
    {629, 3, 7}, // 122
    {632, 6, 1}, // 123
    {638, 6, 7}, // 124
    {644, 6, 1}, // 125
    {650, 6, 7}, // 126
    {656, 6, 1}, // 127
    {662, 6, 7}, // 128
    {668, 6, 1}, // 129
    {674, 6, 7}, // 130
    {680, 6, 1}, // 131
    {686, 6, 7}, // 132
    {692, 6, 1}, // 133
    {698, 6, 7}, // 134
    {704, 6, 1}, // 135
    {710, 6, 7}, // 136
    {716, 6, 1}, // 137
    {722, 6, 7}, // 138
    {728, 6, 1}, // 139
    {734, 6, 7}, // 140
    {740, 6, 1}, // 141
    {746, 6, 7}, // 142
    {752, 6, 1}, // 143
    {758, 6, 7}, // 144
    {764, 6, 1}, // 145
    {770, 6, 7}, // 146
    {776, 6, 1}, // 147
    {782, 6, 7}, // 148
    {788, 6, 1}, // 149
    {794, 6, 7}, // 150
    {800, 6, 1}, // 151
    {806, 3, 7}, // 152
    {809, 3, 8}, // 153
    {812, 5, 1}, // 154
    {817, 3, 8}, // 155
    {820, 3, 5}, // 156
    {823, 6, 3}, // 157
    {829, 6, 5}, // 158
    {835, 6, 3}, // 159
    {841, 6, 5}, // 160
    {847, 6, 3}, // 161
    {853, 6, 5}, // 162
    {859, 6, 3}, // 163
    {865, 6, 5}, // 164
    {871, 6, 3}, // 165
    {877, 6, 5}, // 166
    {883, 6, 3}, // 167
    {889, 6, 5}, // 168
    {895, 6, 3}, // 169
    {901, 6, 5}, // 170
    {907, 6, 3}, // 171
    {913, 6, 5}, // 172
    {919, 6, 3}, // 173
    {925, 6, 5}, // 174
    {931, 6, 3}, // 175
    {937, 6, 5}, // 176
    {943, 6, 3}, // 177
    {949, 6, 5}, // 178
    {955, 6, 3}, // 179
    {961, 6, 5}, // 180
    {967, 6, 3}, // 181
    {973, 6, 5}, // 182
    {979, 6, 3}, // 183
    {985, 6, 5}, // 184
    {991, 6, 3}, // 185
    {997, 3, 5}, // 186
    {1000, 3, 8}, // 187
    {1003, 5, 1}, // 188
    {1008, 3, 8}, // 189
    {1011, 3, 3}, // 190
    {1014, 6, 5}, // 191
    {1020, 6, 3}, // 192
    {1026, 6, 5}, // 193
    {1032, 6, 3}, // 194
    {1038, 6, 5}, // 195
    {1044, 6, 3}, // 196
    {1050, 6, 5}, // 197
    {1056, 6, 3}, // 198
    {1062, 6, 5}, // 199
    {1068, 6, 3}, // 200
    {1074, 6, 5}, // 201
    {1080, 6, 3}, // 202
    {1086, 6, 5}, // 203
    {1092, 6, 3}, // 204
    {1098, 6, 5}, // 205
    {1104, 6, 3}, // 206
    {1110, 6, 5}, // 207
    {1116, 6, 3}, // 208
    {1122, 6, 5}, // 209
    {1128, 6, 3}, // 210
    {1134, 6, 5}, // 211
    {1140, 6, 3}, // 212
    {1146, 6, 5}, // 213
    {1152, 6, 3}, // 214
    {1158, 6, 5}, // 215
    {1164, 6, 3}, // 216
    {1170, 6, 5}, // 217
    {1176, 6, 3}, // 218
    {1182, 6, 5}, // 219
    {1188, 3, 3}, // 220
    {1191, 3, 8}, // 221
    {1194, 5, 1}, // 222
    {1199, 3, 8}, // 223
    {1202, 4, 8}, // 224
    {1206, 6, 8}, // 225
    {1212, 4, 8}, // 226
    {1216, 6, 8}, // 227
    {1222, 4, 8}, // 228
    {1226, 6, 8}, // 229
    {1232, 4, 8}, // 230
    {1236, 6, 8}, // 231
    {1242, 4, 8}, // 232
    {1246, 6, 8}, // 233
    {1252, 4, 8}, // 234
    {1256, 6, 8}, // 235
    {1262, 4, 8}, // 236
    {1266, 6, 8}, // 237
    {1272, 4, 8}, // 238
    {1276, 3, 8}, // 239
    {1279, 5, 1}, // 240
}};

// first loop, loops, ns of the update
inline constexpr std::array<RankList, 8> ranks{{
    {0, 34, 2345711}, // 0
    {34, 34, 2087841}, // 1
    {68, 34, 2087841}, // 2
    {102, 19, 2087841}, // 3
    {121, 34, 2087841}, // 4
    {155, 34, 2087841}, // 5
    {189, 34, 2087841}, // 6
    {223, 18, 2345727}, // 7
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
    10938533457, // ns of a step, as predicted
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
