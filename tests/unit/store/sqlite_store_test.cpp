// sqlite_store_test.cpp - the file: modes, pragmas, locks, damage, disks that refuse, and kill -9.
#include <catch2/catch.hpp>

#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "controller/io/migrations.hpp"
#include "controller/io/sqlite_store.hpp"
#include "tests/support/child_process.hpp"
#include "tests/unit/runtime/temporary_directory.hpp"
#include "tests/unit/store/full_records.hpp"

using namespace plimsoll;
using namespace plimsoll::test;

namespace {

constexpr uid_t kNobody = 65534;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

ErrorCode open_error(const std::string& path) {
  const auto opened = SqliteStore::open(path);
  REQUIRE_FALSE(opened.has_value());
  INFO(opened.error().message);
  CHECK(opened.error().message.find(path) != std::string::npos);
  return opened.error().code;
}

// Runs SQL with a connection that knows none of our rules.
void raw_sql(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  REQUIRE(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(connection);
}

std::vector<StoreWrite> many_rows(int count) {
  std::vector<StoreWrite> writes;
  for (int n = 0; n < count; ++n) {
    writes.emplace_back(PutBackup{full_backup(n)});
    writes.emplace_back(PutUpload{full_upload(n, full_backup(n).uid)});
    writes.emplace_back(PutAttempt{full_attempt(n, full_upload(n, "").id)});
  }
  return writes;
}

void make_store(const std::string& path, int rows) {
  auto store = SqliteStore::open(path);
  REQUIRE(store.has_value());
  REQUIRE((*store)->commit(many_rows(rows)).has_value());
}

// Untouched whatever is wrong with it: the same bytes, and no new files beside it.
void check_refused_untouched(const TemporaryDirectory& directory, ErrorCode expected) {
  const auto path = directory / "controller.db";
  const auto before = bytes_of_file(path);
  CHECK(open_error(path) == expected);
  CHECK(info(expected).exit_code == 65);
  CHECK(bytes_of_file(path) == before);
}

}  // namespace

TEST_CASE("a new store belongs to its user alone and has WAL and no shared memory") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  auto store = SqliteStore::open(path);
  REQUIRE(store.has_value());
  REQUIRE((*store)->commit(many_rows(1)).has_value());
  for (const auto* name : {"controller.db", "controller.db-wal"}) {
    struct ::stat status {};
    REQUIRE(::stat((directory / name).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600U);
  }
  CHECK_FALSE(std::filesystem::exists(path + "-shm"));
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
}

TEST_CASE("what a start left behind before the store had its name is thrown away") {
  const TemporaryDirectory directory;
  write_file(directory / "controller.db.new", "half made");
  CHECK(SqliteStore::open(directory / "controller.db").has_value());
}

TEST_CASE("a second connection is refused, in this process and in another") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  auto store = SqliteStore::open(path);
  REQUIRE(store.has_value());
  SECTION("in this process") {
    const auto second = SqliteStore::open(path);
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == ErrorCode::address_in_use);
  }
  SECTION("in another") {
    const int code = run_in_child([&path] {
      const auto second = SqliteStore::open(path);
      return second ? 0 : info(second.error().code).exit_code;
    });
    CHECK(code == 69);
  }
  // The refused one must not have taken the lock away with it.
  const int again = run_in_child([&path] {
    const auto third = SqliteStore::open(path);
    return third ? 0 : info(third.error().code).exit_code;
  });
  CHECK(again == 69);
  CHECK((*store)->commit(many_rows(1)).has_value());
}

TEST_CASE("a file that is not ours is refused and left as it is") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  SECTION("empty") {
    write_file(path, "");
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
  SECTION("cut off in the header") {
    write_file(path, "SQLite format 3");
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
  SECTION("something else") {
    write_file(path, std::string(8192, 'x'));
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
  SECTION("a database of another application") {
    raw_sql(path, "CREATE TABLE t (x); PRAGMA application_id=7;");
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
  SECTION("only its write-ahead log is left") {
    write_file(path + "-wal", "log");
    CHECK(open_error(path) == ErrorCode::corrupt);
    CHECK_FALSE(std::filesystem::exists(path));
  }
}

TEST_CASE("a symlink or directory in the store's place is a matter of configuration") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  SECTION("symlink") {
    make_store(directory / "elsewhere.db", 1);
    std::filesystem::create_symlink(directory / "elsewhere.db", path);
    CHECK(open_error(path) == ErrorCode::config);
  }
  SECTION("directory") {
    std::filesystem::create_directory(path);
    CHECK(open_error(path) == ErrorCode::config);
  }
}

TEST_CASE("a damaged store is refused, not repaired") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  make_store(path, 200);
  auto bytes = bytes_of_file(path);
  SECTION("pages of noise") {
    for (std::size_t i = 8192; i < 16384; ++i)
      bytes[i] = static_cast<char>(i * 37);
    write_file(path, bytes);
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
  SECTION("cut off") {
    write_file(path, bytes.substr(0, bytes.size() / 2));
    check_refused_untouched(directory, ErrorCode::corrupt);
  }
}

TEST_CASE("a row no version of ours wrote is corrupt") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  make_store(path, 1);
  SECTION("a phase there is not") {
    raw_sql(path, "UPDATE backups SET phase = 99");
  }
  SECTION("timers that are no JSON") {
    raw_sql(path, "UPDATE uploads SET timers = '[{'");
  }
  SECTION("a segment that is no id") {
    raw_sql(path, "UPDATE attempts SET segment = 'x'");
  }
  auto store = SqliteStore::open(path);
  REQUIRE(store.has_value());
  const auto loaded = (*store)->load();
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == ErrorCode::corrupt);
}

