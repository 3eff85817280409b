// backup_wait.cpp - look, follow, and look again when the connection is lost.
#include "cli/commands/backup_wait.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "cli/render_words.hpp"
#include "schemas/text.hpp"

namespace plimsoll::cli {
namespace {

constexpr Duration kUnreachableFor = seconds(30);
constexpr int kRedialAfter_ms = 500;

// Trouble that may pass; anything else is the answer.
bool may_pass(ErrorCode code) {
  switch (code) {
    case ErrorCode::unreachable:
    case ErrorCode::io:
    case ErrorCode::closed:
    case ErrorCode::timeout:
    case ErrorCode::busy:
    case ErrorCode::store_unavailable:
      return true;
    default:
      return false;
  }
}

class Waiting {
 public:
  Waiting(Session& session, const WaitOptions& options)
      : session_(session), options_(options), uid_(options.uid) {
    heard_ = session_.now();
    if (session_.options().timeout_given) deadline_ = heard_ + session_.options().timeout;
  }

  int run() {
    while (true) {
      if (const auto code = look()) return *code;
      if (const auto code = follow()) return *code;
      if (const auto code = too_late()) return *code;
      (void)poll(nullptr, 0, kRedialAfter_ms);  // the socket's coming back cannot be waited for
    }
  }

 private:
  // One GET: tells a backup that never was from one that is gone.
  std::optional<int> look() {
    reached_ = false;
    const auto client = session_.connect(Need::controller);  // its socket may come back elsewhere
    const auto document = client
                              ? client->with_timeout(call_timeout()).get(backup_path(options_.name))
                              : Result<nlohmann::json>(fail(client.error()));
    if (document) {
      reached_ = true;
      heard_ = session_.now();
      return take(read_backup(*document));
    }
    const auto& error = document.error();
    if (error.code == ErrorCode::gone || error.code == ErrorCode::not_found) {
      const bool was_there = !uid_.empty() || error.code == ErrorCode::gone;
      return gone(was_there, error);
    }
    if (!may_pass(error.code)) return session_.report(error);
    if (!std::exchange(told_, true))
      session_.say("plimsoll: " + escape_text(error.message) + "; trying for 30 s");
    return std::nullopt;
  }

  std::optional<int> follow() {
    if (!reached_) return std::nullopt;
    const auto client = session_.connect(Need::controller);
    if (!client) return std::nullopt;
    std::optional<int> code;
    Follow follow;
    follow.path = with_query("/v1/backups?watch=1", "name", options_.name);
    follow.keep_going = [&] { return !deadline_ || session_.now() < *deadline_; };
    follow.take = [&](const WatchEvent& event) {
      told_ = false;
      heard_ = session_.now();
      code = take_event(event);
      return !code.has_value() && (!deadline_ || heard_ < *deadline_);
    };
    const auto result = client->follow(follow);
    if (!result && !may_pass(result.error().code)) return session_.report(result.error());
    return code;
  }

  std::optional<int> take_event(const WatchEvent& event) {
    if (event.type == "BOOKMARK") return std::nullopt;
    const auto backup = read_backup(event.object);
    if (backup.name != options_.name) return std::nullopt;
    if (event.type != "DELETED") return take(backup);
    return backup.uid == uid_ ? std::optional(gone(true, {})) : std::nullopt;
  }

  std::optional<int> take(const BackupRow& backup) {
    if (uid_.empty()) uid_ = backup.uid;
    if (backup.uid != uid_) return gone(true, {});  // a later one of the same name
    if (backup.phase_word != said_) {
      said_ = backup.phase_word;
      session_.say(escape_text(options_.name) + ": " + said_ + ", " + counts_text(backup, ", "));
    }
    return exit_of_phase(backup, options_.goal);
  }

  int gone(bool was_there, const Error& error) {
    const int code = exit_of_gone(options_.goal, was_there);
    if (code == 0) return code;
    if (!was_there) {
      (void)session_.report(error);
      return code;
    }
    session_.warn("plimsoll: backup " + plimsoll::quoted(options_.name) + " was deleted");
    return code;
  }

  std::optional<int> too_late() {
    const auto now = session_.now();
    if (deadline_ && now >= *deadline_)
      return session_.report(
          {ErrorCode::timeout,
           "wait for backup " + plimsoll::quoted(options_.name) + ": --timeout has passed" +
               (said_.empty() ? "" : ", it is " + said_),
           "see how far it is: plimsoll describe backup " + escape_text(options_.name), ""});
    if (now - heard_ < kUnreachableFor) return std::nullopt;
    return session_.report({ErrorCode::unreachable,
                            "wait for backup " + plimsoll::quoted(options_.name) +
                                ": the controller has not answered for 30 s",
                            "is plimsoll-controller running? The backup goes on without it", ""});
  }

  // Never past the deadline; never "no limit".
  milliseconds call_timeout() {
    constexpr milliseconds kUsual{10'000};
    if (!deadline_) return kUsual;
    const auto left = std::chrono::duration_cast<milliseconds>(*deadline_ - session_.now());
    return std::clamp(left, milliseconds(1), kUsual);
  }

  Session& session_;
  const WaitOptions& options_;
  std::string uid_;
  std::string said_;
  TimePoint heard_;
  std::optional<TimePoint> deadline_;
  bool reached_ = false;  // the last look was answered
  bool told_ = false;     // that nobody answers
};

}  // namespace

std::optional<WaitGoal> goal_from_word(std::string_view word) {
  if (word == "terminal") return WaitGoal::terminal;
  if (word == "completed") return WaitGoal::completed;
  if (word == "deleted") return WaitGoal::deleted;
  return std::nullopt;
}

std::optional<int> exit_of_phase(const BackupRow& backup, WaitGoal goal) {
  if (goal == WaitGoal::deleted || !backup.phase) return std::nullopt;
  switch (*backup.phase) {
    case BackupPhase::completed:
      return 0;
    case BackupPhase::failed:
    case BackupPhase::failed_validation:
      return 1;
    case BackupPhase::partially_failed:
      return kWaitPartiallyFailed;
    default:
      return std::nullopt;
  }
}

int exit_of_gone(WaitGoal goal, bool was_there) {
  if (!was_there) return kWaitNoSuchBackup;
  return goal == WaitGoal::deleted ? 0 : kWaitDeleted;
}

int wait_for_backup(Session& session, const WaitOptions& options) {
  return Waiting(session, options).run();
}

}  // namespace plimsoll::cli
