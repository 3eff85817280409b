// cancel_ladder.hpp - how a tool is made to stop: SIGINT, after `grace` SIGTERM, after another
// SIGKILL. Pure. The caller sends what step() answers to the tool's whole group, always.
#pragma once

#include <csignal>

#include "schemas/time.hpp"

namespace plimsoll {

class CancelLadder {
 public:
  explicit CancelLadder(Duration grace) : grace_(grace) {}

  // The signal to send now; 0 = none. `asked` is the cancel byte; once seen it is never taken back.
  [[nodiscard]] int step(bool asked, TimePoint now) {
    if (sent_ == SIGKILL || (sent_ == 0 && !asked)) return 0;
    if (sent_ != 0 && now - sent_at_ < grace_) return 0;
    sent_ = sent_ == 0 ? SIGINT : sent_ == SIGINT ? SIGTERM : SIGKILL;
    sent_at_ = now;
    return sent_;
  }

  [[nodiscard]] bool begun() const { return sent_ != 0; }
  [[nodiscard]] bool exhausted() const { return sent_ == SIGKILL; }

 private:
  Duration grace_;
  int sent_ = 0;  // the last signal sent
  TimePoint sent_at_{};
};

}  // namespace plimsoll
