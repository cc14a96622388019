#pragma once
//===- DeviceKind.h - Which accelerator a device is, by its name and links --------------------===//
#include "ir/Cluster.h"

namespace dpl {

/// `Unknown`: the device's name says nothing, so that targets take it for an NVIDIA GPU.
enum class DeviceKind : std::uint8_t { Unknown, AmdGpu, Tpu, Trainium };

/// The kind follows from the names that the library and the makers use (`mi300x`, `tpu_v4`,
/// `trn2`). A device whose scale-up links form a torus is not a GPU and counts as a TPU.
DeviceKind kindOf(const ir::Cluster& cluster, const ir::Device& device);
constexpr bool isGpu(DeviceKind kind) {
  return kind == DeviceKind::Unknown || kind == DeviceKind::AmdGpu;
}
/// "a GPU of AMD", "a TPU".
const char* wordOf(DeviceKind kind);

} // namespace dpl
