//===- Nccl.cpp - The program over NCCL: a plan's communication on its devices ----------------===//
#include "backends/program/Program.h"

using namespace dpl;

namespace dpl::nccl {
namespace {
std::vector<EmittedFile> render(const TargetRequest& request) {
  return program::render(request, {"CMakeLists.txt", "NcclTransport.cpp", "Rendezvous.h"});
}
} // namespace

// The program asks the header which release it is compiled against, so that it needs none here.
extern const Target target;
const Target target{"nccl",
                    "NCCL",
                    "C++ program that runs the plan's communication on its devices",
                    {},
                    program::rule::all,
                    program::check,
                    render};
} // namespace dpl::nccl
