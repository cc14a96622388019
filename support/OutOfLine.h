#pragma once
//===- OutOfLine.h - What the compiler makes of a large value, made once ----------------------===//

/// The members that the compiler makes, declared in a type that many sources make, copy or destroy
/// and defined in one: inline, those of a plan are code of 10 KB in each of a hundred sources.
#define DPL_SPECIAL_MEMBERS(T)                                                                     \
  T();                                                                                             \
  T(const T&);                                                                                     \
  T(T&&) noexcept;                                                                                 \
  T& operator=(const T&);                                                                          \
  T& operator=(T&&) noexcept;                                                                      \
  ~T()

#define DPL_DEFINE_SPECIAL_MEMBERS(T)                                                              \
  T::T() = default;                                                                                \
  T::T(const T&) = default;                                                                        \
  T::T(T&&) noexcept = default;                                                                    \
  T& T::operator=(const T&) = default;                                                             \
  T& T::operator=(T&&) noexcept = default;                                                         \
  T::~T() = default
