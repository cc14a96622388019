#pragma once
//===- BlockText.h - Lines of a block of a .dpl file, and text of its values ------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace dpl::imports {

/// Collects the fields of a block, each on its own line.
class BlockText {
public:
  void line(const char* field, const std::string& value);
  void line(const char* field, std::uint64_t value);
  /// Adds a nested block: `field { content }`, without `=`.
  void block(const char* field, const std::string& content);
  /// Returns the lines and clears them.
  std::string release();

private:
  std::string lines;
};

/// Ranges of finite numbers that an option or setting accepts.
enum class NumberRange { Any, NotNegative, Positive, Share }; ///< `Share` is at least 0 and below 1
bool contains(NumberRange range, double value);
/// The range in words, for messages: "a number of at least 0".
const char* needed(NumberRange range);

std::string truth(bool value);
/// The shortest text of a value. It has a point or an exponent, because DPL requires one in real
/// numbers.
std::string number(double value);
/// The words of a message about `given`, which is not a valid count: "a whole number of at least
/// 1".
const char* neededCount(llvm::StringRef given);
/// The product, rounded to 12 digits, so that rounding errors of binary numbers do not show.
std::string product(double a, double b);

} // namespace dpl::imports
