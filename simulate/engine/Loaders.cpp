//===- Loaders.cpp - Data loaders that prefetch the samples of steps --------------------------===//
#include "simulate/engine/Loaders.h"

using namespace dpl::simulate;

namespace {
/// The payload of the event at which training requests a step. Smaller payloads are numbers of
/// loaders.
constexpr std::uint64_t asks = std::uint64_t{1} << 32;
} // namespace

Loaders::Loaders(const LoaderShape& of, Prepares times)
    : shape(of), prepares(std::move(times)), flows({std::max(of.storage, 1e-300)}, queue),
      all(of.loaders), taken(of.loaders) {
  for (std::uint32_t loader = 0; loader < shape.loaders; ++loader)
    load(loader);
}

llvm::ArrayRef<std::uint64_t> Loaders::next(std::uint64_t begin) {
  queue.add(begin, EventPhase::Begins, asks);
  unfinished = shape.loaders;
  while (unfinished > 0) {
    const Event event = queue.pop();
    now = event.time();
    if (Flows::isOwn(event)) {
      if (const auto loader = flows.handle(event))
        ended(static_cast<std::uint32_t>(*loader));
    } else if (event.payload < asks) {
      ended(static_cast<std::uint32_t>(event.payload));
    } else {
      for (std::uint32_t loader = 0; loader < shape.loaders; ++loader) {
        all[loader].requested = true;
        give(loader);
      }
    }
  }
  return taken;
}

void Loaders::load(std::uint32_t number) {
  LoaderState& loader = all[number];
  if (loader.open > 0 || loader.ready == shape.depth)
    return;
  loader.open = 1; // stays above 0 until both parts have begun, preparing and reading
  if (const std::uint64_t time = prepares(number, loader.begun++); time > 0) {
    ++loader.open;
    queue.add(now + time, EventPhase::Ends, number);
  }
  if (shape.work > 0) {
    ++loader.open;
    flows.begin(now, {0U}, shape.work, number);
  }
  ended(number);
}

void Loaders::ended(std::uint32_t number) {
  LoaderState& loader = all[number];
  if (--loader.open > 0)
    return;
  ++loader.ready;
  give(number);
  load(number);
}

void Loaders::give(std::uint32_t number) {
  LoaderState& loader = all[number];
  if (!loader.requested || loader.ready == 0)
    return;
  --loader.ready, --unfinished;
  loader.requested = false;
  taken[number] = now;
  load(number);
}
