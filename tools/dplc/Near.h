#pragma once
//===- Near.h - Which name was probably meant -------------------------------------------------===//
#include <string>
#include <vector>

namespace dpl::tool {

/// At most three of `names` that are near `wrong`, best first: misspelled by a letter or two, named
/// without what stands before (`dgx_h100`), begun (`micro`), or made of the same words
/// (`pipeline-bubble` and `bubble`). Upper and lower case are alike.
std::vector<std::string> nearNames(const std::string& wrong, const std::vector<std::string>& names);

/// "a", "a or b", "a, b or c", each in backquotes.
std::string alternatives(const std::vector<std::string>& names);
/// "did you mean `a` or `b`?", or `otherwise` where nothing is near.
std::string didYouMean(const std::vector<std::string>& near, const std::string& otherwise);

} // namespace dpl::tool
