#pragma once
//===- Release.h - Framework releases and ranges of releases ----------------------------------===//
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace dpl {

/// A release such as "0.19" or "0.2.2": up to three numbers. Fewer numbers stand for all releases
/// that start with them, and no number for every release. Releases are ordered by their numbers.
struct Release {
  std::array<unsigned, 3> numbers{};
  unsigned count = 0;

  constexpr Release() = default;
  /// `text` must consist of digits and dots; for user input use `parse`.
  constexpr Release(const char* text) {
    while (*text >= '0' && *text <= '9' && count < 3) {
      for (; *text >= '0' && *text <= '9'; ++text)
        numbers[count] = numbers[count] * 10 + static_cast<unsigned>(*text - '0');
      ++count;
      text += *text == '.';
    }
  }
  /// Parses "0.19", "0.19.2", "v0.19", "core_v0.19"; none for other text.
  static std::optional<Release> parse(const std::string& text);
  std::string text() const;

  constexpr bool any() const { return count == 0; }
  /// Whether `other` is this release or one of its patches: 0.19 covers 0.19.2.
  constexpr bool covers(const Release& other) const {
    for (unsigned i = 0; i < count; ++i)
      if (i >= other.count || other.numbers[i] != numbers[i])
        return false;
    return true;
  }
  /// Whether this release and its patches come before `other`: 0.2 and 0.2.2 come before 0.3, and
  /// 0.3.1 does not.
  constexpr bool isBefore(const Release& other) const { return *this < other && !covers(other); }
  constexpr bool operator<(const Release& other) const { return numbers < other.numbers; }
  constexpr bool operator==(const Release& other) const = default;
};

/// A range of releases: "0.12" is 0.12 and later, "0.12-0.15" these four releases, "" every
/// release.
struct ReleaseRange {
  Release since, until;
  constexpr ReleaseRange(const char* text) : since(text) {
    while (*text != 0 && *text != '-')
      ++text;
    if (*text == '-')
      until = Release(text + 1);
  }
  constexpr bool holds(const Release& release) const {
    return release.any() || ((since.any() || !(release < since)) &&
                             (until.any() || !(until < release) || until.covers(release)));
  }
  /// The range for messages: "0.12 to 0.15", "since 0.16", "every release".
  std::string text() const;
};

} // namespace dpl
