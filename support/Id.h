#pragma once
//===- Id.h - The index of an element of a list, as a type of its own -------------------------===//
#include <cassert>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

namespace dpl {

/// The index of an `Of` in its list. Ids of different lists and plain numbers do not mix.
template <class Of> class Id {
public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : number(static_cast<std::uint32_t>(index)) {
    assert(index == number && "lists have fewer than 2^32 elements");
  }
  constexpr std::size_t index() const { return number; }
  constexpr Id operator+(std::size_t more) const { return Id(index() + more); }
  friend constexpr auto operator<=>(Id, Id) = default;

private:
  std::uint32_t number = 0;
};

/// A list whose elements are found by `Id<Of>`. Parallel lists share one kind of id.
template <class T, class Of = T> class IdVector : public std::vector<T> {
public:
  using std::vector<T>::vector;
  using std::vector<T>::operator=;
  IdVector(std::vector<T> list) : std::vector<T>(std::move(list)) {} // a list converts
  using std::vector<T>::operator[];
  T& operator[](Id<Of> id) { return (*this)[id.index()]; }
  const T& operator[](Id<Of> id) const { return (*this)[id.index()]; }
  bool has(Id<Of> id) const { return id.index() < this->size(); }
  /// The id of the element that is added next.
  Id<Of> nextId() const { return Id<Of>(this->size()); }
  Id<Of> lastId() const { return Id<Of>(this->size() - 1); }
};

} // namespace dpl
