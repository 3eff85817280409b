// client.hpp - the daemons' HTTP API from the caller's side: documents in, errors as the server
// words them. Blocking. No retries: the command decides whether trying again makes sense.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll::cli {

enum class Daemon { controller, agent };

[[nodiscard]] constexpr std::string_view word(Daemon daemon) {
  return daemon == Daemon::controller ? "controller" : "agent";
}

struct Endpoint {
  Daemon daemon = Daemon::controller;
  std::string socket;
};

// What a non-2xx answer means. The server's own words where it sent an Error document; escaped.
[[nodiscard]] Error error_of_reply(int status, std::string_view body, Daemon daemon);

// Any JSON up to the HTTP client's own bound; at most 32 levels deep.
[[nodiscard]] Result<nlohmann::json> parse_reply(std::string_view body, Daemon daemon);

struct Request {
  std::string method = "GET";
  std::string path;  // encoded already, with query
  std::optional<nlohmann::json> body;
};

struct Answer {
  int status = 0;           // 200…299
  nlohmann::json document;  // null if there is none
};

// One line of a watch: "ADDED", "MODIFIED", "DELETED" or "BOOKMARK", and its object.
struct WatchEvent {
  std::string type;
  nlohmann::json object;
};

struct Follow {
  std::string path;                      // encoded, with watch=1
  std::function<bool(WatchEvent)> take;  // false ends it
  std::function<bool()> keep_going;      // asked about once a second; false ends it
};

class Client {
 public:
  Client(Endpoint endpoint, milliseconds timeout);  // `timeout` of one call; 0 = none

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] bool is_agent() const { return endpoint_.daemon == Daemon::agent; }
  [[nodiscard]] Client with_timeout(milliseconds timeout) const {
    return Client(endpoint_, timeout);
  }

  // Any status but 2xx is an Error.
  [[nodiscard]] Result<Answer> send(const Request& request) const;
  // The same for those who need only the document (null if there is none).
  [[nodiscard]] Result<nlohmann::json> call(const Request& request) const;
  [[nodiscard]] Result<nlohmann::json> get(const std::string& path) const;

  // Every page's items, at the server's own page size. `path` with its query.
  [[nodiscard]] Result<std::vector<nlohmann::json>> list(const std::string& path) const;

  // Until take or keep_going say so, or the server closes: all no errors. timeout = 35 s of silence
  // (the server speaks every 15).
  [[nodiscard]] Result<void> follow(const Follow& follow) const;

 private:
  Endpoint endpoint_;
  milliseconds timeout_;
};

// "/v1/backups/NAME" with everything encoded that needs it.
[[nodiscard]] std::string backup_path(std::string_view name);
[[nodiscard]] std::string upload_path(std::string_view id);
// "path?key=value" or "path&key=value"; nothing is added for an empty value.
[[nodiscard]] std::string with_query(std::string path, std::string_view key,
                                     std::string_view value);

}  // namespace plimsoll::cli
