// http_connections.hpp - who is connected and how long each may take. Knows no library and asks no
// clock.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "runtime/http/http_server.hpp"

namespace plimsoll {

// Time is the loop's wake_time(): these deadlines only free resources, they decide nothing.
class HttpConnections {
 public:
  using Key = const void*;  // the library's handle of a connection

  explicit HttpConnections(const HttpLimits& limits) : limits_(limits) {}

  // False: that user has max_connections_per_uid already (it is kept all the same, until remove()).
  bool add(Key key, int fd, PeerCredentials peer, milliseconds now);
  void remove(Key key);

  // The request line is there.
  void request_begun(Key key, milliseconds now);
  // The header is complete; now the body has its own deadline.
  void header_complete(Key key, milliseconds now);
  // The request is with the handler, or its answer on the way: no deadline of ours.
  void busy(Key key);
  // The exchange is over; the connection may serve another.
  void idle(Key key, milliseconds now);

  const PeerCredentials& peer(Key key) const;
  std::size_t size() const { return connections_.size(); }

  struct Overdue {
    int fd;
    bool mid_request;  // too slow, rather than only unused
  };
  // Each connection past its deadline, once: the caller shuts it down.
  std::vector<Overdue> take_overdue(milliseconds now);

 private:
  enum class Stage { fresh, header, body, busy, idle, condemned };
  struct Connection {
    int fd;
    PeerCredentials peer;
    Stage stage;
    milliseconds since;
  };
  milliseconds deadline_of(Stage stage) const;
  std::size_t connections_of(uid_t uid) const;

  HttpLimits limits_;
  std::map<Key, Connection> connections_;
};

}  // namespace plimsoll
