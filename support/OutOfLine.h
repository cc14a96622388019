#pragma once
//===- OutOfLine.h - Special members of large types, compiled only once -----------------------===//

/// Declares the special members of a type that many sources copy; one source defines them. Inline
/// members of a plan would add 10 KB of code to each of a hundred sources.
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
