#pragma once
//===- Fields.h - Kinds of member that a `fields(visitor)` description can hold ---------------===//
#include "support/Id.h"
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace dpl::ir {

/// A part of the plan: a struct with a `fields` description.
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

/// A value that a file may leave out: without one a printed plan has no line of it.
template <class T> struct IsOptional : std::false_type {};
template <class T> struct IsOptional<std::optional<T>> : std::true_type {};

template <class T> struct IsMap : std::false_type {};
template <class K, class V> struct IsMap<std::map<K, V>> : std::true_type {};

} // namespace dpl::ir
