//===- ExecutionTrace.cpp - The Chakra execution trace of one device --------------------------===//
#include "backends/astra_sim/ExecutionTrace.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl::astra_sim;

namespace {
/// Encodes one message in protobuf's wire format.
class WireMessage {
public:
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3); // wire type 0: an integer
    varint(value);
  }
  void bytes(unsigned field, llvm::StringRef value) {
    varint(field << 3 | 2); // wire type 2: bytes after their length
    varint(value.size());
    text.append(value.data(), value.size());
  }
  void varint(std::uint64_t value) {
    for (; value > 0x7f; value >>= 7)
      text += static_cast<char>((value & 0x7f) | 0x80);
    text += static_cast<char>(value);
  }
  std::string text;
};

/// Numbers of the fields of AttributeProto that hold values.
enum AttributeField : unsigned { Int32 = 7, Int64 = 9, Bool = 27, String = 29 };
WireMessage attribute(llvm::StringRef name) {
  WireMessage out;
  out.bytes(1, name);
  return out;
}
void add(WireMessage& node, llvm::StringRef name, AttributeField as, std::uint64_t value) {
  WireMessage out = attribute(name);
  out.number(as, value);
  node.bytes(10, out.text);
}

const char* nameOf(const TraceNode& node) {
  switch (node.type) {
  case TraceNodeType::Compute:
    return "compute";
  case TraceNodeType::Send:
    return "send";
  case TraceNodeType::Receive:
    return "receive";
  case TraceNodeType::Collective:
    break;
  }
  switch (node.collective) {
  case CollectiveType::AllReduce:
    return "all-reduce";
  case CollectiveType::AllGather:
    return "all-gather";
  case CollectiveType::AllToAll:
    return "all-to-all";
  case CollectiveType::ReduceScatter:
    break;
  }
  return "reduce-scatter";
}

std::string encoded(const TraceNode& from, std::uint64_t id, const TraceDevice& device) {
  WireMessage node;
  node.number(1, id);
  node.bytes(2, nameOf(from));
  node.number(3, static_cast<std::uint64_t>(from.type));
  if (!from.dependencies.empty()) {
    WireMessage packed;
    for (const std::uint32_t other : from.dependencies)
      packed.varint(other);
    node.bytes(5, packed.text); // data_deps
  }
  if (from.type == TraceNodeType::Compute)
    node.number(7, from.microseconds);
  add(node, "is_cpu_op", Bool, 0);
  if (from.type == TraceNodeType::Compute)
    return node.text;
  add(node, "comm_size", Int64, from.bytes);
  if (from.type == TraceNodeType::Collective) {
    add(node, "comm_type", Int64, static_cast<std::uint64_t>(from.collective));
    WireMessage group = attribute("pg_name");
    group.bytes(String, std::to_string(device.groups[from.group]));
    node.bytes(10, group.text);
    return node.text;
  }
  const std::uint64_t peer = device.firstDevice + from.peer * device.stride;
  const bool sends = from.type == TraceNodeType::Send;
  add(node, "comm_src", Int32, sends ? device.device : peer);
  add(node, "comm_dst", Int32, sends ? peer : device.device);
  add(node, "comm_tag", Int32, from.tag);
  return node.text;
}
} // namespace

std::string dpl::astra_sim::encoded(llvm::ArrayRef<TraceNode> nodes, const TraceDevice& device) {
  WireMessage file, metadata;
  metadata.bytes(1, "0.0.4"); // version of the schema
  const auto append = [&](const std::string& message) {
    file.varint(message.size());
    file.text += message;
  };
  append(metadata.text);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    append(::encoded(nodes[i], i, device));
  return std::move(file.text);
}
