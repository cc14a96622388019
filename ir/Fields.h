#pragma once
//===- Fields.h - The kinds of members in a `fields(visitor)` description ---------------------===//
#include "support/Id.h"
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace dpl::ir {

/// A record: a struct with a `fields` description.
struct AnyVisitor {
  template <class T> void operator()(const char*, T&) {}
};
template <class T>
concept Record = requires(T& t, AnyVisitor& v) {
  t.fields(v);
};

template <class T> struct ListOf { using Element = void; };
template <class T> struct ListOf<std::vector<T>> { using Element = T; };
template <class T, class Of> struct ListOf<IdVector<T, Of>> { using Element = T; };
template <class T>
concept RecordList = Record<typename ListOf<T>::Element>;
template <class T>
concept ScalarList = !std::is_void_v<typename ListOf<T>::Element> && !RecordList<T>;

/// A value that a file may omit; a printed plan then has no line for it.
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};

template <class T> struct IsMap : std::false_type {};
template <class K, class V> struct IsMap<std::map<K, V>> : std::true_type {};

} // namespace dpl::ir
