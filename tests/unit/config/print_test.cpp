// print_test.cpp - --print-config prints text that loads again to the same configuration.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "config/load.hpp"
#include "tests/unit/config/temp_dir.hpp"

using namespace plimsoll;
using test::plain_environment;

namespace {

milliseconds any_ms(std::int64_t low, std::int64_t high) {
  return milliseconds(*rc::gen::inRange<std::int64_t>(low, high + 1));
}

std::uint32_t any_number(std::uint32_t low, std::uint32_t high) {
  return *rc::gen::inRange<std::uint32_t>(low, high + 1);
}

std::string any_of(const std::string& alphabet, std::size_t min, std::size_t max) {
  const auto size = *rc::gen::inRange<std::size_t>(min, max + 1);
  return *rc::gen::container<std::string>(size, rc::gen::elementOf(alphabet));
}

std::string any_path() {
  return "/" + any_of("abz09/. _-:#'\"*&!{[%@`~\\", 1, 40) + "x";
}
std::string any_name() {
  return any_of("abcnosyz09._-", 1, 12);
}

template <typename T>
std::vector<T> several(T (*make)()) {
  std::vector<T> values(*rc::gen::inRange<std::size_t>(0, 4));
  for (auto& value : values)
    value = make();
  return values;
}

uid_t any_uid() {
  return *rc::gen::inRange<uid_t>(0, 100000);
}
std::string any_glob() {
  return any_of("ab*?[]#:,' /-", 1, 10);
}

std::vector<uid_t> unique_uids() {
  auto values = several(any_uid);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

SocketConfig any_socket(const std::string& path) {
  return {path, *rc::gen::arbitrary<bool>() ? any_name() : "", {unique_uids(), several(any_name)}};
}

SegmentsConfig any_segments() {
  SegmentsConfig segments{any_name(), any_path(), *rc::gen::arbitrary<bool>(), {}};
  segments.allow = {unique_uids(), several(any_name), several(any_glob), several(any_glob)};
  return segments;
}

AgentConfig any_agent() {
  AgentConfig config;
  config.node = any_name();
  config.run_dir = any_path();
  config.segments = several(any_segments);
  config.segments.push_back(any_segments());
  for (std::size_t i = 0; i < config.segments.size(); ++i) {
    config.segments[i].name += std::to_string(i) + "_";
    config.segments[i].directory += std::to_string(i) + "_";
  }
  config.socket = any_socket("/s" + any_path());
  config.controller = *rc::gen::arbitrary<bool>() ? "none" : "/c" + any_path();
  config.sweep = any_ms(100, 60000);
  config.rescan = any_ms(60000, 3600000);
  config.lost_after = any_ms(2000, 1000000);
  config.keep_finished = any_ms(0, 1) * 5000;
  config.limits.total = any_number(1, 65536);
  config.metrics.listen = *rc::gen::arbitrary<bool>() ? "[::1]:80" : "";
  config.log.level = *rc::gen::element<std::string>("trace", "warn", "error");
  return config;
}

TrackerConfig any_tracker() {
  return {any_name(), "unix:/" + any_name(), any_ms(100, 60000), 7};
}

ControllerConfig any_controller(const Environment& env) {
  ControllerConfig config;
  config.node = env.node_name;
  config.run_dir = "/run/plimsoll";
  config.state_dir = "/var/lib/plimsoll";
  config.socket = any_socket("/s" + any_path());
  config.uplink = {"/u" + any_path(), "", unique_uids(), *rc::gen::arbitrary<bool>()};
  config.store_sqlite = any_path();
  config.trackers = several(any_tracker);
  for (std::size_t i = 0; i < config.trackers.size(); ++i)
    config.trackers[i].name += std::to_string(i) + "_";
  config.report_every = any_ms(100, 60000);
  config.upload_timeout = any_ms(0, 1) * 1000;
  config.cancel_timeout = any_ms(25000, 3600000);
  config.limits.nodes = any_number(1, 10000);
  config.export_dir = *rc::gen::arbitrary<bool>() ? any_path() : "";
  config.page_listen = *rc::gen::arbitrary<bool>() ? "localhost:8080" : "";
  return config;
}

}  // namespace

TEST_CASE("a printed agent configuration loads again to the same") {
  const auto env = plain_environment();
  CHECK(rc::check("agent round trip", [&] {
    const auto config = any_agent();
    const auto again = parse_agent_config({"printed", print_config(config)}, {}, env);
    if (!again) RC_FAIL(again.error().message);
    RC_ASSERT(*again == config);
  }));
}

TEST_CASE("a printed controller configuration loads again to the same") {
  const auto env = plain_environment();
  CHECK(rc::check("controller round trip", [&] {
    const auto config = any_controller(env);
    const auto again = parse_controller_config({"printed", print_config(config)}, {}, env);
    if (!again) RC_FAIL(again.error().message);
    RC_ASSERT(*again == config);
  }));
}

TEST_CASE("the printed default has every key and is stable") {
  const auto env = plain_environment();
  const auto config = load_agent_config({}, env);
  REQUIRE(config.has_value());
  const auto text = print_config(*config);
  CHECK(text.find("segments:\n  - name: default\n    directory: /run/plimsoll/segments\n") !=
        std::string::npos);
  CHECK(text.find("\nsweep: 1s\n") != std::string::npos);
  CHECK(print_config(*parse_agent_config({"p", text}, {}, env)) == text);
}
