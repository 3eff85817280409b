// query_api.hpp - the agent's own HTTP API: uploads of this node, cancel, health. JSON in and out.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/agent_state.hpp"
#include "agent/core/moment.hpp"
#include "agent/core/upload_table.hpp"
#include "agent/io/access.hpp"
#include "agent/io/upload_watch.hpp"
#include "runtime/http/http_message.hpp"
#include "runtime/http/http_responder.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

struct CancelOrder {
  std::vector<SegmentId> segments;
  uid_t by = 0;
  std::string reason;  // from outside: escape it
};

// What the API needs of whoever runs the agent.
struct QueryPorts {
  std::function<Moment()> moment;
  std::function<std::vector<UploadEvent>(const SegmentId&)> history;
  std::function<Result<void>(const CancelOrder&)> cancel;  // returns when the bytes are written
  std::function<std::vector<std::string>()> not_ready;     // reasons; empty = ready
};

inline constexpr std::size_t kMaxWatches = 64;
inline constexpr std::size_t kMaxHistory = 100;

class QueryApi {
 public:
  // `state` outlives the API and is read in the loop thread only.
  QueryApi(const AgentState& state, AccessRules access, QueryPorts ports);

  void handle(HttpRequest request, HttpResponder responder);
  // Lets watchers see what is new; a few times a second.
  void pump_watches();
  [[nodiscard]] std::size_t watches() const { return watches_.size(); }

  // The body of errors that the server makes itself.
  [[nodiscard]] static std::string render_error(int status, std::string_view message);

 private:
  using Pieces = std::vector<std::string>;
  HttpResponse answer(const HttpRequest& request, const Pieces& pieces);
  HttpResponse list_uploads(const UploadQuery& query) const;
  HttpResponse one_upload(const std::string& id) const;
  HttpResponse cancel_upload(const HttpRequest& request, const std::string& id);
  HttpResponse readiness() const;
  void start_watch(const HttpRequest& request, HttpResponder responder);
  Result<const std::set<SegmentId>*> find(const std::string& id) const;
  [[nodiscard]] std::vector<uid_t> owners_of(const std::set<SegmentId>& segments) const;

  const AgentState& state_;
  AccessRules access_;
  QueryPorts ports_;
  std::list<UploadWatch> watches_;
};

}  // namespace plimsoll
