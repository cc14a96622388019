//===- DeviceKind.cpp - The kind of accelerator, from the name and links of a device ----------===//
#include "backends/DeviceKind.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl;

namespace {
bool beginsWith(llvm::StringRef name, llvm::ArrayRef<const char*> words) {
  return llvm::any_of(words, [&](const char* word) { return name.startswith_insensitive(word); });
}
} // namespace

DeviceKind dpl::kindOf(const ir::Cluster& cluster, const ir::Device& device) {
  const llvm::StringRef name = device.name;
  if (beginsWith(name, {"tpu", "trillium", "ironwood"}))
    return DeviceKind::Tpu;
  if (beginsWith(name, {"trainium", "trn"}))
    return DeviceKind::Trainium;
  if (beginsWith(name, {"amd", "instinct"}) ||
      (beginsWith(name, {"mi"}) && name.size() > 2 && llvm::isDigit(name[2])))
    return DeviceKind::AmdGpu;
  return cluster.network.torus.empty() ? DeviceKind::Unknown : DeviceKind::Tpu;
}

const char* dpl::wordOf(DeviceKind kind) {
  switch (kind) {
  case DeviceKind::AmdGpu:
    return "a GPU of AMD";
  case DeviceKind::Tpu:
    return "a TPU";
  case DeviceKind::Trainium:
    return "a Trainium chip";
  case DeviceKind::Unknown:
    break;
  }
  return "a GPU";
}
