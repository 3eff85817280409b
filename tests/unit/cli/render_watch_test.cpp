// render_watch_test.cpp - golden pictures of `plimsoll watch`, and laws that hold at every size.
#include "cli/render_watch.hpp"

#include <rapidcheck/catch.h>
#include <catch2/catch.hpp>

#include "golden.hpp"
#include "rows.hpp"

using namespace plimsoll;
using namespace plimsoll::cli;

namespace {

WatchFrame sample_frame() {
  return {{sample_backup()}, sample_uploads(), "controller", "", false};
}

std::string picture(std::size_t width, std::size_t height, bool utf8 = false) {
  return text_of(render_watch(sample_frame(), {{width, height, utf8, false}, noon(), true}));
}

}  // namespace

TEST_CASE("watch at 100 columns") {
  const auto text = picture(100, 30);
  CHECK(text == golden("watch-100", text));
}

TEST_CASE("watch at 80 columns") {
  const auto text = picture(80, 30);
  CHECK(text == golden("watch-80", text));
}

TEST_CASE("watch at 60 columns") {
  const auto text = picture(60, 30);
  CHECK(text == golden("watch-60", text));
}

TEST_CASE("watch at 40 columns, with eighth blocks") {
  const auto text = picture(40, 30, true);
  CHECK(text == golden("watch-40", text));
}

TEST_CASE("a low terminal counts what is finished instead of listing it") {
  const auto text = picture(80, 12);
  CHECK(text == golden("watch-low", text));
}

TEST_CASE("a lost connection is told in the header and numbers stay") {
  auto frame = sample_frame();
  frame.trouble = "controller not answering for 14s";
  const auto text = text_of(render_watch(frame, {{100, 30, false, false}, noon(), false}));
  CHECK(text.find("controller not answering for 14s") != text.npos);
  CHECK(text.find("515/1024 GiB") != text.npos);
}

TEST_CASE("rows of a node that is not heard are called late, without alarm") {
  auto frame = sample_frame();
  frame.uploads[1].freshness = {Freshness::unreachable, 14};
  const auto lines = render_watch(frame, {{100, 30, false, false}, noon(), false});
  const auto text = text_of(lines);
  CHECK(text.find("node-c unreachable for 14s") != text.npos);
  CHECK(text.find("> late") != text.npos);
  CHECK(text.find("50.2%") != text.npos);
}

TEST_CASE("no frame is ever wider or higher than the screen, and no unknown is shown as a number") {
  rc::prop("fits", [](std::uint8_t width_seed, std::uint8_t height_seed, bool utf8, bool several) {
    const std::size_t width = 20 + width_seed % 140, height = 3 + height_seed % 50;
    auto frame = sample_frame();
    if (several) frame.backups.push_back(sample_backup());
    for (int i = 0; i < height_seed % 40; ++i)
      frame.uploads.push_back(sample_uploads()[3]);
    frame.uploads[0].item = "persistentvolumeclaims/日本語/" + std::string(300, 'x');
    const auto lines = render_watch(frame, {{width, height, utf8, true}, noon(), true});
    RC_ASSERT(lines.size() <= height);
    for (const auto& line : lines)
      RC_ASSERT(display_width(line) <= width);
  });
}

TEST_CASE("with nothing to show, watch says how to begin") {
  const WatchFrame empty{{}, {}, "controller", "", false};
  const auto text = text_of(render_watch(empty, {{80, 24, false, false}, noon(), true}));
  CHECK(text.find("nothing is being uploaded") != text.npos);
}
