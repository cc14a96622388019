//===- NameInfo.cpp - Words for what names stand for ------------------------------------------===//
#include "frontend/names/NameInfo.h"
using namespace dpl;

const char* dpl::wordOf(NamedThing thing) {
  switch (thing) {
  case NamedThing::Block:
    return "block";
  case NamedThing::Field:
    return "field";
  case NamedThing::Choice:
    return "choice";
  case NamedThing::Let:
    return "let";
  case NamedThing::Param:
    return "param";
  case NamedThing::Variable:
    return "variable";
  case NamedThing::Import:
    return "import";
  case NamedThing::Module:
    return "module";
  case NamedThing::Schema:
    return "schema";
  case NamedThing::Type:
    return "type";
  case NamedThing::Figure:
    return "figure";
  case NamedThing::Statistic:
    return "statistic";
  case NamedThing::Key:
    return "key";
  case NamedThing::Function:
    return "function";
  case NamedThing::Scope:
    return "scope";
  case NamedThing::Unit:
    return "unit";
  case NamedThing::Word:
    return "word";
  }
  return "";
}
