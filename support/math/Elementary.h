#pragma once
//===- Elementary.h - Logarithm and exponential with the same bits everywhere -------------===//
//
// Of sums, products, quotients and square roots alone, which IEEE 754 rounds in one way; the last
// bit of what libraries give differs between machines. Built without contraction to fused products.

namespace dpl::simulate {

/// Natural logarithm of a positive, finite, normal number; within 1e-15 of it, relative to the
/// larger of it and 1.
double logarithm(double x);
/// e^x, relative error below 1e-15 for |x| up to 100; 0 below -708, and infinite above 709.
double exponential(double x);

} // namespace dpl::simulate
