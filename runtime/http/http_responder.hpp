// http_responder.hpp - the right to answer one request, now or later. Loop thread only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/http/http_message.hpp"

namespace plimsoll {

struct HttpExchange;

// The open end of an answer of unknown length (chunked). Move-only. Destroying it without end()
// breaks the connection off; the peer, or the server, going away first is safe.
class HttpStream {
 public:
  HttpStream() = default;  // closed
  HttpStream(HttpStream&& other) noexcept;
  HttpStream& operator=(HttpStream&& other) noexcept;
  ~HttpStream();

  // Queues bytes for the peer. False = closed, or more than HttpLimits::max_stream_buffered_bytes
  // would wait (then the stream is broken off).
  bool push(std::string_view bytes);
  // What the peer has not taken yet (its own socket buffer not counted).
  std::size_t buffered_bytes() const;
  // The peer has gone, or the server has. Noticed within about a second.
  bool closed() const;
  // Sends what is queued, then ends the answer properly. The stream is then closed() for the
  // caller.
  void end();
  // Breaks off at once; what is queued is lost.
  void abort();

  // For the server only.
  explicit HttpStream(HttpExchange* exchange);
  void lose_exchange() { exchange_ = nullptr; }

 private:
  HttpExchange* exchange_ = nullptr;  // points back here; whoever dies first tells the other
};

// Exactly one answer: send() or stream(), then it is spent. Move-only; may be kept as long as
// wanted (the peer going away meanwhile is safe). Destroyed unspent, it answers 500.
class HttpResponder {
 public:
  HttpResponder() = default;  // spent
  HttpResponder(HttpResponder&& other) noexcept;
  HttpResponder& operator=(HttpResponder&& other) noexcept;
  ~HttpResponder();

  // An answer to a spent responder or a gone peer is dropped silently.
  void send(HttpResponse response);
  // Status, type and headers go out at once; `head.body` is the first piece pushed.
  HttpStream stream(HttpResponse head);
  // False: spent, or the peer has gone and nobody will see an answer.
  bool waiting() const { return exchange_ != nullptr; }

  // For the server only.
  explicit HttpResponder(HttpExchange* exchange);
  void lose_exchange() { exchange_ = nullptr; }

 private:
  HttpExchange* exchange_ = nullptr;  // points back here; whoever dies first tells the other
};

}  // namespace plimsoll
