#pragma once
//===- DeviceKind.h - The kind of accelerator, from the name and links of a device ------------===//
#include "ir/Cluster.h"

namespace dpl {

/// The kind of accelerator. `Unknown` means that the name of the device is not a known one; targets
/// then assume an NVIDIA GPU.
enum class DeviceKind : std::uint8_t { Unknown, AmdGpu, Tpu, Trainium };

/// Returns the kind, by the name that the library or the maker gives the device (`mi300x`,
/// `tpu_v4`, `trn2`). A device whose scale-up links form a torus counts as a TPU.
DeviceKind kindOf(const ir::Cluster& cluster, const ir::Device& device);
constexpr bool isGpu(DeviceKind kind) {
  return kind == DeviceKind::Unknown || kind == DeviceKind::AmdGpu;
}
/// The kind in words: "a GPU of AMD", "a TPU".
const char* wordOf(DeviceKind kind);

} // namespace dpl
