#pragma once
//===- Locations.h - Source locations of the parts of a printed plan --------------------------===//
//
// A plan's text does not contain its source ranges. `dplc ir --locations` prints them after it, so
// that a pass which starts from the text still points into the source.
#include "ir/Plan.h"
#include "support/SourceManager.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::ir {

struct Location {
  std::string of;                   ///< "layout:mesh.tensor", "assertion 0"
  std::uint64_t file = 0;           ///< index into Locations::files
  std::uint64_t begin = 0, end = 0; ///< byte range in the file
  template <class V> void fields(V& v) {
    v("of", of), v("file", file), v("begin", begin), v("end", end);
  }
};

struct Locations {
  std::vector<std::string> files; ///< names of files as messages print them
  std::vector<Location> places;
  template <class V> void fields(V& v) { v("files", files), v("at", places); }
};

Locations locationsOf(const Plan& plan, const SourceManager& sources);
/// `files` are the ids of Locations::files. Locations in a file with id 0, or past the end of its
/// text, are ignored.
void locate(Plan& plan, const Locations& locations, llvm::ArrayRef<std::uint32_t> files,
            const SourceManager& sources);
std::string print(const Locations& locations);
/// Reads a plan, and the locations if the text has them after it.
FailureOr<Plan> read(const std::string& text, const std::string& file, DiagnosticEngine& diags,
                     Locations& locations);

} // namespace dpl::ir
