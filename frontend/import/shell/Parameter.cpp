//===- Parameter.cpp - Values that `${NAME…}` of a shell makes of a known value ---------------===//
#include "frontend/import/shell/Parameter.h"
#include "frontend/import/shell/Arithmetic.h"
#include <fnmatch.h>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {

/// Limits on the length of values and patterns, because every part of a value is matched.
constexpr std::size_t longest = 512, longestPattern = 64;

bool matches(llvm::StringRef pattern, llvm::StringRef text) {
  return ::fnmatch(pattern.str().c_str(), text.str().c_str(), 0) == 0;
}

/// The value without a match of the pattern at the front or the end: the shortest one, or the
/// longest if `most` is set.
std::string without(llvm::StringRef value, llvm::StringRef pattern, bool front, bool most) {
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t size = most ? value.size() - i : i;
    if (matches(pattern, front ? value.take_front(size) : value.take_back(size)))
      return (front ? value.drop_front(size) : value.drop_back(size)).str();
  }
  return value.str();
}

/// The length of the longest match at the beginning; none if there is none.
std::optional<std::size_t> matchAt(llvm::StringRef rest, llvm::StringRef pattern) {
  if (pattern.find_first_of("*?[\\") == llvm::StringRef::npos)
    return rest.startswith(pattern) ? std::optional(pattern.size()) : std::nullopt;
  for (std::size_t size = rest.size(); size > 0; --size)
    if (matches(pattern, rest.take_front(size)))
      return size;
  return std::nullopt;
}

std::string replaced(llvm::StringRef value, llvm::StringRef operation) {
  const bool all = operation.consume_front("/");
  const bool front = !all && operation.consume_front("#"),
             back = !all && !front && operation.consume_front("%");
  const auto [pattern, by] = operation.split('/');
  std::string out;
  while (!value.empty()) {
    const std::optional<std::size_t> size =
        pattern.empty() ? std::nullopt : matchAt(value, pattern);
    if (size && *size > 0 && (!back || *size == value.size())) {
      out += by;
      value = value.drop_front(*size);
      if (!all)
        break;
      continue;
    }
    if (front || pattern.empty())
      break;
    out += value[0];
    value = value.drop_front();
  }
  return out + value.str();
}

std::optional<std::string> part(llvm::StringRef value, llvm::StringRef operation) {
  const auto [offset, length] = operation.split(':');
  const FailureOr<long long> from = evaluate(offset.trim());
  const FailureOr<long long> size = length.empty()
                                        ? FailureOr<long long>(static_cast<long long>(value.size()))
                                        : evaluate(length.trim());
  const auto all = static_cast<long long>(value.size());
  if (from.failed() || size.failed() || *from < -all || *size < 0)
    return std::nullopt;
  const long long first = *from < 0 ? all + *from : *from; // `${NAME: -2}` is the last two
                                                           // characters
  return value.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(*size)).str();
}

} // namespace

std::optional<std::string> dpl::imports::shell::changed(llvm::StringRef value,
                                                        llvm::StringRef operation) {
  if (value.size() > longest || operation.empty() || operation.size() > longestPattern)
    return std::nullopt;
  const char kind = operation[0];
  operation = operation.drop_front();
  switch (kind) {
  case '#':
  case '%': {
    const bool most = operation.consume_front(llvm::StringRef(&kind, 1));
    return without(value, operation, kind == '#', most);
  }
  case '/':
    return replaced(value, operation);
  case ':':
    return part(value, operation);
  case '^':
  case ',': {
    const bool all = operation == llvm::StringRef(&kind, 1);
    if (!all && !operation.empty())
      return std::nullopt;
    const llvm::StringRef head = all ? value : value.take_front(1);
    return (kind == '^' ? head.upper() : head.lower()) + value.drop_front(head.size()).str();
  }
  default:
    return std::nullopt;
  }
}
