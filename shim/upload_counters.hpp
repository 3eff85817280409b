// upload_counters.hpp - the numbers a mover's threads move, inside its own process: atomics, no
// lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "shim/payloads.hpp"

namespace plimsoll {

// Any thread calls anything. The publisher flag (producer.cpp) orders these stores before the load
// that publishes them, so each of them may be relaxed by itself.
class UploadCounters {
 public:
  static constexpr auto kAlone = std::memory_order_relaxed;  // relaxed: see the class comment

  void set_completed(std::int64_t value) { completed_.store(value, kAlone); }
  void set_total(std::int64_t value) { total_.store(value, kAlone); }

  // Saturates. `delta` ≥ 0.
  void add(std::int64_t delta) {
    std::int64_t old = completed_.load(kAlone);
    while (!completed_.compare_exchange_weak(old, sum(old, delta), kAlone)) {
    }
  }

  void set_all_but_count(const Numbers& numbers) {
    read_.store(numbers.read, kAlone);
    sent_.store(numbers.sent, kAlone);
    files_done_.store(numbers.files_done, kAlone);
    files_total_.store(numbers.files_total, kAlone);
    errors_.store(numbers.errors, kAlone);
    warnings_.store(numbers.warnings, kAlone);
    activity_.store(numbers.activity, kAlone);
  }

  // `field`: plimsoll_field of plimsoll.h. False: no such field, or no such value of it.
  bool set_field(int field, std::int64_t value) {
    switch (field) {
      case 1:
        return store_known(read_, value);
      case 2:
        return store_known(sent_, value);
      case 3:
        return store_known(files_done_, value);
      case 4:
        return store_known(files_total_, value);
      case 5:
        return store_count(errors_, value);
      case 6:
        return store_count(warnings_, value);
      case 7:
        return store_activity(value);
      default:
        return false;
    }
  }

  [[nodiscard]] Numbers load() const {
    return {completed_.load(kAlone), total_.load(kAlone),      read_.load(kAlone),
            sent_.load(kAlone),      files_done_.load(kAlone), files_total_.load(kAlone),
            errors_.load(kAlone),    warnings_.load(kAlone),   activity_.load(kAlone)};
  }

 private:
  static bool store_known(std::atomic<std::int64_t>& to, std::int64_t value) {  // -1 = not known
    if (value < -1) return false;
    to.store(value, kAlone);
    return true;
  }

  static bool store_count(std::atomic<std::uint32_t>& to, std::int64_t value) {  // saturates
    if (value < 0) return false;
    constexpr std::int64_t kMax = std::numeric_limits<std::uint32_t>::max();
    to.store(static_cast<std::uint32_t>(value < kMax ? value : kMax), kAlone);
    return true;
  }

  bool store_activity(std::int64_t value) {
    if (value < 0 || value > static_cast<int>(Activity::waiting)) return false;
    activity_.store(static_cast<Activity>(value), kAlone);
    return true;
  }

  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    return a > kMax - b ? kMax : a + b;
  }

  std::atomic<std::int64_t> completed_ = 0;
  std::atomic<std::int64_t> total_ = 0;
  std::atomic<std::int64_t> read_ = -1;
  std::atomic<std::int64_t> sent_ = -1;
  std::atomic<std::int64_t> files_done_ = -1;
  std::atomic<std::int64_t> files_total_ = -1;
  std::atomic<std::uint32_t> errors_ = 0;
  std::atomic<std::uint32_t> warnings_ = 0;
  std::atomic<Activity> activity_ = Activity::unknown;
};

}  // namespace plimsoll
