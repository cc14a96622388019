#pragma once
//===- Host.h - What the host did when it launched kernels ------------------------------------===//
#include "driver/compare/Profile.h"
#include "llvm/ADT/DenseMap.h"

namespace dpl::compare {

/// An operator or an annotation of a host thread.
struct HostRange {
  std::int64_t begin = 0, end = 0; ///< ns
  std::uint32_t thread = 0, name = 0, shapes = 0;
  std::uint32_t collective = 0; ///< index + 1 into the profile's collectives
  bool annotation = false;
};

/// A call that launches a kernel.
struct HostLaunch {
  std::int64_t time = 0; ///< ns
  std::uint32_t thread = 0;
};

/// The operators and annotations around a launch.
struct HostContext {
  std::uint32_t shapes = 0, collective = 0, action = 0;
  WorkClass work = WorkClass::Other; ///< of the innermost operator that decides it
  bool backward = false, allToAll = false, known = false;
};

/// Texts by number.
class Names {
public:
  Names() { (void)number(""); }
  std::uint32_t number(llvm::StringRef text);
  const std::string& operator[](std::uint32_t number) const { return all[number]; }
  std::vector<std::string> release() { return std::move(all); }
  std::size_t bytes() const { return size; }

private:
  llvm::StringMap<std::uint32_t> numbers;
  std::vector<std::string> all;
  std::size_t size = 0;
};

/// The ranges around each launch, and the own times of operators.
class Host {
public:
  Host(Names& names, std::vector<HostRange> ranges);
  /// Sets the context of each launch. Actions are appended to those of the profile.
  std::vector<HostContext> contextsOf(llvm::ArrayRef<HostLaunch> launches,
                                      std::vector<ir::ActionKind>& actions);
  /// Each operator with its own time, for a trace without a device.
  std::vector<DeviceWork> operatorsAsWork(std::vector<ir::ActionKind>& actions);

private:
  struct NameFacts {
    WorkClass work = WorkClass::Other;
    bool backward = false, allToAll = false;
    std::optional<ir::ActionKind> action;
  };
  const NameFacts& factsOf(std::uint32_t name);
  HostContext contextOf(llvm::ArrayRef<std::size_t> enclosing,
                        std::vector<ir::ActionKind>& actions);
  Names& names;
  std::vector<HostRange> ranges; ///< by thread, then begin; an outer range before those in it
  std::vector<std::optional<NameFacts>> facts; ///< by name
  llvm::DenseMap<std::size_t, std::uint32_t> actionOfRange;
};

/// Whether the kernel of a backward pass has this name.
bool isBackward(llvm::StringRef name);
/// The action that an annotation of PyTorch's or Megatron's schedules names: "Forward 3", "PP:1B0".
std::optional<ir::ActionKind> actionNamed(llvm::StringRef name);

} // namespace dpl::compare
