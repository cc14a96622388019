//===- Release.cpp - Releases of a framework as text ------------------------------------------===//
#include "support/Release.h"
#include <cstring>
using namespace dpl;

std::optional<Release> Release::parse(const std::string& text) {
  const char* at = text.c_str();
  if (std::strncmp(at, "core_", 5) == 0)
    at += 5;
  at += *at == 'v';
  const Release out(at);
  // The text must be the same as what `text()` writes, so that 0.19x and 00.19 are not releases.
  return out.count > 0 && out.text() == at ? std::optional(out) : std::nullopt;
}

std::string Release::text() const {
  std::string out;
  for (unsigned i = 0; i < count; ++i)
    out += (i == 0 ? "" : ".") + std::to_string(numbers[i]);
  return out;
}

std::string ReleaseRange::text() const {
  if (since.any())
    return until.any() ? "every release" : "until " + until.text();
  return until.any() ? "since " + since.text() : since.text() + " to " + until.text();
}
