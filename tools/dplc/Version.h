#pragma once
//===- Version.h - The version of dplc and the commit that it was built from ------------------===//

namespace dpl::tool {

/// "dplc 0.2.0 (commit 1a2b3c4d5e6f, 2026-11-30)", or "dplc 0.2.0" if the commit is not known. For
/// `dplc --version` only: other outputs have the version alone, so that they do not depend on the
/// commit.
const char* versionText();

} // namespace dpl::tool
