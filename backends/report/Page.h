#pragma once
//===- Page.h - An answer as one HTML file that needs no network ------------------------------===//
#include "support/Json.h"

namespace dpl::report {

/// A file of the user, as the page shows it.
struct PageSource {
  std::string path, text;
};

/// The contents of a page. page/README.md describes the data that its scripts read.
struct PageContent {
  const char* kind = ""; ///< command: "report"
  std::string title;
  std::string screen; ///< text that the command prints without `--html`
  std::vector<PageSource> sources;
  Json settings = Json::array(); ///< settings of the command that change the file: `path`, `value`
  std::vector<Json> diagnostics; ///< as `--diagnostics=json` prints them
  Json answers;                  ///< as `--json` prints them
  Json plot;                     ///< axes that a study asks for: `x`, `y` and `series`; or null
  Json layouts = Json::array();  ///< one object of `pageLayoutJson` per layout
  Json derivations;              ///< figures of points of a study; or null
};

/// The page. Texts of the user are escaped, and the data is compressed.
std::string page(PageContent content);

/// The parts of the page, from backends/report/page.
llvm::StringRef pageTemplate();
llvm::StringRef pageStyle();
llvm::StringRef pageScript();
/// The text of d3.min.js.
llvm::StringRef pageLibrary();

} // namespace dpl::report
