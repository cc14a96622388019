//===- Mpi.cpp - The target `mpi`: a plan's communication on any machine ----------------------===//
#include "backends/program/Program.h"

using namespace dpl;

namespace dpl::mpi {
namespace {
std::vector<EmittedFile> render(const TargetRequest& request) {
  return program::render(request, {"CMakeLists.txt", "MpiTransport.cpp"});
}
} // namespace

extern const Target target;
const Target target{"mpi",
                    "MPI",
                    "C++ program that runs the plan's communication over MPI",
                    {},
                    program::rule::all,
                    program::check,
                    render};
} // namespace dpl::mpi
