#pragma once
//===- Version.h - The version of dplc and the commit that it was built from ------------------===//

namespace dpl::tool {

/// The version text: "dplc 0.2.0 (commit 1a2b3c4d5e6f, 2026-11-30)", or "dplc 0.2.0" if the commit
/// is not known. Only `dplc --version` uses it: other outputs have the version alone, so that they
/// do not depend on the commit.
const char* versionText();

} // namespace dpl::tool
