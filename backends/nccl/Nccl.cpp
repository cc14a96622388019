//===- Nccl.cpp - The target `nccl`: a plan's communication on its devices --------------------===//
#include "backends/program/Program.h"

using namespace dpl;

namespace dpl::nccl {
namespace {
std::vector<EmittedFile> render(const TargetRequest& request) {
  return program::render(request, {"CMakeLists.txt", "NcclTransport.cpp", "Rendezvous.h"});
}
} // namespace

// The program reads NCCL's release from its header, so none is given here.
extern const Target target;
const Target target{"nccl",
                    "NCCL",
                    "C++ program that runs the plan's communication on its devices",
                    {},
                    program::rule::all,
                    program::check,
                    render};
} // namespace dpl::nccl
