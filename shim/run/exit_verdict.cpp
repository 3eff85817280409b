// exit_verdict.cpp - see exit_verdict.hpp.
#include "shim/run/exit_verdict.hpp"

#include <csignal>
#include <cstring>

#include "schemas/text.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {

namespace {

constexpr int kInterruptedStatus = 130;  // 128 + SIGINT, as shells and restic say it

}  // namespace

std::string exit_text(ExitStatus exit) {
  if (exit.signal == 0) return "exit status " + std::to_string(exit.code);
  std::string text = "killed by signal " + std::to_string(exit.signal);
  const char* name = sigabbrev_np(exit.signal);
  if (name != nullptr) text += std::string(" (SIG") + name + ")";
  return text;
}

bool is_canceled(ExitStatus exit, bool asked_to_stop) {
  if (exit.good()) return false;
  return asked_to_stop || exit.signal == SIGINT ||
         (exit.signal == 0 && exit.code == kInterruptedStatus);
}

Terminal judge_exit(ExitStatus exit, bool asked_to_stop, const std::string& tool,
                    const std::string& reason) {
  Terminal end;
  if (exit.good()) {
    end.outcome = Outcome::durable;
    return end;
  }
  const bool canceled = is_canceled(exit, asked_to_stop);
  end.outcome = canceled ? Outcome::canceled : Outcome::failed;
  end.err = (canceled ? "canceled: " : "") + tool + ": " + exit_text(exit);
  if (!reason.empty()) end.err += ": " + reason;
  end.err = clean_utf8(end.err, kMaxErrBytes);
  return end;
}

}  // namespace plimsoll
