//===- Arithmetic.cpp - The value of an arithmetic expansion `$((…))` -------------------------===//
#include "frontend/import/shell/Arithmetic.h"
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
  bool accept(char c) {
    skip();
    const bool is = at < text.size() && text[at] == c;
    at += is;
    return is;
  }
  bool accept(llvm::StringRef word) {
    skip();
    const bool is = text.substr(at).startswith(word);
    at += is ? word.size() : 0;
    return is;
  }
  /// Reads operands of `||`. Both sides are evaluated, because neither can change a variable.
  bool either(long long& out) {
    if (!both(out))
      return false;
    for (long long next = 0; accept("||");)
      if (both(next))
        out = out != 0 || next != 0;
      else
        return false;
    return true;
  }
  bool both(long long& out) {
    if (!comparison(out))
      return false;
    for (long long next = 0; accept("&&");)
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
      if (long long next = 0; accept(by)) {
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
      if (accept('+')) {
        if (!product(next) || __builtin_add_overflow(out, next, &out))
          return false;
      } else if (accept('-')) {
        if (!product(next) || __builtin_sub_overflow(out, next, &out))
          return false;
      } else {
        return true;
      }
  }
  bool product(long long& out) {
    if (!power(out))
      return false;
    for (long long next = 0;;)
      if (accept('*')) {
        if (!power(next) || __builtin_mul_overflow(out, next, &out))
          return false;
      } else if (accept('/')) {
        if (!power(next) || next == 0 || next == -1) // the smallest number divided by -1 would
                                                     // overflow
          return false;
        out /= next;
      } else if (accept('%')) {
        if (!power(next) || next == 0 || next == -1)
          return false;
        out %= next;
      } else {
        return true;
      }
  }
  /// Reads operands of `**`, which groups from the right: 2 ** 3 ** 2 is 512.
  bool power(long long& out) {
    if (!atom(out))
      return false;
    if (!accept("**"))
      return true;
    long long exponent = 0;
    if (++depth >= 64 || !power(exponent) || exponent < 0)
      return false;
    const long long base = out;
    if (base == -1 || base == 0 || base == 1) {
      out = exponent == 0 || (base == -1 && exponent % 2 == 0) ? 1 : base;
      return true;
    }
    for (out = 1; exponent > 0; --exponent)
      if (__builtin_mul_overflow(out, base, &out))
        return false;
    return true;
  }
  bool atom(long long& out) {
    if (accept('('))
      return ++depth < 64 && either(out) && accept(')');
    if (accept('!')) {
      if (++depth >= 64 || !atom(out))
        return false;
      out = out == 0;
      return true;
    }
    if (accept('-')) {
      const bool again = text.substr(at).startswith("-"); // `--A` would change the variable A
      if (again || ++depth >= 64 || !atom(out))
        return false;
      return !__builtin_sub_overflow(0LL, out, &out);
    }
    skip();
    const llvm::StringRef digits = number();
    unsigned base = 10;
    if (at < text.size() && text[at] == '#') { // a number with a base: 10#08
      ++at;
      return !digits.getAsInteger(10, base) && base >= 2 && base <= 36 &&
             !number().getAsInteger(base, out);
    }
    const bool octal = digits.size() > 1 && digits[0] == '0';
    return !octal && !digits.getAsInteger(10, out);
  }
  llvm::StringRef number() {
    const llvm::StringRef digits = text.substr(at).take_while(
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    at += digits.size();
    return digits;
  }
  llvm::StringRef text;
  std::size_t at = 0;
  int depth = 0;
};
} // namespace

FailureOr<long long> dpl::imports::shell::evaluate(llvm::StringRef expression) {
  long long out = 0;
  if (!Calculator(expression).run(out))
    return LogicalResult::failure();
  return out;
}
