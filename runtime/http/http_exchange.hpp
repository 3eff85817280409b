// http_exchange.hpp - one request and its answer, between the library and whoever answers.
// Owned by the server; a responder or a stream may refer to it, and whoever dies first tells the
// other.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/http/http_message.hpp"
#include "runtime/http/http_server.hpp"

struct MHD_Connection;

namespace plimsoll {

struct HttpExchange {
  enum class Stage {
    header,     // the request line is there
    receiving,  // the header is complete, the body is coming
    waiting,    // with the handler
    answered,   // `response` is set and waits for the library to ask for it
    queued,     // handed to the library
  };

  // What a server lends to each of its exchanges.
  struct Server {
    const HttpServerOptions& options;
    HttpCounters& counters;
    std::function<void()> request_run;  // a woken connection needs a run of the library
  };

  explicit HttpExchange(Server& of_server) : server(of_server) {}
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  void answer(HttpResponse with);
  void answer_error(int status, std::string_view message);
  void begin_stream(HttpResponse head);

  bool push(std::string_view bytes);
  std::size_t buffered() const { return buffer.size() - taken; }
  void end_stream();
  void abort_stream();
  // Moves up to `room` bytes out.
  std::size_t take(char* into, std::size_t room);

  // Parks the connection until wake(): a parked one costs nothing and is not polled by the library.
  void park();
  void wake();
  // The peer is gone: nobody will see an answer.
  void lose_peer();

  Server& server;
  MHD_Connection* connection = nullptr;
  int fd = -1;  // the library's
  Stage stage = Stage::header;
  std::string target;  // raw path and query
  std::string body;
  std::size_t body_received = 0;  // may exceed what is kept
  bool too_large = false;
  std::optional<HttpResponse> response;
  bool streaming = false;
  bool ended = false;   // no more pushes; send the rest
  bool broken = false;  // send nothing any more
  bool parked = false;
  std::string buffer;  // what is pushed and not yet taken begins at `taken`
  std::size_t taken = 0;
  HttpResponder* responder = nullptr;
  HttpStream* stream = nullptr;
};

}  // namespace plimsoll
