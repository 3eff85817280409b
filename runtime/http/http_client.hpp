// http_client.hpp - blocking HTTP over a Unix socket, for commands. Never used inside a loop.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

struct HttpCall {
  std::string socket;  // path of the Unix socket
  std::string method = "GET";
  std::string path = "/";        // with query, already percent-encoded
  std::string body;              // sent as application/json unless empty
  milliseconds timeout{30'000};  // for the whole call; 0 = none. For http_lines: of silence
  milliseconds connect_timeout{5'000};
  // Asked about once a second while waiting; false ends the call with ErrorCode::closed. May be
  // empty.
  std::function<bool()> keep_going;
  // If set: who must be at the other end besides root, else ErrorCode::forbidden.
  std::optional<uid_t> server_uid;
};

struct HttpReply {
  int status = 0;
  std::string body;  // at most kMaxReplyBytes, else ErrorCode::limit
  std::string content_type;
};

inline constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20U;
inline constexpr std::size_t kMaxReplyLineBytes = std::size_t{4} << 20U;

// Any status is a reply. unreachable: nobody answers at the socket (the hint says what to do);
// permission: the socket may not be opened; timeout; limit; io: broken off in the middle.
Result<HttpReply> http_call(const HttpCall& call);

// As http_call, but a 2xx body goes to `on_line` line by line (without the newline) as it comes;
// false ends the call, which is no error. Any other status: the body is in the reply and on_line is
// not called. `timeout` is the longest silence allowed.
Result<HttpReply> http_lines(const HttpCall& call,
                             const std::function<bool(std::string_view line)>& on_line);

}  // namespace plimsoll
