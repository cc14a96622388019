//===- Arithmetic.cpp - What stands between `$((` and `))` ------------------------------------===//
#include "imports/megatron/Arithmetic.h"
#include <cctype>

using namespace dpl;

namespace {
class Calculator {
public:
  explicit Calculator(llvm::StringRef text) : text(text) {}
  bool run(long long& out) { return sum(out) && (skip(), at == text.size()); }

private:
  void skip() {
    while (at < text.size() && text[at] == ' ')
      ++at;
  }
  bool take(char c) {
    skip();
    const bool is = at < text.size() && text[at] == c;
    at += is;
    return is;
  }
  bool sum(long long& out) {
    if (!product(out))
      return false;
    for (long long next = 0;;)
      if (take('+')) {
        if (!product(next) || __builtin_add_overflow(out, next, &out))
          return false;
      } else if (take('-')) {
        if (!product(next) || __builtin_sub_overflow(out, next, &out))
          return false;
      } else {
        return true;
      }
  }
  bool product(long long& out) {
    if (!atom(out))
      return false;
    for (long long next = 0;;)
      if (take('*')) {
        if (!atom(next) || __builtin_mul_overflow(out, next, &out))
          return false;
      } else if (take('/')) {
        if (!atom(next) || next == 0)
          return false;
        out /= next;
      } else if (take('%')) {
        if (!atom(next) || next == 0)
          return false;
        out %= next;
      } else {
        return true;
      }
  }
  bool atom(long long& out) {
    if (take('('))
      return ++depth < 64 && sum(out) && take(')');
    skip();
    const std::size_t begin = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0)
      ++at;
    const bool octal = at - begin > 1 && text[begin] == '0';
    return begin < at && !octal && !text.slice(begin, at).getAsInteger(10, out);
  }
  llvm::StringRef text;
  std::size_t at = 0;
  int depth = 0;
};
} // namespace

FailureOr<long long> dpl::imports::megatron::evaluate(llvm::StringRef expression) {
  long long out = 0;
  if (!Calculator(expression).run(out))
    return LogicalResult::failure();
  return out;
}
