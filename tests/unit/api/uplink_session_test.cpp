// uplink_session_test.cpp - a scripted agent against the whole controller: sessions, acks after
// commits only.
#include <catch2/catch.hpp>

#include "schemas/uplink_codec.hpp"
#include "tests/unit/api/controller_rig.hpp"
#include "tests/unit/runtime/http_rig.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

class ScriptedAgent {
 public:
  explicit ScriptedAgent(ControllerRig& rig) : rig_(rig), client_(rig.config.uplink.path) {}

  void say(const UplinkMessage& message) const {
    REQUIRE(client_.send(frame(encode_uplink(message))));
  }
  std::uint64_t begin_session(const std::string& node = "node-a") {
    Hello hello;
    hello.node = node;
    hello.boot = BootId{1, 1};
    hello.agent = AgentId{2, 2};
    say(hello);
    session = expect<Welcome>().session;
    return session;
  }
  // The next message of that kind; what comes before it is passed over.
  template <typename Message>
  Message expect() {
    std::optional<Message> wanted;
    REQUIRE(rig_.until([&] {
      read();
      while (!wanted && !messages_.empty()) {
        if (const auto* found = std::get_if<Message>(&messages_.front())) wanted = *found;
        messages_.erase(messages_.begin());
      }
      return wanted.has_value();
    }));
    return *wanted;
  }
  bool closed() {
    return rig_.until([&] { return client_.closed_by_peer(); });
  }
  template <typename Message>
  bool has_heard() {
    read();
    for (const auto& message : messages_)
      if (std::holds_alternative<Message>(message)) return true;
    return false;
  }
  std::uint64_t session = 0;

 private:
  void read() {
    (void)client_.has("\n never there \n");
    decoder_.push(client_.received().substr(decoded_));
    decoded_ = client_.received().size();
    while (true) {
      auto table = decoder_.next();
      REQUIRE(table.has_value());
      if (!*table) return;
      auto message = decode_uplink(bytes_of_text(**table));
      REQUIRE(message.has_value());
      messages_.push_back(std::move(*message));
    }
  }

  ControllerRig& rig_;
  RawClient client_;
  FrameDecoder decoder_;
  std::size_t decoded_ = 0;
  std::vector<UplinkMessage> messages_;
};

Report report_of(std::uint64_t segment) {
  Report report;
  report.segment = SegmentId{segment, 9};
  report.identity = Identity{};
  report.identity->backup = "nightly";
  report.identity->item = "paths/srv";
  report.identity->tool = "restic";
  report.domain = "default";
  report.state = AttemptState::running;
  report.seq = 1;
  report.sample = Sample{};
  report.sample->completed = 40;
  report.sample->total = 100;
  report.events = {{Severity::info, "began", 1'700'000'000'000}};
  return report;
}

Batch batch_of(std::uint64_t session, std::uint64_t seq, const Report& report) {
  Batch batch;
  batch.session = session;
  batch.seq = seq;
  batch.first_full = seq == 1;
  batch.last_full = seq == 1;
  batch.reports = {report};
  return batch;
}

void make_backup(ControllerRig& rig) {
  rig.done("POST", "/v1/backups",
           R"({"metadata":{"name":"nightly"},"spec":{"items":[{"item":"paths/srv"}]}})");
}

}  // namespace

