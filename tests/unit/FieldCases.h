#pragma once
//===- FieldCases.h - For each field of the library a change that should show -----------------===//
#include <ostream>
#include <string>
#include <vector>

namespace dpl::test {

/// Files that the cases change.
enum class Base : std::uint8_t {
  Dense,   ///< pipeline × data × tensor, with a run, a launch by torchrun, a search and a study
  Parts,   ///< two classes of nodes
  Sites,   ///< two sites
  Experts, ///< experts and latent attention
  List,    ///< a list of layers
  Problem, ///< a list of layers that descends a quadratic
  Numbers, ///< a run that looks at numbers
  Slurm,   ///< Dense, launched by slurm
  Kubernetes, ///< Dense, launched by kubernetes
  Mpirun      ///< Dense, launched by mpirun
};
std::string baseText(Base base);

struct FieldCase {
  const char* field; ///< "device.launch", "recompute.full.layers"
  Base base;
  const char* before; ///< settings "a.b = 1; c = 2" of both sides
  const char* after;  ///< further ones of the changed side, or "text: OLD => NEW"
};
inline std::ostream& operator<<(std::ostream& out, const FieldCase& c) { return out << c.field; }
std::vector<FieldCase> fieldCases();
/// Of those, the ones about clusters with their devices, about models, and about layouts.
std::vector<FieldCase> clusterFieldCases();
std::vector<FieldCase> modelFieldCases();
std::vector<FieldCase> layoutFieldCases();
std::vector<FieldCase> problemFieldCases();
std::vector<FieldCase> adviceFieldCases();

} // namespace dpl::test
