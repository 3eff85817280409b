// payloads.hpp - the three tables a mover writes, built in memory reserved at open: no allocation
// afterwards. Bytes handed out are valid until the next call on the same object. One thread at a
// time per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "schemas/upload_progress.hpp"

namespace plimsoll {

// The numbers of a Sample, without its text.
struct Numbers {
  std::int64_t completed = 0;
  std::int64_t total = 0;
  std::int64_t read = -1;
  std::int64_t sent = -1;
  std::int64_t files_done = -1;
  std::int64_t files_total = -1;
  std::uint32_t errors = 0;
  std::uint32_t warnings = 0;
  Activity activity = Activity::unknown;

  bool operator==(const Numbers&) const = default;
};

class SamplePayload {
 public:
  SamplePayload();
  ~SamplePayload();
  SamplePayload(const SamplePayload&) = delete;
  SamplePayload& operator=(const SamplePayload&) = delete;

  void describe(std::string_view description);  // valid UTF-8 within its bound; rebuilds the table
  [[nodiscard]] std::span<const std::byte> with(
      const Numbers& numbers);  // changes the table in place

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

class EventPayload {
 public:
  EventPayload();
  ~EventPayload();
  EventPayload(const EventPayload&) = delete;
  EventPayload& operator=(const EventPayload&) = delete;

  [[nodiscard]] std::span<const std::byte> build(Severity severity, std::string_view text,
                                                 std::int64_t at_unix_ms);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

struct EndOfUpload {
  Outcome outcome = Outcome::none;
  bool will_retry = false;
  std::string_view err;        // valid UTF-8 within its bound
  std::string_view stored_as;  // likewise
  std::int64_t at_unix_ms = 0;
};

class TerminalPayload {
 public:
  TerminalPayload();
  ~TerminalPayload();
  TerminalPayload(const TerminalPayload&) = delete;
  TerminalPayload& operator=(const TerminalPayload&) = delete;

  [[nodiscard]] std::span<const std::byte> build(const EndOfUpload& end, const Numbers& numbers);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace plimsoll
