//===- Rational.cpp - Exact fractions of 128-bit integers -------------------------------------===//
#include "support/Number.h"
#include <algorithm>
#include <utility>
using namespace dpl;

namespace {
using Int = Rational::Int;
constexpr Int largest = (static_cast<Int>(1) << 126) - 1 + (static_cast<Int>(1) << 126);

Int magnitude(Int a) { return a < 0 ? -a : a; }

Int greatestDivisor(Int a, Int b) {
  while (b != 0)
    a = std::exchange(b, a % b);
  return a;
}

/// Floor division for b > 0.
Int floorDivide(Int a, Int b) { return a / b - (a % b != 0 && a < 0); }

std::string digitsOf(Int n) {
  if (n == 0)
    return "0";
  std::string text;
  for (Int rest = magnitude(n); rest != 0; rest /= 10)
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (n < 0)
    text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}
} // namespace

std::optional<Rational> Rational::of(Int num, Int den) {
  if (den == 0 || num < -largest || den < -largest)
    return std::nullopt; // the most negative integer has no positive counterpart
  if (den < 0)
    num = -num, den = -den;
  const Int divisor = greatestDivisor(magnitude(num), den);
  Rational r;
  r.num = num / divisor;
  r.den = den / divisor;
  return r;
}

std::optional<Rational> Rational::parse(llvm::StringRef digits) {
  Int num = 0;
  std::int64_t exponent = 0;
  bool fraction = false;
  std::size_t i = 0;
  for (; i < digits.size() && digits[i] != 'e' && digits[i] != 'E'; ++i) {
    if (digits[i] == '_')
      continue;
    if (digits[i] == '.') {
      fraction = true;
      continue;
    }
    if (digits[i] < '0' || digits[i] > '9')
      return std::nullopt;
    if (__builtin_mul_overflow(num, static_cast<Int>(10), &num) ||
        __builtin_add_overflow(num, static_cast<Int>(digits[i] - '0'), &num))
      return std::nullopt;
    exponent -= fraction;
  }
  if (i < digits.size()) {
    llvm::StringRef power = digits.drop_front(i + 1);
    power.consume_front("+");
    std::int64_t written = 0;
    if (power.getAsInteger(10, written) || written > 1000 || written < -1000)
      return num == 0 ? std::optional<Rational>(Rational(0)) : std::nullopt;
    exponent += written;
  }
  if (num == 0)
    return Rational(0);
  for (; exponent < 0 && num % 10 == 0; ++exponent)
    num /= 10;
  Int den = 1;
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(num, static_cast<Int>(10), &num))
      return std::nullopt;
  for (; exponent < 0; ++exponent)
    if (__builtin_mul_overflow(den, static_cast<Int>(10), &den))
      return std::nullopt;
  return of(num, den);
}

std::optional<std::int64_t> Rational::asInteger() const {
  if (den != 1 || num > INT64_MAX || num < INT64_MIN)
    return std::nullopt;
  return static_cast<std::int64_t>(num);
}

std::string Rational::str() const {
  Int rest = den;
  int twos = 0, fives = 0;
  for (; rest % 2 == 0; rest /= 2)
    ++twos;
  for (; rest % 5 == 0; rest /= 5)
    ++fives;
  const int places = std::max(twos, fives);
  const std::string fraction = digitsOf(num) + "/" + digitsOf(den);
  if (rest != 1 || places > 30)
    return fraction;
  Int scaled = num;
  for (int i = twos; i < places; ++i)
    if (__builtin_mul_overflow(scaled, static_cast<Int>(2), &scaled))
      return fraction;
  for (int i = fives; i < places; ++i)
    if (__builtin_mul_overflow(scaled, static_cast<Int>(5), &scaled))
      return fraction;
  std::string text = digitsOf(magnitude(scaled));
  if (places > 0) {
    if (text.size() <= static_cast<std::size_t>(places))
      text.insert(0, static_cast<std::size_t>(places) + 1 - text.size(), '0');
    text.insert(text.size() - static_cast<std::size_t>(places), ".");
  }
  return (num < 0 ? "-" : "") + text;
}

std::optional<Rational> Rational::add(Rational a, Rational b) {
  // Uses the least common denominator, so that sums of equal units do not grow it.
  const Int divisor = greatestDivisor(a.den, b.den);
  Int left = 0, right = 0, den = 0;
  if (__builtin_mul_overflow(a.num, b.den / divisor, &left) ||
      __builtin_mul_overflow(b.num, a.den / divisor, &right) ||
      __builtin_add_overflow(left, right, &left) ||
      __builtin_mul_overflow(a.den, b.den / divisor, &den))
    return std::nullopt;
  return of(left, den);
}

std::optional<Rational> Rational::subtract(Rational a, Rational b) {
  b.num = -b.num;
  return add(a, b);
}

std::optional<Rational> Rational::multiply(Rational a, Rational b) {
  const Int first = std::max<Int>(1, greatestDivisor(magnitude(a.num), b.den));
  const Int second = std::max<Int>(1, greatestDivisor(magnitude(b.num), a.den));
  Int num = 0, den = 0;
  if (__builtin_mul_overflow(a.num / first, b.num / second, &num) ||
      __builtin_mul_overflow(a.den / second, b.den / first, &den))
    return std::nullopt;
  return of(num, den);
}

std::optional<Rational> Rational::divide(Rational a, Rational b) {
  const std::optional<Rational> inverse = of(b.den, b.num);
  return inverse ? multiply(a, *inverse) : std::nullopt;
}

std::optional<Rational> Rational::remainder(Rational a, Rational b) {
  const std::optional<Rational> quotient = divide(a, b);
  if (!quotient)
    return std::nullopt;
  Rational whole;
  whole.num = floorDivide(quotient->num, quotient->den);
  const std::optional<Rational> product = multiply(b, whole);
  return product ? subtract(a, *product) : std::nullopt;
}

int Rational::compare(Rational a, Rational b) {
  // Compares whole parts, then swaps and compares the inverses of the remainders, which cannot
  // overflow.
  for (int sign = 1;; sign = -sign) {
    const Int wholeA = floorDivide(a.num, a.den), wholeB = floorDivide(b.num, b.den);
    if (wholeA != wholeB)
      return wholeA < wholeB ? -sign : sign;
    const Int restA = a.num - wholeA * a.den, restB = b.num - wholeB * b.den;
    if (restA == 0 || restB == 0)
      return restA == restB ? 0 : (restA == 0 ? -sign : sign);
    a.num = std::exchange(a.den, restA);
    b.num = std::exchange(b.den, restB);
  }
}
