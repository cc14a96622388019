#pragma once
//===- Mutants.h - The faults that mutants.py plants, of which a process has at most one ------===//
//
// DPL_MUTANT is the number of the fault that this process has. DPL_REACHED names a file with one
// byte per number; the byte of a place is set when the process, or one that it starts, reaches the
// place.
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace dpl::mutation {
constexpr int most = 4096; ///< the length of the file in bytes, as mutants.py writes it

inline const int chosen = std::getenv("DPL_MUTANT") ? std::atoi(std::getenv("DPL_MUTANT")) : 0;

/// The file of DPL_REACHED, mapped; null without one.
inline unsigned char* const reached = [] {
  const char* path = std::getenv("DPL_REACHED");
  const int file = path ? ::open(path, O_RDWR) : -1;
  void* bytes =
      file < 0 ? MAP_FAILED : ::mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file >= 0)
    ::close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<unsigned char*>(bytes);
}();

inline bool has(int mutant) {
  if (reached)
    reached[mutant] = 1;
  return chosen == mutant;
}
/// -1 in the mutant, which flips the sign of a term; else 1.
inline int sign(int mutant) { return has(mutant) ? -1 : 1; }
/// 1 in the mutant, which moves a bound; else 0.
inline int bound(int mutant) { return has(mutant) ? 1 : 0; }
/// 8 in the mutant, as if bits were taken for bytes; else 1.
inline int unit(int mutant) { return has(mutant) ? 8 : 1; }
} // namespace dpl::mutation
