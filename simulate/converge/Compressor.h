#pragma once
//===- Compressor.h - Gradient compression: top-k and quantization ----------------------------===//
#include "simulate/converge/Iterates.h"

namespace dpl::converge {

enum class CompressorKind : std::uint8_t {
  None,
  TopK, ///< sends the entries of largest magnitude; of equal entries the first
  /// Rounds entries to multiples of the largest entry of their block divided by 2^(bits − 1) − 1.
  /// With one bit it sends the sign times the mean magnitude of the block.
  Quantized
};

struct Compression {
  CompressorKind kind = CompressorKind::None;
  double density = 1;
  std::uint64_t bits = 8, block = 256;
  bool feedback = true; ///< adds the error of compression to the next gradient
};

/// Replaces a gradient by its compressed form. With error feedback it keeps the error.
class Compressor {
public:
  Compressor(const Compression& how, const Method& method, std::size_t size)
      : how(how), method(method), kept(how.feedback ? size : 0), order(size) {}
  void compress(Vector& gradient, std::uint64_t update);
  double keptNorm() const;

private:
  void keepLargest(Vector& gradient);
  void quantize(Vector& gradient, std::uint64_t update) const;
  std::size_t sent() const;

  const Compression how;
  const Method& method;
  Vector kept;
  std::vector<std::uint32_t> order;
};

double normOf(llvm::ArrayRef<double> x);

} // namespace dpl::converge
