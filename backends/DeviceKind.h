#pragma once
//===- DeviceKind.h - Which accelerator a device is, by its name and links --------------------===//
#include "ir/Cluster.h"

namespace dpl {

/// Unknown is a device of a name that says nothing: it is taken for a GPU of NVIDIA.
enum class DeviceKind : std::uint8_t { Unknown, AmdGpu, Tpu, Trainium };

/// The kind of a device that is called as the library and its makers call them (`mi300x`, `tpu_v4`,
/// `trn2`); devices whose scale-up links are a torus are no GPUs, and taken for TPUs.
DeviceKind kindOf(const ir::Cluster& cluster, const ir::Device& device);
constexpr bool isGpu(DeviceKind kind) {
  return kind == DeviceKind::Unknown || kind == DeviceKind::AmdGpu;
}
/// "a GPU of AMD", "a TPU".
const char* wordOf(DeviceKind kind);

} // namespace dpl
