// run_reporter.cpp - see run_reporter.hpp.
#include "cli/commands/run_reporter.hpp"

#include <array>
#include <utility>

#include "schemas/text.hpp"
#include "shim/run/segments_wait.hpp"

namespace plimsoll::cli {

namespace {

constexpr Duration kBeatEvery = seconds(1);
constexpr Duration kTryEvery = seconds(5);
constexpr milliseconds kSegmentsWait{2000};

Registering registering_of(const Reporting& reporting) {
  const Identity& identity = reporting.producer.identity;
  return Registering{identity.backup,    identity.item,        identity.snapshot_id,
                     identity.volume_id, identity.parts_total, reporting.manual_seal};
}

Numbers numbers_of(const Sample& sample) {
  return Numbers{sample.completed, sample.total,      sample.read,
                 sample.sent,      sample.files_done, sample.files_total,
                 sample.errors,    sample.warnings,   sample.activity};
}

std::string reason_of(const Producer& producer) {
  constexpr std::string_view kPrefix = "disabled: ";  // we say that in our own words
  std::array<char, 512> text{};
  (void)producer.status_of(text.data(), text.size());  // the number is known: it is not open
  const std::string_view reason = text.data();
  return std::string(reason.substr(0, kPrefix.size()) == kPrefix ? reason.substr(kPrefix.size())
                                                                 : reason);
}

}  // namespace

RunReporter::RunReporter(const Session& session, Reporting reporting)
    : session_(session), reporting_(std::move(reporting)) {
  if (!reporting_.switched_off) {
    registrar_.emplace(session_, registering_of(reporting_));
    register_first();
  }
  open();
}

// The upload's own troubles are said in one line: without a segment the controller does not matter.
void RunReporter::register_first() {
  registrar_->ask(true);
  const auto registered = registrar_->wait(kCallTimeout);
  call_running_ = !registered.has_value();
  if (registered) hear(*registered);
}

void RunReporter::open() {
  if (!reporting_.switched_off)
    reporting_.producer.directory = wait_for_segments(reporting_.run_dir, kSegmentsWait);
  reporting_.producer.identity.auto_backup = !answered_ && !reporting_.manual_seal;
  producer_ = std::make_unique<Producer>(reporting_.producer);
  if (reporting_.switched_off) return;
  if (!producer_->is_open())
    say("this upload is not reported: " + reason_of(*producer_) + "; the tool runs all the same");
  else if (!answered_)
    say("the controller has not answered: backup " +
        plimsoll::quoted(reporting_.producer.identity.backup) +
        " is made when it does; the tool runs all the same");
}

void RunReporter::hear(const Registered& registered) {
  Identity& identity = reporting_.producer.identity;
  answered_ = answered_ || registered.answered;
  const bool written = producer_ != nullptr && producer_->is_open();  // then the identity is fixed
  if (registered.accepted && !written) {
    if (registered.backup != identity.backup)
      say("backup " + plimsoll::quoted(identity.backup) + " is over: this one is " +
          plimsoll::quoted(registered.backup));
    identity.backup = registered.backup;
    identity.backup_uid = registered.backup_uid;
  }
  if (!registered.answered || registered.accepted) return;
  const bool renamed_by_controller =
      registered.error.code == ErrorCode::exists && written && identity.auto_backup;
  if (renamed_by_controller) return;  // it gives the upload a backup with a time in its name itself
  say("the controller refuses the upload, it stays an orphan: " + registered.error.message +
      "; the tool runs all the same");
}

void RunReporter::say(const std::string& line) const {
  session_.say("plimsoll run: " + line);
}

void RunReporter::report(const Sample& sample) {
  newest_ = sample;
  if (sample.total == 0) newest_->total = reporting_.producer.total;
  (void)producer_->set_counters(numbers_of(*newest_));  // disabled is no news to the tool
  (void)producer_->update(newest_->completed, newest_->total);
  if (sample.description == described_) return;
  described_ = sample.description;
  (void)producer_->describe(described_.c_str());
}

void RunReporter::note(const Diagnostic& diagnostic) {
  (void)producer_->event(diagnostic.severity, diagnostic.text.c_str());
}

bool RunReporter::cancel_asked() {
  return producer_->cancel_requested();
}

void RunReporter::tick(TimePoint now) {
  if (reporting_.switched_off) return;
  if (now >= next_beat_) {
    (void)producer_->beat();
    next_beat_ = now + kBeatEvery;
  }
  if (call_running_) register_again();
  if (next_try_ == TimePoint{}) next_try_ = now + kTryEvery;
  if (now < next_try_) return;
  next_try_ = now + kTryEvery;
  // A call in flight may still change the backup's name, and open writes it for good.
  if (!producer_->is_open() && !call_running_) open_again();
  if (!answered_ && !call_running_) {
    registrar_->ask(!producer_->is_open());
    call_running_ = true;
  }
}

void RunReporter::register_again() {
  const auto registered = registrar_->wait(milliseconds(0));
  if (!registered) return;
  call_running_ = false;
  hear(*registered);
}

// The identity may have changed since, so the attempt is made anew; its numbers follow.
void RunReporter::open_again() {
  reporting_.producer.identity.auto_backup = !answered_ && !reporting_.manual_seal;
  producer_ = std::make_unique<Producer>(reporting_.producer);
  described_.clear();
  if (newest_) report(*newest_);
}

void RunReporter::finish(const Terminal& end) {
  if (reporting_.switched_off) return;
  if (!producer_->is_open()) open_again();
  publish_end(end);
  if (answered_) return;
  if (!call_running_) registrar_->ask(false);
  const auto registered = registrar_->wait(kCallTimeout);
  if (registered) hear(*registered);
}

void RunReporter::publish_end(const Terminal& end) {
  Sample last = newest_.value_or(Sample{});
  last.completed = end.completed;
  const bool told_by_flag = end.total == 0 && end.outcome != Outcome::durable;
  last.total = told_by_flag ? reporting_.producer.total : end.total;
  last.errors = end.errors;
  (void)producer_->set_counters(numbers_of(last));
  (void)producer_->update(last.completed, last.total);
  switch (end.outcome) {
    case Outcome::durable:
      (void)producer_->complete(end.stored_as.c_str());
      break;
    case Outcome::incomplete:
      (void)producer_->incomplete(end.err.c_str(), end.stored_as.c_str());
      break;
    case Outcome::canceled:
      (void)producer_->canceled(end.err.c_str());
      break;
    default:
      (void)producer_->fail_upload(end.err.c_str(), false);
      break;
  }
}

}  // namespace plimsoll::cli
