// url_test.cpp - percent-encoding, both ways.
#include "runtime/http/url.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "schemas/text.hpp"

using namespace plimsoll;

TEST_CASE("a path is split before it is decoded") {
  CHECK(decode_path("/v1/items/a%2Fb%20c").value() ==
        std::vector<std::string>{"v1", "items", "a/b c"});
  CHECK(decode_path("/").value() == std::vector<std::string>{""});
  CHECK(decode_path("/a//b/").value() == std::vector<std::string>{"a", "", "b", ""});
  CHECK(decode_path("/a+b").value() == std::vector<std::string>{"a+b"});
}

TEST_CASE("what a path may not contain is refused") {
  for (const char* path : {"", "a", "/a%00b", "/a%0Ab", "/a%7f", "/%", "/%4", "/%zz", "/%ff",
                           "/%c0%80", "/%ed%a0%80", "/a\nb"}) {
    CAPTURE(path);
    const auto decoded = decode_path(path);
    REQUIRE_FALSE(decoded.has_value());
    CHECK(decoded.error().code == ErrorCode::bad_request);
  }
}

TEST_CASE("a query is decoded as forms write it") {
  CHECK(decode_query("a=1&b=x+y%2B&c&&a=2").value() ==
        QueryFields{{"a", "1"}, {"b", "x y+"}, {"c", ""}, {"a", "2"}});
  CHECK(decode_query("").value().empty());
  CHECK(decode_query("a=b=c").value() == QueryFields{{"a", "b=c"}});
  CHECK_FALSE(decode_query("a=%00").has_value());
  CHECK_FALSE(decode_query("%ff=a").has_value());
}

TEST_CASE("a query has a bound on its fields") {
  std::string query;
  for (std::size_t i = 0; i < kMaxQueryFields; ++i)
    query += "a=1&";
  CHECK(decode_query(query).has_value());
  CHECK_FALSE(decode_query(query + "b=2").has_value());
}

TEST_CASE("decoding undoes encoding") {
  rc::prop("for any text that is allowed at all", [](const std::string& bytes) {
    std::string text = clean_utf8(bytes, 1000);
    std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
    const auto encoded = percent_encode(text);
    RC_ASSERT(encoded.find_first_of("/?#&=+ ") == std::string::npos);
    RC_ASSERT(percent_decode(encoded).value() == text);
  });
}

TEST_CASE("decoding any bytes gives clean text or a refusal") {
  rc::prop("for any bytes", [](const std::string& bytes) {
    const auto decoded = percent_decode(bytes);
    if (decoded)
      RC_ASSERT(is_valid_utf8(*decoded) && escape_text(*decoded).size() >= decoded->size());
  });
}
