#pragma once
//===- BlockText.h - The fields of a block of a .dpl file
//--------------------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace dpl::imports {

/// Collects the fields of a block, each on a line of its own.
class BlockText {
public:
  void line(const char* field, const std::string& value);
  void line(const char* field, std::uint64_t value);
  /// `shard { … }`: a block has no `=`.
  void block(const char* field, const std::string& content);
  /// What was collected; nothing is left.
  std::string release();

private:
  std::string lines;
};

/// The numbers that an option or setting takes, of those that are finite.
enum class NumberRange { Any, NotNegative, Positive, Share }; ///< a share is below 1
bool contains(NumberRange range, double value);
/// "a number of at least 0"
const char* needed(NumberRange range);

std::string truth(bool value);
/// As the language reads it: always with a point or an exponent.
std::string number(double value);
/// What a count is needed to be that `given` is not.
const char* neededCount(llvm::StringRef given);
/// Of a product of two written numbers, without the last digits that only binary has.
std::string product(double a, double b);

} // namespace dpl::imports
