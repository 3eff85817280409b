// http_exchange.cpp - answers and streams as state; the library is only told to park and to go on.
#include "runtime/http/http_exchange.hpp"

#include <microhttpd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace plimsoll {
namespace {

// Taken bytes are cut off only when they are many: moving the rest costs more than keeping them.
constexpr std::size_t kCompactBytes = std::size_t{64} << 10U;

}  // namespace

HttpExchange::~HttpExchange() {
  if (responder != nullptr) responder->lose_exchange();
  if (stream != nullptr) stream->lose_exchange();
}

void HttpExchange::answer(HttpResponse with) {
  response = std::move(with);
  stage = Stage::answered;
  wake();
}

void HttpExchange::answer_error(int status, std::string_view message) {
  HttpResponse error;
  error.status = status;
  if (server.options.render_error) error.body = server.options.render_error(status, message);
  answer(std::move(error));
}

void HttpExchange::begin_stream(HttpResponse head) {
  streaming = true;
  buffer = std::exchange(head.body, {});
  answer(std::move(head));
}

bool HttpExchange::push(std::string_view bytes) {
  if (broken || ended) return false;
  if (buffered() + bytes.size() > server.options.limits.max_stream_buffered_bytes) {
    ++server.counters.streams_broken_off;
    abort_stream();
    return false;
  }
  buffer += bytes;
  wake();
  return true;
}

void HttpExchange::end_stream() {
  ended = true;
  wake();
}

// The library asks for bytes only when the peer takes some; a peer that does not needs the
// shutdown.
void HttpExchange::abort_stream() {
  broken = true;
  buffer.clear();
  taken = 0;
  (void)::shutdown(fd, SHUT_RDWR);
  wake();
}

std::size_t HttpExchange::take(char* into, std::size_t room) {
  const std::size_t count = std::min(room, buffered());
  if (count == 0) return 0;
  std::memcpy(into, buffer.data() + taken, count);
  taken += count;
  if (taken == buffer.size() || taken >= kCompactBytes) {
    buffer.erase(0, taken);
    taken = 0;
  }
  return count;
}

void HttpExchange::park() {
  parked = true;
  MHD_suspend_connection(connection);
}

// Resuming only flags the connection, and without threads of its own the library is not woken by
// it.
void HttpExchange::wake() {
  if (!std::exchange(parked, false)) return;
  MHD_resume_connection(connection);
  server.request_run();
}

void HttpExchange::lose_peer() {
  broken = true;
  if (responder != nullptr) std::exchange(responder, nullptr)->lose_exchange();
  if (stream != nullptr) std::exchange(stream, nullptr)->lose_exchange();
  wake();
}

}  // namespace plimsoll