TEST_CASE("a store of a newer version is refused and left as it is") {
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  make_store(path, 3);
  raw_sql(path, "PRAGMA user_version=" + std::to_string(newest_store_version() + 1));
  check_refused_untouched(directory, ErrorCode::unsupported);
}

TEST_CASE("every migration step leads from an empty file to the newest version") {
  const TemporaryDirectory directory;
  const auto path = directory / "m.db";
  write_file(path, "");
  auto connection = SqliteConnection::open(path);
  REQUIRE(connection.has_value());
  REQUIRE(migrate(*connection).has_value());
  CHECK(connection->query_integer("PRAGMA user_version").value() == newest_store_version());
  CHECK(migrate(*connection).has_value());  // nothing left to do
  CHECK(connection
            ->query_integer("SELECT count(*) FROM sqlite_schema WHERE type='table' AND "
                            "name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%STRICT%'")
            .value() == 0);
}

TEST_CASE("a migration that breaks off leaves the version before it") {
  const TemporaryDirectory directory;
  const auto path = directory / "m.db";
  write_file(path, "");
  auto connection = SqliteConnection::open(path);
  REQUIRE(connection.has_value());
  REQUIRE(connection->execute("CREATE TABLE tombstones (in_the_way)").has_value());
  CHECK_FALSE(migrate(*connection).has_value());
  CHECK(connection->query_integer("PRAGMA user_version").value() == 0);
  CHECK(connection->query_integer("SELECT count(*) FROM sqlite_schema").value() == 1);
}

TEST_CASE("a store that may only be read is refused with permission") {
  if (skip_without(::geteuid() == 0, "root, to become somebody who may not write")) return;
  const TemporaryDirectory directory;
  const auto path = directory / "controller.db";
  make_store(path, 1);
  REQUIRE(::chmod(directory.path().c_str(), 0755) == 0);
  REQUIRE(::chmod(path.c_str(), 0444) == 0);
  const auto as_nobody = [](const std::string& file) {
    return run_in_child([&file] {
      if (::setuid(kNobody) != 0) return 1;
      const auto opened = SqliteStore::open(file);
      return opened ? 0 : info(opened.error().code).exit_code;
    });
  };
  CHECK(as_nobody(path) == 77);
  CHECK(as_nobody(directory / "new.db") == 77);  // nor may it be made
}

TEST_CASE("a full disk refuses a commit whole, and takes it once there is room") {
  const TemporaryDirectory directory;
  const bool mounted = ::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=1m") == 0;
  if (skip_without(mounted, "root and mount(2), for a small disk")) return;
  {
    auto store = SqliteStore::open(directory / "controller.db");
    REQUIRE(store.has_value());
    REQUIRE((*store)->commit(many_rows(3)).has_value());
    const auto before = text_of((*store)->load().value());
    write_file(directory / "ballast", std::string(500'000, 'b'));

    const auto full = (*store)->commit(many_rows(2000));
    REQUIRE_FALSE(full.has_value());
    CHECK(full.error().code == ErrorCode::no_space);
    CHECK(text_of((*store)->load().value()) == before);

    std::filesystem::remove(directory / "ballast");
    CHECK((*store)->commit(many_rows(5)).has_value());
    CHECK((*store)->load().value().backups.size() == 5);
  }
  CHECK(::umount(directory.path().c_str()) == 0);
}

namespace {

// Commits one node after the other and says so after each; never ends by itself.
[[noreturn]] void commit_for_ever(const std::string& path, int acked_fd) {
  auto store = SqliteStore::open(path);
  if (!store) ::_exit(1);
  for (int n = 0;; ++n) {
    const std::vector<StoreWrite> writes = {PutNode{full_node(n)}, PutBackup{full_backup(n)}};
    if (!(*store)->commit(writes)) ::_exit(2);
    const char acked = '.';
    if (::write(acked_fd, &acked, 1) != 1) ::_exit(3);
  }
}

// Kills the writer after `acks` acknowledged commits; gives how many it had acknowledged by then.
std::size_t kill_after(const std::string& path, std::size_t acks) {
  int pipe_fds[2];
  REQUIRE(::pipe(pipe_fds) == 0);
  const pid_t child = ::fork();
  if (child == 0) commit_for_ever(path, pipe_fds[1]);
  ::close(pipe_fds[1]);
  std::size_t acked = 0;
  char buffer[64];
  while (acked < acks) {
    const auto got = ::read(pipe_fds[0], buffer, 1);
    REQUIRE(got == 1);
    ++acked;
  }
  ::kill(child, SIGKILL);
  for (ssize_t got = 0; (got = ::read(pipe_fds[0], buffer, sizeof buffer)) > 0;)
    acked += static_cast<std::size_t>(got);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  ::close(pipe_fds[0]);
  return acked;
}

}  // namespace

TEST_CASE("every acknowledged commit survives kill -9, and no half of another") {
  for (std::size_t round = 0; round < 25; ++round) {
    const TemporaryDirectory directory;
    const auto path = directory / "controller.db";
    const auto acked = kill_after(path, 1 + round * 3);
    auto store = SqliteStore::open(path);
    REQUIRE(store.has_value());
    const auto loaded = (*store)->load().value();
    INFO("round " << round);
    CHECK(loaded.nodes.size() >= acked);
    CHECK(loaded.nodes.size() <= acked + 1);
    CHECK(loaded.backups.size() == loaded.nodes.size());
  }
}
