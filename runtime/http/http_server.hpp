// http_server.hpp - HTTP/1.1 on one listening socket, inside the loop. Knows nothing of what is
// served. Every request is read whole (bounded) before the handler sees it; slow senders are cut
// off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/http/http_message.hpp"
#include "runtime/http/http_responder.hpp"
#include "runtime/unique_fd.hpp"
#include "schemas/result.hpp"
#include "schemas/time.hpp"

namespace plimsoll {

class Loop;

struct HttpLimits {
  std::size_t max_body_bytes = std::size_t{1} << 20U;  // above: 413
  unsigned max_connections = 128;         // above: left in the backlog until one closes
  unsigned max_connections_per_uid = 16;  // above: 429 and closed; Unix sockets only
  milliseconds header_deadline{2'000};    // of a new connection, to its first whole header
  milliseconds request_deadline{5'000};   // from the header to the end of the body
  milliseconds idle_deadline{60'000};     // between requests, and of a reader that stops
  std::size_t max_stream_buffered_bytes = std::size_t{4} << 20U;  // above: the stream is broken off
};

// What was hit since start; for metrics.
struct HttpCounters {
  std::uint64_t requests = 0;
  std::uint64_t refused_per_uid = 0;
  std::uint64_t too_large = 0;
  std::uint64_t too_slow = 0;
  std::uint64_t bad_query = 0;
  std::uint64_t streams_broken_off = 0;
};

struct HttpServerOptions {
  HttpLimits limits;
  // Loop thread; must not throw and must not destroy the server. Answers through the responder,
  // inside the call or later. HEAD arrives as "HEAD"; the body of its answer is left out by the
  // server.
  std::function<void(HttpRequest, HttpResponder)> handler;
  // Body of the answers the server gives by itself (400, 413, 429, 500, 503).
  std::function<std::string(int status, std::string_view message)> render_error;
};

class HttpServer {
 public:
  // Takes a listening socket (Unix or TCP). `loop` must outlive the server.
  static Result<HttpServer> start(Loop& loop, UniqueFd listening, HttpServerOptions options);
  HttpServer(HttpServer&&) noexcept;
  HttpServer& operator=(HttpServer&&) noexcept;
  // Answers what waits with 503, ends streams after what they hold, as far as peers take it now.
  ~HttpServer();

  std::size_t connections() const;
  const HttpCounters& counters() const;

  struct State;

 private:
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll
