// bounded_text_test.cpp - free texts from a mover: cut at a character, repaired, never too long.
#include <catch2/catch.hpp>

#include <rapidcheck/catch.h>

#include <string>

#include "schemas/text.hpp"
#include "shim/bounded_text.hpp"

using namespace plimsoll;

namespace {

std::string bounded(const std::string& text) {
  BoundedText<8> to;
  to.assign(text.c_str());
  return std::string(to.view());
}

}  // namespace

TEST_CASE("texts are kept, cut at a character, and repaired") {
  CHECK(bounded("") == "");
  CHECK(bounded("12345678") == "12345678");
  CHECK(bounded("123456789") == "12345678");
  CHECK(bounded("1234567\xC3\xA9") == "1234567");
  CHECK(bounded("123456\xC3\xA9") == "123456\xC3\xA9");
  CHECK(bounded("12345\xF0\x9F\x98\x80") == "12345");
  CHECK(bounded("a\xFFz") == "a\xEF\xBF\xBDz");
  BoundedText<8> to;
  to.assign(nullptr);
  CHECK(to.view().empty());
}

TEST_CASE("a word stands before a text, once") {
  BoundedText<40> to;
  to.assign_after("canceled", nullptr);
  CHECK(to.view() == "canceled");
  to.assign_after("canceled", "by the user");
  CHECK(to.view() == "canceled: by the user");
  to.assign_after("canceled", "canceled by the user");
  CHECK(to.view() == "canceled by the user");
}

TEST_CASE("whatever the bytes, the result is valid, bounded, and what the general cleaner makes") {
  rc::prop("bounded == clean_utf8", [](const std::string& bytes) {
    const std::string text = bytes.c_str();
    RC_ASSERT(is_valid_utf8(bounded(text)));
    RC_ASSERT(bounded(text).size() <= 8U);
    RC_ASSERT(bounded(text) == clean_utf8(text, 8));
  });
}
