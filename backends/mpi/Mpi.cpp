//===- Mpi.cpp - The program over MPI: a plan's communication on any machine ------------------===//
#include "backends/program/Program.h"

using namespace dpl;

namespace dpl::mpi {
namespace {
/// There is none that it refuses: a plan has at most 2^24 ranks, and every kind of collective and
/// operation that a plan has is one of the program's.
void check(const TargetRequest& /*request*/, Findings& /*findings*/) {}

std::vector<EmittedFile> render(const TargetRequest& request) {
  return program::render(request, {"CMakeLists.txt", "MpiTransport.cpp"});
}
} // namespace

extern const Target target;
const Target target{"mpi", "MPI", "C++ program that runs the plan's communication over MPI", {}, {},
                    check, render};
} // namespace dpl::mpi