TEST_CASE("a report is acknowledged once it is in the store, and shown with its history") {
  ControllerRig rig;
  make_backup(rig);
  ScriptedAgent agent(rig);
  agent.begin_session();
  agent.say(batch_of(agent.session, 1, report_of(7)));
  const auto ack = agent.expect<Ack>();
  CHECK(ack.seq == 1);
  CHECK(ack.refused.empty());
  REQUIRE(rig.disk.attempts.size() == 1);
  const auto uploads = rig.get("/v1/uploads").body["items"];
  REQUIRE(uploads.size() == 1);
  CHECK(uploads[0]["status"]["state"] == "Running");
  CHECK(uploads[0]["status"]["itemsCompleted"] == 40);
  CHECK(uploads[0]["status"]["percent"] == 40.0);
  CHECK(uploads[0]["status"]["node"] == "node-a");
  CHECK_FALSE(uploads[0]["status"].contains("history"));
  const auto one = rig.get("/v1/uploads/" + uploads[0]["metadata"]["id"].get<std::string>());
  REQUIRE(one.body["status"]["history"].size() == 1);
  CHECK(one.body["status"]["history"][0]["text"] == "began");
  const auto nodes = rig.get("/v1/nodes").body["items"];
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0]["metadata"]["name"] == "node-a");
  CHECK(nodes[0]["status"]["session"] == agent.session);
}

TEST_CASE("nothing is acknowledged while the store fails; the agent is told that it is busy") {
  ControllerRig rig;
  make_backup(rig);
  ScriptedAgent agent(rig);
  agent.begin_session();
  rig.store->fail_commits(Error{ErrorCode::no_space, "full", "", ""});
  auto report = report_of(7);
  report.state = AttemptState::ended;
  report.terminal = Terminal{Outcome::durable, "", false, "snap", 100, 100, 0, 0, 1};
  agent.say(batch_of(agent.session, 1, report));
  while (!agent.expect<Ping>().busy) {
  }
  CHECK_FALSE(agent.has_heard<Ack>());
  CHECK(rig.disk.attempts.empty());
  rig.store->fail_commits(std::nullopt);
  CHECK(agent.expect<Ack>().seq == 1);
  CHECK(rig.disk.attempts.size() == 1);
}

TEST_CASE("a newer session of a node fences the older one") {
  ControllerRig rig;
  ScriptedAgent old_agent(rig);
  const auto old_session = old_agent.begin_session();
  ScriptedAgent new_agent(rig);
  CHECK(new_agent.begin_session() > old_session);
  CHECK(old_agent.expect<Refuse>().code == RefuseCode::fenced);
  CHECK(old_agent.closed());
}

TEST_CASE("a batch of another session changes nothing and closes") {
  ControllerRig rig;
  make_backup(rig);
  ScriptedAgent agent(rig);
  agent.begin_session();
  agent.say(batch_of(agent.session + 1, 1, report_of(7)));
  CHECK(agent.closed());
  CHECK(rig.disk.attempts.empty());
}

TEST_CASE("sessions go on counting after a restart, and another node is refused") {
  ControllerRig rig;
  std::uint64_t first = 0;
  {
    ScriptedAgent agent(rig);
    first = agent.begin_session();
  }
  rig.restart();
  ScriptedAgent agent(rig);
  CHECK(agent.begin_session() > first);
  ScriptedAgent stranger(rig);
  Hello hello;
  hello.node = "node-b";
  stranger.say(hello);
  CHECK(stranger.expect<Refuse>().code == RefuseCode::node);
}

TEST_CASE("a cancel reaches the agent as a desired state, again in each session") {
  ControllerRig rig;
  make_backup(rig);
  {
    ScriptedAgent agent(rig);
    agent.begin_session();
    agent.say(batch_of(agent.session, 1, report_of(7)));
    (void)agent.expect<Ack>();
    const auto id = rig.disk.uploads.begin()->first;
    CHECK(rig.call("POST", "/v1/uploads/" + id + ":cancel").status == 202);
    while (true) {
      const auto desired = agent.expect<Desired>();
      if (desired.entries.empty()) continue;
      CHECK(desired.entries[0].segment == SegmentId{7, 9});
      CHECK(desired.entries[0].action == DesiredAction::cancel);
      break;
    }
  }
  rig.restart();
  ScriptedAgent agent(rig);
  agent.begin_session();
  agent.say(batch_of(agent.session, 1, report_of(7)));
  std::vector<DesiredEntry> wanted;
  while (wanted.empty())
    wanted = agent.expect<Desired>().entries;
  CHECK(wanted[0].action == DesiredAction::cancel);
}
