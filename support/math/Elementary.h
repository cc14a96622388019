#pragma once
//===- Elementary.h - Bit-identical logarithm and exponential ---------------------------------===//
//
// They use only sums, differences, products and quotients, whose rounding IEEE 754 defines,
// and integer operations on the bits.
// Library functions differ in the last bit. This file is built without fused products.

namespace dpl::simulate {

/// The natural logarithm of a positive, finite, normal number. The error is below 1e-15, relative
/// to max(|result|, 1).
double logarithm(double x);
/// e^x with a relative error below 1e-15 for |x| up to 100; 0 below -708, and infinite above 709.
double exponential(double x);

} // namespace dpl::simulate
