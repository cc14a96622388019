#pragma once
//===- Precompiled.h - What almost every source includes, parsed once for all -----------------===//
//
// Only headers of others, which do not change. A source still says itself what it includes: the
// preset `clang` builds without this one. A header belongs here when most sources see it; each
// costs all of them some milliseconds to load.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
