// merge_numbers_test.cpp - counts that never fall, percent and ETA that never promise too much.
#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "schemas/merge.hpp"

namespace plimsoll {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();

Sample any_sample() {
  Sample sample;
  sample.completed = *rc::gen::arbitrary<std::int64_t>();
  sample.total = *rc::gen::arbitrary<std::int64_t>();
  sample.read = *rc::gen::arbitrary<std::int64_t>();
  sample.sent = *rc::gen::arbitrary<std::int64_t>();
  sample.files_done = *rc::gen::arbitrary<std::int64_t>();
  sample.files_total = *rc::gen::arbitrary<std::int64_t>();
  sample.errors = *rc::gen::arbitrary<std::uint32_t>();
  sample.activity = static_cast<Activity>(*rc::gen::inRange(0, 5));
  return sample;
}

Sample numbers(std::int64_t completed, std::int64_t total) {
  Sample sample;
  sample.completed = completed;
  sample.total = total;
  return sample;
}

TEST_CASE("merging samples is idempotent, monotone, and never above the total") {
  rc::prop("for any two samples", [] {
    const Sample known = merge_sample({}, any_sample());
    const Sample reported = any_sample();
    const Sample merged = merge_sample(known, reported);
    RC_ASSERT(merge_sample(merged, reported) == merged);
    RC_ASSERT(merged.completed >= known.completed);
    RC_ASSERT(merged.completed >= 0);
    RC_ASSERT(merged.total == 0 || merged.total >= merged.completed);
    RC_ASSERT(merged.read >= -1);
    RC_ASSERT(merged.files_total >= -1);
  });
}

TEST_CASE("the order in which samples come makes no difference to the counts") {
  rc::prop("for any three samples", [] {
    const Sample a = any_sample();
    const Sample b = any_sample();
    const Sample one = merge_sample(merge_sample({}, a), b);
    const Sample other = merge_sample(merge_sample({}, b), a);
    RC_ASSERT(one.completed == other.completed);
    RC_ASSERT(one.read == other.read);
    RC_ASSERT(one.sent == other.sent);
    RC_ASSERT(one.errors == other.errors);
  });
}

TEST_CASE("a restarted tool lowers its count without the upload going back") {
  const Sample merged = merge_sample(numbers(40, 100), numbers(5, 100));
  CHECK(merged.completed == 40);
  CHECK(merged.total == 100);
}

TEST_CASE("a count above the total raises the total; an unknown total stays what it was") {
  CHECK(merge_sample({}, numbers(104, 100)).total == 104);
  CHECK(merge_sample(numbers(10, 100), numbers(20, 0)).total == 100);
  CHECK(merge_sample({}, numbers(20, 0)).total == 0);
}

TEST_CASE("negative numbers are absurd and left out") {
  CHECK(is_absurd(numbers(-1, 5)));
  CHECK(is_absurd(numbers(1, -5)));
  CHECK_FALSE(is_absurd(numbers(0, 0)));
  CHECK(merge_sample(numbers(3, 9), numbers(-7, -7)) == numbers(3, 9));
}

TEST_CASE("percent is rounded down, and 100 only when durable") {
  CHECK(percent_of(0, 100, false) == 0.0);
  CHECK(percent_of(999, 1000, false) == Approx(99.9));
  CHECK(percent_of(1000, 1000, false) == Approx(99.9));
  CHECK(percent_of(1000, 1000, true) == 100.0);
  CHECK(percent_of(1, 3, false) == Approx(33.3));
  CHECK(percent_of(kMax, kMax, false) == Approx(99.9));
  CHECK_FALSE(percent_of(5, 0, false).has_value());
  CHECK_FALSE(percent_of(0, 0, true).has_value());
}

TEST_CASE("there is an ETA only where it means something") {
  CHECK(eta_seconds(10, 100, 9.0) == 10);
  CHECK(eta_seconds(100, 100, 9.0) == 0);
  CHECK_FALSE(eta_seconds(10, 0, 9.0).has_value());
  CHECK_FALSE(eta_seconds(10, 100, 0.0).has_value());
  CHECK_FALSE(eta_seconds(10, 100, -1.0).has_value());
  CHECK_FALSE(eta_seconds(0, 100, std::nan("")).has_value());
  CHECK_FALSE(eta_seconds(0, kMax, 0.001).has_value());
}

TEST_CASE("sums saturate") {
  CHECK(saturating_add(kMax, 1) == kMax);
  CHECK(saturating_add(kMax, kMax) == kMax);
  CHECK(saturating_add(-5, 3) == 3);
}

}  // namespace
}  // namespace plimsoll
