// http_server.cpp - libmicrohttpd driven by the loop: its epoll descriptor is watched, its timeouts
// are timers, its callbacks end in an HttpExchange. The order of calls is what the library asks
// for.
#include "runtime/http/http_server.hpp"

#include <microhttpd.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "runtime/errno_error.hpp"
#include "runtime/fd_watch.hpp"
#include "runtime/http/http_connections.hpp"
#include "runtime/http/http_exchange.hpp"
#include "runtime/loop.hpp"
#include "runtime/timer.hpp"

namespace plimsoll {
namespace {

constexpr std::size_t kConnectionMemoryBytes = std::size_t{16} << 10U;  // also bounds the header
constexpr std::size_t kStreamBlockBytes = std::size_t{8} << 10U;
// A sender past the body's limit is listened to a while, so that it reads the 413; then cut off.
constexpr std::size_t kSwallowFactor = 8;
constexpr milliseconds kLongestSweep{500};  // how late a deadline or a gone reader may be noticed
constexpr int kRunsToFlush = 3;             // of the library, before it is stopped

int fd_of(MHD_Connection* connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

// Path and query reach us as they were sent: the library's decoder would cut them at %00.
std::size_t leave_alone(void*, MHD_Connection*, char* text) {
  return std::strlen(text);
}

MHD_Result add_header(void* into, MHD_ValueKind, const char* key, const char* value) {
  static_cast<HttpHeaders*>(into)->emplace_back(key, value == nullptr ? "" : value);
  return MHD_YES;
}

MHD_ContentReaderCallback reader_of_stream() {
  return [](void* cls, std::uint64_t, char* into, std::size_t room) -> ssize_t {
    auto& exchange = *static_cast<HttpExchange*>(cls);
    if (exchange.broken) return MHD_CONTENT_READER_END_WITH_ERROR;
    if (const std::size_t taken = exchange.take(into, room); taken > 0)
      return static_cast<ssize_t>(taken);
    if (exchange.ended) return MHD_CONTENT_READER_END_OF_STREAM;
    exchange.park();  // before returning 0, else the library asks again at once
    return 0;
  };
}

MHD_Result queue_response(HttpExchange& exchange) {
  HttpResponse& answer = *exchange.response;
  exchange.stage = HttpExchange::Stage::queued;
  // The exchange, and with it the body, outlives the library's response.
  MHD_Response* response =
      exchange.streaming ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, kStreamBlockBytes,
                                                             reader_of_stream(), &exchange, nullptr)
                         : MHD_create_response_from_buffer(answer.body.size(), answer.body.data(),
                                                           MHD_RESPMEM_PERSISTENT);
  if (response == nullptr) return MHD_NO;
  if (!answer.content_type.empty())
    (void)MHD_add_response_header(response, "Content-Type", answer.content_type.c_str());
  for (const auto& [name, value] : answer.headers)
    (void)MHD_add_response_header(response, name.c_str(), value.c_str());  // refuses line breaks
  const MHD_Result queued =
      MHD_queue_response(exchange.connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

// Refused while accepting, before anything is read: the library has no answer for that.
void refuse(int fd, const std::string& body) {
  const std::string answer =
      "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\n"
      "Content-Type: application/json\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  (void)::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)::shutdown(fd, SHUT_RDWR);
}

}  // namespace

struct HttpServer::State {
  State(Loop& on_loop, HttpServerOptions with)
      : loop(on_loop), options(std::move(with)), connections(options.limits) {
    lent.request_run = [this] { request_run(); };
  }
  ~State();

  Result<void> open(UniqueFd listening);
  Result<void> attach();
  void run();
  void request_run();
  void sweep();
  void drop_gone_readers();

  MHD_Result on_request(MHD_Connection* connection, const char* method, HttpExchange& exchange);
  MHD_Result on_body(HttpExchange& exchange, std::string_view bytes);
  MHD_Result on_complete(HttpExchange& exchange, const char* method);
  void dispatch(HttpExchange& exchange, const char* method);
  void on_connected(MHD_Connection* connection);
  void on_disconnected(MHD_Connection* connection);
  HttpExchange* new_exchange(MHD_Connection* connection, const char* target);

  Loop& loop;
  HttpServerOptions options;
  HttpConnections connections;
  HttpCounters counters;
  HttpExchange::Server lent{options, counters, {}};
  std::map<HttpExchange*, std::unique_ptr<HttpExchange>> exchanges;
  MHD_Daemon* daemon = nullptr;
  FdWatch watch;
  Timer next_run;
  Timer next_sweep;
  bool running = false;
  bool run_again = false;
  bool stopping = false;
};

namespace {

using State = HttpServer::State;

void* on_target(void* cls, const char* target, MHD_Connection* connection) {
  return static_cast<State*>(cls)->new_exchange(connection, target);
}

MHD_Result on_access(void* cls, MHD_Connection* connection, const char*, const char* method,
                     const char*, const char* bytes, std::size_t* size, void** slot) {
  auto& server = *static_cast<State*>(cls);
  auto* exchange = static_cast<HttpExchange*>(*slot);
  if (exchange == nullptr) return MHD_NO;
  if (exchange->stage == HttpExchange::Stage::header)
    return server.on_request(connection, method, *exchange);
  if (*size > 0) {
    const std::string_view piece(bytes, *size);
    *size = 0;  // all taken
    return server.on_body(*exchange, piece);
  }
  return server.on_complete(*exchange, method);
}

void on_completed(void* cls, MHD_Connection* connection, void** slot, MHD_RequestTerminationCode) {
  auto& server = *static_cast<State*>(cls);
  server.exchanges.erase(static_cast<HttpExchange*>(std::exchange(*slot, nullptr)));
  server.connections.idle(connection, server.loop.wake_time());
}

void on_connection(void* cls, MHD_Connection* connection, void**,
                   MHD_ConnectionNotificationCode code) {
  auto& server = *static_cast<State*>(cls);
  if (code == MHD_CONNECTION_NOTIFY_STARTED)
    server.on_connected(connection);
  else
    server.on_disconnected(connection);
}

}  // namespace

Result<void> HttpServer::State::open(UniqueFd listening) {
  const auto idle_seconds = static_cast<unsigned>(
      std::max<milliseconds::rep>(options.limits.idle_deadline.count() / 1000, 1));
  daemon =
      MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &on_access,
                       this, MHD_OPTION_LISTEN_SOCKET, listening.get(),              //
                       MHD_OPTION_CONNECTION_LIMIT, options.limits.max_connections,  //
                       MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,  // of a peer that stops reading
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemoryBytes,  //
                       MHD_OPTION_UNESCAPE_CALLBACK, &leave_alone, nullptr,         //
                       MHD_OPTION_URI_LOG_CALLBACK, &on_target, this,               //
                       MHD_OPTION_NOTIFY_CONNECTION, &on_connection, this,          //
                       MHD_OPTION_NOTIFY_COMPLETED, &on_completed, this, MHD_OPTION_END);
  if (daemon == nullptr) return errno_failure("start the HTTP server", errno);
  (void)listening.release();  // the library closes it
  return attach();
}

Result<void> HttpServer::State::attach() {
  const int epoll_fd = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  auto watching = FdWatch::create(loop, epoll_fd, [this](FdReady) { run(); });
  if (!watching) return fail(std::move(watching.error()));
  watch = std::move(*watching);
  watch.start(true, false);
  next_run = Timer(loop, [this] { run(); });
  next_sweep = Timer(loop, [this] { sweep(); });
  const auto shortest =
      std::min(options.limits.header_deadline, options.limits.request_deadline) / 4;
  next_sweep.start_every(std::clamp(shortest, milliseconds(5), kLongestSweep));
  run();
  return {};
}

// A handler may push to other streams while the library runs; they go on in the next run.
void HttpServer::State::run() {
  if (std::exchange(running, true)) return;
  run_again = false;
  (void)MHD_run(daemon);
  running = false;
  if (run_again) return next_run.start_once(milliseconds(0));
  MHD_UNSIGNED_LONG_LONG wait_ms = 0;
  if (MHD_get_timeout(daemon, &wait_ms) == MHD_YES)
    next_run.start_once(milliseconds(static_cast<milliseconds::rep>(wait_ms)));
  else
    next_run.stop();
}

// Never from where we are: an answer may be given deep inside somebody's callback.
void HttpServer::State::request_run() {
  run_again = true;
  if (!running) next_run.start_once(milliseconds(0));
}

// The library's own timeout is of inactivity only: a byte now and then keeps a slow sender alive.
void HttpServer::State::sweep() {
  for (const auto& overdue : connections.take_overdue(loop.wake_time())) {
    if (overdue.mid_request) ++counters.too_slow;
    (void)::shutdown(overdue.fd, SHUT_RDWR);
  }
  drop_gone_readers();
}

// Parked connections are not polled by the library. A peer that only shut down its sending side
// still reads, so end of file is no sign; a hang-up is.
void HttpServer::State::drop_gone_readers() {
  std::vector<pollfd> fds;
  std::vector<HttpExchange*> parked;
  for (const auto& [exchange, owner] : exchanges) {
    if (!exchange->parked) continue;
    parked.push_back(exchange);
    fds.push_back({exchange->fd, 0, 0});
  }
  if (fds.empty() || ::poll(fds.data(), fds.size(), 0) <= 0) return;
  for (std::size_t i = 0; i < fds.size(); ++i)
    if ((fds[i].revents & (POLLHUP | POLLERR)) != 0) parked[i]->lose_peer();
}

void HttpServer::State::on_connected(MHD_Connection* connection) {
  const int fd = fd_of(connection);
  auto peer = peer_credentials(fd);
  const bool room = connections.add(connection, fd, peer ? std::move(*peer) : PeerCredentials{},
                                    loop.wake_time());
  if (room) return;
  ++counters.refused_per_uid;
  refuse(fd, options.render_error
                 ? options.render_error(429, "too many connections of this user at once")
                 : "");
}

// At its limit the library listens again only in the run after one that closed a connection.
void HttpServer::State::on_disconnected(MHD_Connection* connection) {
  connections.remove(connection);
  run_again = true;
}

HttpExchange* HttpServer::State::new_exchange(MHD_Connection* connection, const char* target) {
  auto exchange = std::make_unique<HttpExchange>(lent);
  exchange->connection = connection;
  exchange->fd = fd_of(connection);
  exchange->target = target;
  connections.request_begun(connection, loop.wake_time());
  HttpExchange* key = exchange.get();
  exchanges.emplace(key, std::move(exchange));
  return key;
}

// Header complete. An answer given here keeps the body from being sent (100-continue) or read.
MHD_Result HttpServer::State::on_request(MHD_Connection* connection, const char*,
                                         HttpExchange& exchange) {
  exchange.stage = HttpExchange::Stage::receiving;
  connections.header_complete(connection, loop.wake_time());
  const char* length =
      MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
  if (length == nullptr) return MHD_YES;
  std::uint64_t bytes = 0;
  const char* end = length + std::strlen(length);
  const auto parsed = std::from_chars(length, end, bytes);
  if (parsed.ec == std::errc{} && bytes <= options.limits.max_body_bytes) return MHD_YES;
  exchange.too_large = true;
  return on_complete(exchange, "");
}

MHD_Result HttpServer::State::on_body(HttpExchange& exchange, std::string_view bytes) {
  const std::size_t limit = options.limits.max_body_bytes;
  exchange.body_received += bytes.size();
  if (exchange.body_received <= limit) {
    exchange.body += bytes;
    return MHD_YES;
  }
  exchange.too_large = true;
  exchange.body.clear();
  return exchange.body_received <= limit * kSwallowFactor ? MHD_YES : MHD_NO;
}

// Called again after each wake-up until there is an answer to queue.
MHD_Result HttpServer::State::on_complete(HttpExchange& exchange, const char* method) {
  if (exchange.broken) return MHD_NO;
  if (exchange.stage == HttpExchange::Stage::receiving) dispatch(exchange, method);
  if (exchange.stage == HttpExchange::Stage::answered) return queue_response(exchange);
  exchange.park();
  return MHD_YES;
}

void HttpServer::State::dispatch(HttpExchange& exchange, const char* method) {
  connections.busy(exchange.connection);
  exchange.stage = HttpExchange::Stage::waiting;
  ++counters.requests;
  if (exchange.too_large) {
    ++counters.too_large;
    exchange.answer_error(
        413, "the body is larger than " + std::to_string(options.limits.max_body_bytes) + " bytes");
    exchange.response->headers.emplace_back("Connection", "close");
    return;
  }
  if (stopping) return exchange.answer_error(503, "the server is stopping");
  HttpRequest request;
  const std::string_view target = exchange.target;
  const auto mark = std::min(target.find('?'), target.size());
  auto query = decode_query(target.substr(std::min(mark + 1, target.size())));
  if (!query) {
    ++counters.bad_query;
    return exchange.answer_error(400, query.error().message);
  }
  request.method = method;
  request.path = target.substr(0, mark);
  request.query = std::move(*query);
  request.body = std::move(exchange.body);
  request.peer = connections.peer(exchange.connection);
  (void)MHD_get_connection_values(exchange.connection, MHD_HEADER_KIND, &add_header,
                                  &request.headers);
  options.handler(std::move(request), HttpResponder(&exchange));
}

// The library must not be stopped with parked connections, and its descriptor must leave the loop
// first.
HttpServer::State::~State() {
  PLIMSOLL_CHECK(!running);
  running = stopping = true;
  if (daemon == nullptr) return;
  for (const auto& [exchange, owner] : exchanges) {
    exchange->ended = true;
    if (exchange->stage != HttpExchange::Stage::waiting) {
      exchange->wake();
      continue;
    }
    if (exchange->responder != nullptr)
      std::exchange(exchange->responder, nullptr)->lose_exchange();
    exchange->answer_error(503, "the server is stopping");
  }
  for (int i = 0; i < kRunsToFlush; ++i)
    (void)MHD_run(daemon);
  watch = FdWatch();
  next_run = Timer();
  next_sweep = Timer();
  MHD_stop_daemon(daemon);
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::start(Loop& loop, UniqueFd listening, HttpServerOptions options) {
  PLIMSOLL_CHECK(options.handler != nullptr);
  auto state = std::make_unique<State>(loop, std::move(options));
  if (auto opened = state->open(std::move(listening)); !opened)
    return fail(std::move(opened.error()));
  return HttpServer(std::move(state));
}

std::size_t HttpServer::connections() const {
  return state_->connections.size();
}

const HttpCounters& HttpServer::counters() const {
  return state_->counters;
}

}  // namespace plimsoll
