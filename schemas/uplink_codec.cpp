// uplink_codec.cpp - one Frame table per message.
#include "schemas/uplink_codec.hpp"

#include <cmath>

#include "uplink_generated.h"

#include "schemas/progress_tables.hpp"
#include "schemas/text_bounds.hpp"

namespace plimsoll {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using tables::put_text;
using tables::text_of;

constexpr flatbuffers::uoffset_t kMaxDepth = 16;
constexpr flatbuffers::uoffset_t kMaxTables = 8192;
constexpr std::size_t kMaxFrameBytes = 262144;
constexpr std::size_t kMaxVersionBytes = 64;
constexpr std::size_t kMaxListEntries = 16384;
constexpr std::size_t kReportOverheadBytes = 512;

template <typename Tag>
fbs::Id wire(const Id128<Tag>& id) {
  return {id.lo, id.hi};
}

template <typename Id>
Id id_of(const fbs::Id* id) {
  return id == nullptr ? Id{} : Id{id->lo(), id->hi()};
}

// ---- values → tables

Offset<fbs::Report> put_report(FlatBufferBuilder& to, const Report& report) {
  std::vector<Offset<fbs::Event>> events;
  for (const auto& event : report.events)
    if (events.size() < kMaxEventsPerReport) events.push_back(tables::put(to, event));
  const auto event_list = events.empty() ? 0 : to.CreateVector(events);
  const auto identity = report.identity ? tables::put(to, *report.identity) : 0;
  const auto sample = report.sample ? tables::put(to, *report.sample) : 0;
  const auto terminal = report.terminal ? tables::put(to, *report.terminal) : 0;
  const auto domain = put_text(to, report.domain, kMaxDomainBytes);
  const auto reason = put_text(to, report.reason, kMaxReasonBytes);
  const auto segment = wire(report.segment);
  fbs::ReportBuilder table(to);
  table.add_segment(&segment);
  table.add_identity(identity);
  table.add_domain(domain);
  table.add_owner_uid(report.owner_uid);
  table.add_start_boottime_ns(report.start_boottime_ns);
  table.add_seq(report.seq);
  table.add_sample(sample);
  table.add_state(static_cast<fbs::State>(report.state));
  table.add_reason(reason);
  table.add_state_age_ms(report.state_age_ms);
  table.add_silent_ms(report.silent_ms);
  table.add_started_unix_ms(report.started_unix_ms);
  table.add_updated_unix_ms(report.updated_unix_ms);
  table.add_rate(report.rate);
  table.add_terminal(terminal);
  table.add_events(event_list);
  table.add_events_lost(report.events_lost);
  table.add_age_ms(report.age_ms);
  table.add_born_dead(report.born_dead);
  return table.Finish();
}

void put_message(FlatBufferBuilder& to, const Hello& hello) {
  const auto node = to.CreateString(hello.node);
  const auto version = put_text(to, hello.agent_version, kMaxVersionBytes);
  const auto boot = wire(hello.boot);
  const auto agent = wire(hello.agent);
  const auto table = fbs::CreateHello(to, hello.protocol_min, hello.protocol_max, node, &boot,
                                      &agent, version, hello.stall_after_ms, hello.lost_after_ms);
  fbs::FrameBuilder frame(to);
  frame.add_hello(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Welcome& welcome) {
  const auto version = put_text(to, welcome.controller_version, kMaxVersionBytes);
  const auto store = wire(welcome.store);
  const auto table = fbs::CreateWelcome(to, welcome.session, welcome.protocol,
                                        welcome.report_every_ms, &store, version);
  fbs::FrameBuilder frame(to);
  frame.add_welcome(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Refuse& refuse) {
  const auto text = put_text(to, refuse.text, kMaxErrBytes);
  const auto table =
      fbs::CreateRefuse(to, static_cast<fbs::RefuseCode>(refuse.code), text, refuse.retry_after_ms);
  fbs::FrameBuilder frame(to);
  frame.add_refuse(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Batch& batch) {
  std::vector<Offset<fbs::Report>> reports;
  for (const auto& report : batch.reports)
    reports.push_back(put_report(to, report));
  const auto list = to.CreateVector(reports);
  const auto table =
      fbs::CreateBatch(to, batch.session, batch.seq, batch.first_full, batch.last_full, list);
  fbs::FrameBuilder frame(to);
  frame.add_batch(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Ack& ack) {
  std::vector<Offset<fbs::Refused>> refused;
  for (const auto& entry : ack.refused) {
    const auto segment = wire(entry.segment);
    refused.push_back(fbs::CreateRefused(to, &segment, static_cast<fbs::ReportCode>(entry.code)));
  }
  const auto list = refused.empty() ? 0 : to.CreateVector(refused);
  const auto table = fbs::CreateAck(to, ack.session, ack.seq, list);
  fbs::FrameBuilder frame(to);
  frame.add_ack(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Desired& desired) {
  std::vector<Offset<fbs::Entry>> entries;
  for (const auto& entry : desired.entries) {
    const auto segment = wire(entry.segment);
    entries.push_back(fbs::CreateEntry(to, &segment, static_cast<fbs::Action>(entry.action)));
  }
  const auto list = entries.empty() ? 0 : to.CreateVector(entries);
  const auto table = fbs::CreateDesired(to, desired.session, desired.reset, desired.last, list);
  fbs::FrameBuilder frame(to);
  frame.add_desired(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

void put_message(FlatBufferBuilder& to, const Ping& ping) {
  const auto table = fbs::CreatePing(to, ping.session, ping.at_ms, ping.busy);
  fbs::FrameBuilder frame(to);
  frame.add_ping(table);
  to.Finish(frame.Finish(), fbs::FrameIdentifier());
}

// ---- tables → values

Failure corrupt(std::string what) {
  return fail(ErrorCode::corrupt, "uplink frame: " + what);
}

Result<UplinkMessage> take_message(const fbs::Hello& table) {
  Hello hello;
  const auto node = text_of(table.node(), kMaxNodeBytes, "node");
  const auto version = text_of(table.agent_version(), kMaxVersionBytes, "agent version");
  if (!node) return fail(node.error());
  if (!version) return fail(version.error());
  if (node->empty() || table.boot() == nullptr || table.agent() == nullptr)
    return corrupt("hello without node, boot or agent id");
  hello.protocol_min = table.protocol_min();
  hello.protocol_max = table.protocol_max();
  hello.node = *node;
  hello.boot = id_of<BootId>(table.boot());
  hello.agent = id_of<AgentId>(table.agent());
  hello.agent_version = *version;
  hello.stall_after_ms = table.stall_after_ms();
  hello.lost_after_ms = table.lost_after_ms();
  return hello;
}

Result<UplinkMessage> take_message(const fbs::Welcome& table) {
  const auto version = text_of(table.controller_version(), kMaxVersionBytes, "controller version");
  if (!version) return fail(version.error());
  return Welcome{table.session(), table.protocol(), table.report_every_ms(),
                 id_of<StoreId>(table.store()), *version};
}

Result<UplinkMessage> take_message(const fbs::Refuse& table) {
  const auto text = text_of(table.text(), kMaxErrBytes, "refusal");
  if (!text) return fail(text.error());
  const auto code = static_cast<RefuseCode>(table.code());
  return Refuse{code <= RefuseCode::stopping ? code : RefuseCode::unknown, *text,
                table.retry_after_ms()};
}

Result<void> take_events(const fbs::Report& table, Report& report) {
  if (table.events() == nullptr) return {};
  if (table.events()->size() > kMaxEventsPerReport) return corrupt("too many events");
  for (const auto* event : *table.events()) {
    auto value = tables::take(*event);
    if (!value) return fail(value.error());
    report.events.push_back(std::move(*value));
  }
  return {};
}

Result<void> take_payloads(const fbs::Report& table, Report& report) {
  if (table.identity() != nullptr) {
    auto identity = tables::take(*table.identity());
    if (!identity) return fail(identity.error());
    report.identity = std::move(*identity);
  }
  if (table.sample() != nullptr) {
    auto sample = tables::take(*table.sample());
    if (!sample) return fail(sample.error());
    report.sample = std::move(*sample);
  }
  if (table.terminal() != nullptr) {
    auto terminal = tables::take(*table.terminal());
    if (!terminal) return fail(terminal.error());
    report.terminal = std::move(*terminal);
  }
  return take_events(table, report);
}

Result<Report> take_report(const fbs::Report& table) {
  if (table.segment() == nullptr) return corrupt("report without a segment id");
  Report report;
  report.segment = id_of<SegmentId>(table.segment());
  if (auto taken = take_payloads(table, report); !taken) return fail(taken.error());
  const auto domain = text_of(table.domain(), kMaxDomainBytes, "domain");
  const auto reason = text_of(table.reason(), kMaxReasonBytes, "reason");
  if (!domain) return fail(domain.error());
  if (!reason) return fail(reason.error());
  report.domain = *domain;
  report.reason = *reason;
  report.owner_uid = table.owner_uid();
  report.start_boottime_ns = table.start_boottime_ns();
  report.seq = table.seq();
  const auto state = static_cast<AttemptState>(table.state());
  report.state = state <= AttemptState::unreadable ? state : AttemptState::unknown;
  report.state_age_ms = table.state_age_ms();
  report.silent_ms = table.silent_ms();
  report.started_unix_ms = table.started_unix_ms();
  report.updated_unix_ms = table.updated_unix_ms();
  report.rate = std::isfinite(table.rate()) ? table.rate() : -1;
  report.events_lost = table.events_lost();
  report.age_ms = table.age_ms();
  report.born_dead = table.born_dead();
  return report;
}

Result<UplinkMessage> take_message(const fbs::Batch& table) {
  if (table.reports()->size() > kMaxReportsPerBatch) return corrupt("too many reports");
  Batch batch{table.session(), table.seq(), table.first_full(), table.last_full(), {}};
  for (const auto* row : *table.reports()) {
    auto report = take_report(*row);
    if (!report) return fail(report.error());
    batch.reports.push_back(std::move(*report));
  }
  return batch;
}

Result<UplinkMessage> take_message(const fbs::Ack& table) {
  Ack ack{table.session(), table.seq(), {}};
  if (table.refused() == nullptr) return ack;
  if (table.refused()->size() > kMaxListEntries) return corrupt("too many refusals");
  for (const auto* row : *table.refused()) {
    const auto code = static_cast<ReportCode>(row->code());
    ack.refused.push_back({id_of<SegmentId>(row->segment()), code});
  }
  return ack;
}

Result<UplinkMessage> take_message(const fbs::Desired& table) {
  Desired desired{table.session(), table.reset(), table.last(), {}};
  if (table.entries() == nullptr) return desired;
  if (table.entries()->size() > kMaxListEntries) return corrupt("too many entries");
  for (const auto* row : *table.entries()) {
    const auto action = static_cast<DesiredAction>(row->action());
    if (action > DesiredAction::forget) return corrupt("unknown action");
    desired.entries.push_back({id_of<SegmentId>(row->segment()), action});
  }
  return desired;
}

Result<UplinkMessage> take_message(const fbs::Ping& table) {
  return Ping{table.session(), table.at_ms(), table.busy()};
}

}  // namespace

std::string encode_uplink(const UplinkMessage& message) {
  FlatBufferBuilder builder(4096);
  std::visit([&builder](const auto& value) { put_message(builder, value); }, message);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

Result<UplinkMessage> decode_uplink(Bytes bytes) {
  if (bytes.size() < 8 || bytes.size() > kMaxFrameBytes) return corrupt("bad length");
  std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const auto* data = reinterpret_cast<const std::uint8_t*>(aligned.data());
  flatbuffers::Verifier verifier(data, bytes.size(), kMaxDepth, kMaxTables);
  if (!fbs::VerifyFrameBuffer(verifier)) return corrupt("does not verify");
  const auto& frame = *fbs::GetFrame(data);
  const int members = (frame.hello() != nullptr) + (frame.welcome() != nullptr) +
                      (frame.refuse() != nullptr) + (frame.batch() != nullptr) +
                      (frame.ack() != nullptr) + (frame.desired() != nullptr) +
                      (frame.ping() != nullptr);
  if (members != 1) return corrupt("not exactly one member");
  if (frame.hello() != nullptr) return take_message(*frame.hello());
  if (frame.welcome() != nullptr) return take_message(*frame.welcome());
  if (frame.refuse() != nullptr) return take_message(*frame.refuse());
  if (frame.batch() != nullptr) return take_message(*frame.batch());
  if (frame.ack() != nullptr) return take_message(*frame.ack());
  if (frame.desired() != nullptr) return take_message(*frame.desired());
  return take_message(*frame.ping());
}

std::size_t encoded_size_bound(const Report& report) {
  std::size_t bytes = kReportOverheadBytes + report.domain.size() + report.reason.size();
  if (report.identity) bytes += encode(*report.identity).size();
  if (report.sample) bytes += encode(*report.sample).size();
  if (report.terminal) bytes += encode(*report.terminal).size();
  for (const auto& event : report.events)
    bytes += event.text.size() + 64;
  return bytes;
}

std::vector<Batch> split_into_batches(std::uint64_t session, std::vector<Report> reports) {
  std::vector<Batch> batches;
  batches.push_back(Batch{session, 0, false, false, {}});
  std::size_t bytes = 0;
  for (auto& report : reports) {
    const std::size_t size = encoded_size_bound(report);
    const bool full = batches.back().reports.size() == kMaxReportsPerBatch ||
                      (bytes + size > kMaxBatchBytes && !batches.back().reports.empty());
    if (full) {
      batches.push_back(Batch{session, 0, false, false, {}});
      bytes = 0;
    }
    bytes += size;
    batches.back().reports.push_back(std::move(report));
  }
  return batches;
}

}  // namespace plimsoll
