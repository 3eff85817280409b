// http_client.cpp - one easy handle per call.
#include "runtime/http/http_client.hpp"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "runtime/socket/peer_credentials.hpp"
#include "runtime/socket/unix_socket.hpp"
#include "schemas/text.hpp"

namespace plimsoll {
namespace {

using LineCallback = std::function<bool(std::string_view line)>;

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One call while it runs. What a callback of the library cannot return is kept in `stop`.
struct Transfer {
  const HttpCall& call;
  const LineCallback* on_line = nullptr;  // null: collect the body
  std::unique_ptr<CURL, EasyDeleter> easy{curl_easy_init()};
  std::unique_ptr<curl_slist, ListDeleter> headers{};
  HttpReply reply{};
  std::string partial{};  // of a line
  curl_socket_t fd = CURL_SOCKET_BAD;
  bool done = false;  // the caller wanted no more
  std::optional<Error> stop{};

  bool take(std::string_view bytes);
  bool take_lines(std::string_view bytes);
  bool collect(std::string_view bytes);
  int check_server();
};

std::string operation_of(const HttpCall& call) {
  return call.method + " " + quoted(call.path) + " at " + quoted(call.socket);
}

bool Transfer::take(std::string_view bytes) {
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  const bool lines = on_line != nullptr && status >= 200 && status < 300;
  return lines ? take_lines(bytes) : collect(bytes);
}

bool Transfer::collect(std::string_view bytes) {
  if (reply.body.size() + bytes.size() > kMaxReplyBytes) {
    stop = Error{ErrorCode::limit, "the answer is larger than 64 MiB", "ask for less at once", ""};
    return false;
  }
  reply.body += bytes;
  return true;
}

bool Transfer::take_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    partial += bytes.substr(0, end);
    if (partial.size() > kMaxReplyLineBytes) {
      stop = Error{ErrorCode::limit, "a line of the answer is larger than 4 MiB", "", ""};
      return false;
    }
    if (end == std::string_view::npos) return true;
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(partial, {});
    if (!(*on_line)(line)) {
      done = true;
      return false;
    }
  }
  return true;
}

int Transfer::check_server() {
  const auto server = peer_credentials(fd);
  if (server && (server->uid == 0 || server->uid == *call.server_uid)) return CURL_PREREQFUNC_OK;
  stop = server ? Error{ErrorCode::forbidden,
                        "the server runs as user " + std::to_string(server->uid) + ", not " +
                            std::to_string(*call.server_uid),
                        "somebody else listens there: look who owns the socket", ""}
                : server.error();
  return CURL_PREREQFUNC_ABORT;
}

std::size_t on_write(char* bytes, std::size_t, std::size_t count, void* cls) {
  return static_cast<Transfer*>(cls)->take({bytes, count}) ? count : 0;
}

int on_wait(void* cls, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(cls);
  if (!transfer.call.keep_going || transfer.call.keep_going()) return 0;
  transfer.stop = Error{ErrorCode::closed, "interrupted", "", ""};
  return 1;
}

int on_socket(void* cls, curl_socket_t fd, curlsocktype) {
  static_cast<Transfer*>(cls)->fd = fd;
  return CURL_SOCKOPT_OK;
}

int before_request(void* cls, char*, char*, int, int) {
  auto& transfer = *static_cast<Transfer*>(cls);
  return transfer.check_server();
}

void set_body(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  const HttpCall& call = transfer.call;
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, call.method.c_str());
  if (call.method == "HEAD") curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  if (call.body.empty() && call.method != "POST" && call.method != "PUT") return;
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call.body.c_str());
  // No "Expect: 100-continue": it would only cost a round trip.
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  transfer.headers.reset(curl_slist_append(list, "Content-Type: application/json"));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
}

void set_times(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  const HttpCall& call = transfer.call;
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(call.connect_timeout.count()));
  const auto timeout_ms = static_cast<long>(call.timeout.count());
  if (transfer.on_line == nullptr) {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
  } else if (timeout_ms > 0) {  // silence: less than 1 byte/s over so many seconds
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, std::max(timeout_ms / 1000, 1L));
  }
}

void set_options(Transfer& transfer) {
  CURL* easy = transfer.easy.get();
  const HttpCall& call = transfer.call;
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // http_proxy in the environment is not meant for us
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http");
  curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, call.socket.c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_URL, ("http://localhost" + call.path).c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &on_write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, &on_wait);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
  if (call.server_uid) {
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &on_socket);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, &transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &before_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, &transfer);
  }
  set_body(transfer);
  set_times(transfer);
}

Error unreachable(const HttpCall& call, long system_error) {
  const std::string operation = "connect to " + quoted(call.socket);
  if (system_error == EACCES || system_error == EPERM)
    return Error{ErrorCode::permission, operation + ": permission denied",
                 "run as root or as a member of the socket's group", ""};
  const bool missing = system_error == ENOENT;
  return Error{ErrorCode::unreachable,
               operation + (missing ? ": there is no such socket" : ": nobody answers there"),
               "is the daemon running? Start it, or name its directory with --run-dir", ""};
}

Error error_of(const Transfer& transfer, CURLcode code) {
  const std::string operation = operation_of(transfer.call);
  long system_error = 0;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_OS_ERRNO, &system_error);
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return unreachable(transfer.call, system_error);
    case CURLE_OPERATION_TIMEDOUT:
      return Error{ErrorCode::timeout, operation + ": no answer in time",
                   "the daemon is there but slow or stopped; look at its log", ""};
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
      return Error{ErrorCode::io, operation + ": the connection broke off",
                   "the daemon may have been stopped; try again", ""};
    default:
      return Error{ErrorCode::io, operation + ": " + curl_easy_strerror(code), "", ""};
  }
}

Result<HttpReply> perform(Transfer& transfer) {
  const HttpCall& call = transfer.call;
  if (call.socket.empty() || call.socket.size() > kMaxSocketPathBytes)
    return fail(ErrorCode::config,
                "connect to " + quoted(call.socket) + ": the path has " +
                    std::to_string(call.socket.size()) + " bytes, at most " +
                    std::to_string(kMaxSocketPathBytes) + " are possible",
                "use a shorter directory");
  if (!transfer.easy) return fail(ErrorCode::limit, operation_of(call) + ": no memory");
  set_options(transfer);
  const CURLcode code = curl_easy_perform(transfer.easy.get());
  if (transfer.stop) {
    transfer.stop->message = operation_of(call) + ": " + transfer.stop->message;
    return fail(std::move(*transfer.stop));
  }
  if (code != CURLE_OK && !transfer.done) return fail(error_of(transfer, code));
  long status = 0;
  const char* type = nullptr;
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(transfer.easy.get(), CURLINFO_CONTENT_TYPE, &type);
  transfer.reply.status = static_cast<int>(status);
  transfer.reply.content_type = type == nullptr ? "" : type;
  return std::move(transfer.reply);
}

}  // namespace

Result<HttpReply> http_call(const HttpCall& call) {
  Transfer transfer{call};
  return perform(transfer);
}

Result<HttpReply> http_lines(const HttpCall& call, const LineCallback& on_line) {
  Transfer transfer{call, &on_line};
  return perform(transfer);
}

}  // namespace plimsoll
