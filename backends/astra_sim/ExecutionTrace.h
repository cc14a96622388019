#pragma once
//===- ExecutionTrace.h - The Chakra execution trace of one device ----------------------------===//
//
// A file is a sequence of protobuf messages, each preceded by its length: first metadata, then one
// node per operation. The fields written here are a part of schema/protobuf/et_def.proto of
// github.com/mlcommons/chakra. The wire format is proto3
// (protobuf.dev/programming-guides/encoding).
#include "ir/Ids.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <string>

namespace dpl::astra_sim {

/// The numbers of CollectiveCommType and TraceNodeType in the schema.
enum class TraceNodeType : std::uint8_t { Compute = 4, Send = 5, Receive = 6, Collective = 7 };
enum class CollectiveType : std::uint8_t {
  AllReduce = 0,
  AllGather = 2,
  AllToAll = 6,
  ReduceScatter = 7
};

/// Node `i` of a trace has the id i.
struct TraceNode {
  TraceNodeType type = TraceNodeType::Compute;
  CollectiveType collective = CollectiveType::AllReduce;
  std::uint64_t bytes = 0;        ///< bytes of a message or collective
  std::uint64_t microseconds = 0; ///< time of a computation
  ir::GroupId group;              ///< group whose ranks run the collective
  std::uint64_t peer = 0;         ///< pipeline rank that a message comes from or goes to
  std::uint32_t tag = 0;          ///< tag of a message, equal at its sender and receiver
  llvm::SmallVector<std::uint32_t, 3> dependencies{}; ///< nodes that must end before this one
                                                      ///< begins
};

/// The device of a trace. It gives groups and pipeline ranks their numbers in the file.
struct TraceDevice {
  std::uint64_t device = 0;
  std::uint64_t firstDevice = 0, stride = 1; ///< device of pipeline rank 0, and distance between
                                             ///< pipeline ranks
  IdVector<std::uint64_t, ir::Group> groups; ///< by group: number of the process group that
                                             ///< contains the device
};

/// Returns the bytes of the device's file.
std::string encoded(llvm::ArrayRef<TraceNode> nodes, const TraceDevice& device);

} // namespace dpl::astra_sim
