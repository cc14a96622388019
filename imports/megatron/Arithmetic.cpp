//===- Arithmetic.cpp - What stands between `$((` and `))` ------------------------------------===//
#include "imports/megatron/Arithmetic.h"
#include <cctype>

using namespace dpl;

namespace {
class Calculator {
public:
  explicit Calculator(llvm::StringRef text) : text(text) {}
  bool run(long long& out) { return either(out) && (skip(), at == text.size()); }

private:
  void skip() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  bool take(char c) {
    skip();
    const bool is = at < text.size() && text[at] == c;
    at += is;
    return is;
  }
  bool take(llvm::StringRef word) {
    skip();
    const bool is = text.substr(at).startswith(word);
    at += is ? word.size() : 0;
    return is;
  }
  /// Both sides are worked out, as neither changes a variable.
  bool either(long long& out) {
    if (!both(out))
      return false;
    for (long long next = 0; take("||");)
      if (both(next))
        out = out != 0 || next != 0;
      else
        return false;
    return true;
  }
  bool both(long long& out) {
    if (!comparison(out))
      return false;
    for (long long next = 0; take("&&");)
      if (comparison(next))
        out = out != 0 && next != 0;
      else
        return false;
    return true;
  }
  bool comparison(long long& out) {
    if (!sum(out))
      return false;
    for (const llvm::StringRef by : {"==", "!=", "<=", ">=", "<", ">"})
      if (long long next = 0; take(by)) {
        if (!sum(next))
          return false;
        out = by == "=="   ? out == next
              : by == "!=" ? out != next
              : by == "<=" ? out <= next
              : by == ">=" ? out >= next
              : by == "<"  ? out < next
                           : out > next;
        break;
      }
    return true;
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
      return ++depth < 64 && either(out) && take(')');
    if (take('!')) {
      if (++depth >= 64 || !atom(out))
        return false;
      out = out == 0;
      return true;
    }
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
