//===- JsonTest.cpp ---------------------------------------------------------------------------===//
#include "support/Json.h"
#include <gtest/gtest.h>
#include <limits>
using namespace dpl;

namespace {
TEST(Json, BracesAreAnObjectWhereEachElementIsATextAndAValue) {
  const Json object{{"b", 1}, {"a", {{"deep", true}}}};
  EXPECT_EQ(object.dump(), R"({"b":1,"a":{"deep":true}})");
  EXPECT_EQ(Json({"b", 1}).dump(), R"(["b",1])");
  EXPECT_EQ(Json::array({Json{{"b", 1}}}).dump(), R"([{"b":1}])");
  const std::vector<std::string> texts = {"x", "y"};
  EXPECT_EQ(Json({{"list", texts}, {"none", nullptr}, {"empty", Json::object()}}).dump(),
            R"({"list":["x","y"],"none":null,"empty":{}})");
}

TEST(Json, MembersKeepTheOrderInWhichTheyCame) {
  Json object;
  object["z"] = 1;
  object["list"].push_back("first");
  object["a"] = 2;
  object.update({{"z", 3}, {"new", 4}});
  EXPECT_EQ(object.dump(), R"({"z":3,"list":["first"],"a":2,"new":4})");
  object.erase("list");
  EXPECT_EQ(object.dump(2), "{\n  \"z\": 3,\n  \"a\": 2,\n  \"new\": 4\n}");
  EXPECT_EQ(object.value("new", 0), 4);
  EXPECT_EQ(object.value("absent", "otherwise"), "otherwise");
  const Json& constant = object;
  EXPECT_TRUE(constant["absent"].is_null());
  EXPECT_FALSE(object.contains("absent"));
}

TEST(Json, ACopyIsAValueOfItsOwn) {
  Json first{{"list", Json::array({1, "text"})}};
  Json second = first;
  second["list"].push_back(3);
  EXPECT_EQ(first["list"].size(), 2U);
  EXPECT_EQ(second["list"].back(), 3);
  first = std::move(second);
  EXPECT_EQ(first.dump(), R"({"list":[1,"text",3]})");
}

TEST(Json, ReadsWhatItWrites) {
  for (const char* text :
       {"null", "false", "0", "-1", "18446744073709551615", "-9223372036854775808", "0.1", "1.0",
        "1e-05", "1.7976931348623157e+308", "5e-324", "123456789.125", R"("\"\\\n\u0001é")",
        R"([1,[],{},{"a":[null]}])"})
    EXPECT_EQ(Json::parse(text).dump(), text);
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), "null");
  EXPECT_EQ(Json("a\xFF").dump(), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(Json::parse(R"({"a":1,"b":2,"a":3})").dump(), R"({"a":3,"b":2})");
}

TEST(Json, NumbersAreEqualByWhatTheyAreWorth) {
  EXPECT_EQ(Json(1), Json(1U));
  EXPECT_EQ(Json(1U), 1.0);
  EXPECT_FALSE(Json(-1) == Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_FALSE(Json(1) == Json(true));
  EXPECT_TRUE(Json::parse("1").is_number_unsigned());
  EXPECT_FALSE(Json::parse("-1").is_number_unsigned());
  EXPECT_FALSE(Json(Json::object()) == Json(Json::array()));
}

TEST(Json, AMistakeSaysWhereATextStopsBeingJson) {
  JsonMistake mistake;
  EXPECT_TRUE(Json::parse(R"({"a": 1,})", &mistake).is_discarded());
  EXPECT_EQ(mistake.at, 8U);
  EXPECT_EQ(mistake.reason, "found `1,}`");
  EXPECT_TRUE(Json::parse("").is_discarded());
  EXPECT_TRUE(Json::parse("[1] // no comments").is_discarded());
  EXPECT_EQ(Json::parse("[1] // a comment", nullptr, true).dump(), "[1]");
  EXPECT_FALSE(Json::parse(std::string(1000, '[') + std::string(1000, ']')).is_discarded());
  EXPECT_TRUE(Json::parse(std::string(1 << 20, '['), &mistake).is_discarded());
  EXPECT_EQ(mistake.reason, "it is nested deeper than 1000 levels");
}
} // namespace
