// producer.hpp - one upload's mouth: what the C library and `plimsoll run` speak to the agent
// through. Never fails its owner: whatever is wrong, the handle is disabled, every call is a cheap
// no-op, and the reason can be asked for. No allocation and no system call in update, add, set,
// beat and cancel_requested.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "schemas/result.hpp"
#include "schemas/text_bounds.hpp"
#include "schemas/upload_progress.hpp"
#include "shim/bounded_text.hpp"
#include "shim/fork_guard.hpp"
#include "shim/payloads.hpp"
#include "shim/segment_create.hpp"
#include "shim/segment_writer.hpp"
#include "shim/upload_counters.hpp"

namespace plimsoll {

// The numbers of plimsoll_status in plimsoll.h: never renumber.
enum class ProducerStatus : int {
  ok = 0,
  disabled = 1,
  invalid = 2,
  too_long = 3,
  ended = 4,
  no_directory = 5,
  no_space = 6,
  no_permission = 7,
  forked = 8,
  io = 9,
};

struct ProducerOptions {
  Identity identity;             // opened_unix_ms is filled in
  std::string directory;         // for segments; "" = found (run_places.hpp)
  std::uint32_t ring_bytes = 0;  // 0 = the default; else a power of two, 4,096…524,288
  std::int64_t total = 0;        // 0 = not known
  bool made_by_run = false;
};

// Construction, reopen and destruction belong to one thread; every other call may come from any.
class Producer final : public ForkGuard {
 public:
  explicit Producer(ProducerOptions options);  // opens; on failure it is disabled
  ~Producer() override;

  // Tries again after a failed open, with the identity and the numbers of now. No effect once open
  // or forked. `auto_backup` as it should be in the identity by now.
  ProducerStatus reopen(bool auto_backup);

  ProducerStatus update(std::int64_t completed,
                        std::int64_t total);  // total < 0 keeps, 0 = unknown
  ProducerStatus add(std::int64_t delta);
  ProducerStatus set_counters(const Numbers& numbers);  // all but completed and total; -1 = unknown
  ProducerStatus set_field(int field, std::int64_t value);  // plimsoll_field of plimsoll.h
  ProducerStatus beat();                                    // "still here", with unchanged numbers
  ProducerStatus describe(const char* text);
  ProducerStatus event(Severity severity, const char* text);
  [[nodiscard]] bool cancel_requested();

  // The end. The first one counts; later ones answer `ended`.
  ProducerStatus complete(const char* stored_as);
  ProducerStatus fail_upload(const char* err, bool will_retry);
  ProducerStatus incomplete(const char* err, const char* stored_as);
  ProducerStatus canceled(const char* err);  // nullptr: just "canceled"

  // Why it is disabled, or ok. `text` (may be nullptr) gets one line for people, always
  // NUL-terminated.
  ProducerStatus status_of(char* text, std::size_t size_bytes) const;

  [[nodiscard]] bool is_open() const { return answer() == ProducerStatus::ok; }
  [[nodiscard]] std::optional<SegmentId> segment_id() const;  // nullopt while disabled

  void after_fork_in_child() noexcept override;

 private:
  struct Written {
    Numbers numbers;
    std::uint64_t text_version;
    bool as_value;  // false: only a beat, because no number was ever given
  };

  ProducerStatus disable(ProducerStatus why, std::string reason);
  ProducerStatus try_open();
  [[nodiscard]] ProducerStatus answer() const;  // what a call answers before it does anything
  ProducerStatus publish_value();
  void publish();
  Written write_newest();
  void rebuild_text();
  [[nodiscard]] bool has_moved(const Written& written);
  ProducerStatus end(EndOfUpload end);

  ProducerOptions options_;
  UploadCounters counters_;
  std::atomic<ProducerStatus> state_ = ProducerStatus::disabled;
  std::atomic<bool> publishing_ =
      false;  // who holds it is the one thread in the writer's value half
  std::atomic<bool> ended_ = false;
  std::atomic<bool> value_wanted_ =
      false;  // an upload without numbers yet shows as waiting, not as 0

  // Held by the publisher.
  SamplePayload sample_;
  std::optional<Numbers> last_written_;
  std::uint64_t built_text_version_ = 0;

  mutable std::mutex text_mutex_;  // description_ and reason_; the publisher only ever tries it
  BoundedText<kMaxDescriptionBytes> description_;
  std::string reason_;
  std::atomic<std::uint64_t> text_version_ = 0;

  std::mutex event_mutex_;  // the ring has one writer; an event waits for another's ~100 ns
  EventPayload event_;
  TerminalPayload terminal_;  // of the thread that turned ended_

  SegmentWriter writer_;
  std::optional<MappedSegment> segment_;
};

}  // namespace plimsoll
