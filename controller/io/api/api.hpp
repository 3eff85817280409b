// api.hpp - the controller's HTTP API: reads are answered from the committed state at once, changes
// become events for the core and are answered when it replies, which it does after the commit. Loop
// thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "controller/core/events.hpp"
#include "controller/core/queries.hpp"
#include "controller/io/api/caller.hpp"
#include "controller/io/api/route.hpp"
#include "controller/io/api/watch_hub.hpp"
#include "controller/io/store.hpp"
#include "runtime/http/http_message.hpp"
#include "runtime/http/http_responder.hpp"

namespace plimsoll {

// One line for the audit log: who changed what, and how it was answered.
struct ApiAudit {
  PeerCredentials peer;
  std::string action;  // "POST /v1/backups/nightly:seal"
  int status = 0;
  std::string code;  // of the error; "" = done
};

struct ApiPorts {
  std::function<TimePoint()> now;  // of this turn of the loop
  // Queues it for the core.
  std::function<void(RequestId, Caller, ApiCall)> call_core;
  // Reads history in the store's thread; false: its queue is full.
  std::function<bool(HistoryOf, std::function<void(Result<std::vector<UploadEvent>>)>)>
      read_history;
  // Why /readyz says no; empty = ready.
  std::function<std::vector<std::string>()> unready_reasons;
  std::function<void(const ApiAudit&)> audit;
};

class Api {
 public:
  // `state` must outlive the API.
  Api(const ControllerState& state, ApiAdmins admins, ApiPorts ports);

  void handle(HttpRequest request, HttpResponder responder);
  // The core's answer to call_core.
  void reply(const Reply& reply);
  void changed(const Changed& changed) { watches_.changed(changed); }
  // Once per turn of the loop.
  void flush_watches();
  void set_admins(ApiAdmins admins) { admins_ = std::move(admins); }

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    HttpResponder responder;
    ApiAudit audit;
  };
  void change(const Route& route, const HttpRequest& request, HttpResponder responder);
  void finish(Waiting waiting, HttpResponse response, std::string code);
  void read(const Route& route, const HttpRequest& request, HttpResponder responder);
  HttpResponse list_of_backups(const HttpRequest& request, HttpResponder& responder);
  HttpResponse list_of_uploads(const HttpRequest& request, HttpResponder& responder);
  HttpResponse one_backup(const Route& route, const HttpRequest& request);
  void one_upload(const Route& route, const HttpRequest& request, HttpResponder responder);
  HttpResponse readiness();
  HttpResponse answer_of(const ApiAnswer& answer);

  const ControllerState& state_;
  ApiAdmins admins_;
  ApiPorts ports_;
  WatchHub watches_;
  std::map<RequestId, Waiting> waiting_;  // bounded by the HTTP server's connections
  std::uint64_t last_request_ = 0;
};

}  // namespace plimsoll
