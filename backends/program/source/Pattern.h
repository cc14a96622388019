//===- Pattern.h - Contents of the send buffers, and the expected results ---------------------===//
//
// Words are unsigned 32-bit numbers, whose sums are exact in any order. A word depends on the
// sender, on the number of the collective in its communicator, and on the place of the word in the
// buffer. It is linear in the sender, so the sum over a group has a closed form.
#pragma once
#include "Tables.h"
#include <array>
#include <string>

namespace twin {

using Word = std::uint32_t;

class Pattern {
public:
  /// `serial` is a number that differs between collectives or messages.
  explicit Pattern(std::uint64_t serial) : base(mix(serial)) {}

  Word at(std::uint64_t sender, std::uint64_t place) const {
    return sum(1, sender, static_cast<Word>(place));
  }
  /// The sum of `at` over `count` senders. `senders` is the sum of their ranks.
  Word sumAt(std::uint64_t count, std::uint64_t senders, std::uint64_t place) const {
    return sum(static_cast<Word>(count), senders, static_cast<Word>(place));
  }

private:
  Word sum(Word count, std::uint64_t senders, Word place) const {
    const Word s = static_cast<Word>(senders);
    return count * (base + place * perPlace) + s * (perSender + place * perBoth);
  }
  /// The upper half of SplitMix64's finalizer (Steele, Lea, Flood: Fast splittable pseudorandom
  /// number generators, 2014).
  static Word mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<Word>((z ^ (z >> 31)) >> 32);
  }
  // The factors are odd, so that different senders and places give different words modulo 2^32.
  static constexpr Word perSender = 0x9e3779b1U, perPlace = 0x85ebca77U, perBoth = 0xc2b2ae3dU;
  Word base;
};

/// The contents of a message between stages. It begins with a header, so that errors can name the
/// message.
class MessagePattern {
public:
  static constexpr std::size_t headWords = 5;
  /// Sender, step, direction (1 for forward), chunk and micro-batch.
  using Head = std::array<std::uint64_t, headWords>;
  explicit MessagePattern(const Head& head) : head(head), rest(serialOf(head)) {}

  Word at(std::uint64_t place) const {
    return place < headWords ? static_cast<Word>(head[place]) : rest.at(head[0], place);
  }
  static std::string nameOf(std::uint64_t place) {
    constexpr const char* names[headWords] = {"rank", "step", "direction", "chunk", "micro-batch"};
    return place < headWords ? names[place] : "word " + std::to_string(place);
  }

private:
  static std::uint64_t serialOf(const Head& head) {
    std::uint64_t serial = 1;
    for (const std::uint64_t part : head)
      serial = serial * 1000003 + part;
    return serial;
  }
  Head head;
  Pattern rest;
};

/// One rank's part in a collective.
struct Part {
  CallKind kind;
  std::uint64_t group; ///< size of the group
  std::uint64_t index; ///< index of this rank in the group
  std::uint64_t words; ///< words of the whole buffer; a multiple of the group size

  std::uint64_t block() const { return words / group; }
  std::uint64_t input() const { return kind == CallKind::AllGather ? block() : words; }
  std::uint64_t output() const { return kind == CallKind::ReduceScatter ? block() : words; }
};

/// The expected word at `place` of the result. `memberAt(i)` is the rank of member i, and `members`
/// the sum of the ranks of all members.
template <class MemberAt>
Word expected(const Part& part, const Pattern& pattern, std::uint64_t members, std::uint64_t place,
              const MemberAt& memberAt) {
  const std::uint64_t block = part.block();
  switch (part.kind) {
  case CallKind::AllReduce:
    return pattern.sumAt(part.group, members, place);
  case CallKind::ReduceScatter:
    return pattern.sumAt(part.group, members, part.index * block + place);
  case CallKind::AllGather:
    return pattern.at(memberAt(place / block), place % block);
  case CallKind::AllToAll:
    return pattern.at(memberAt(place / block), part.index * block + place % block);
  }
  return 0;
}

} // namespace twin
