//===- Space.cpp - The space and the objective of a search or study ---------------------------===//
#include "ir/Space.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
using namespace dpl;
using namespace dpl::ir;

DPL_DEFINE_SPECIAL_MEMBERS(Space);

namespace {
/// 2^64 - 1 if there are more.
std::uint64_t combinationsOf(const std::vector<OpenField>& fields) {
  std::uint64_t product = 1;
  for (const OpenField& field : fields)
    if (__builtin_mul_overflow(product, field.size(), &product))
      return UINT64_MAX;
  return product;
}
} // namespace

std::string OpenField::at(std::uint64_t index) const {
  assert(index < size() && "there are that many candidates");
  return range ? std::to_string(first + index) + unit : values[index];
}

std::uint64_t Space::points() const {
  switch (sampling.kind) {
  case SamplingKind::Grid:
    break;
  case SamplingKind::Zip:
    return open.empty() ? 1 : open.front().size();
  case SamplingKind::Random:
    return sampling.points;
  }
  return candidates();
}

std::uint64_t Space::candidates() const { return combinationsOf(open); }
std::uint64_t Space::settings() const { return combinationsOf(worstOf); }

const DerivedOutput* Space::derivedNamed(llvm::StringRef output) const {
  const auto at = llvm::find_if(derived, [&](const DerivedOutput& d) { return d.name == output; });
  return at == derived.end() ? nullptr : &*at;
}
