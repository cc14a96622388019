#pragma once
//===- Precompiled.h - The precompiled header of headers that almost every source includes ----===//
//
// This header includes only external headers, which do not change. Each source still includes what
// it uses, because the preset `clang` builds without the precompiled header. A header belongs here
// if most sources need it; each one costs every source some milliseconds.
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
