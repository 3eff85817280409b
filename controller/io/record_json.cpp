// record_json.cpp - one to_… and one from_… per value, side by side.
#include "controller/io/record_json.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::record_json {
namespace {

using nlohmann::json;

std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// What `convert` makes of the text; nothing if it is no JSON or a value has the wrong type.
template <typename Convert>
auto guarded(std::string_view text, Convert convert) -> std::optional<decltype(convert(json()))> {
  try {
    const auto value = json::parse(text, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return convert(value);
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

template <typename T, typename Convert>
std::vector<T> all_of(const json& array, Convert convert) {
  std::vector<T> values;
  values.reserve(array.size());
  for (const auto& value : array)
    values.push_back(convert(value));
  return values;
}

json of_wall(const std::optional<WallTime>& time) {
  return time ? json(time->time_since_epoch().count()) : json(nullptr);
}

std::optional<WallTime> to_wall(const json& value) {
  if (value.is_null()) return std::nullopt;
  return WallTime(milliseconds(value.get<std::int64_t>()));
}

template <typename Enum>
Enum to_choice(const json& value) {
  return static_cast<Enum>(value.get<std::uint8_t>());
}

template <typename Enum>
int of_choice(Enum value) {
  return static_cast<int>(value);
}

SegmentId to_segment(const json& value) {
  const auto id = id_from_hex<SegmentId>(value.get<std::string>());
  if (!id) throw json::other_error::create(501, "no segment id", &value);
  return *id;
}

}  // namespace

std::string write(const std::vector<StoredTimer>& timers) {
  json all = json::array();
  for (const auto& timer : timers)
    all.push_back({{"kind", of_choice(timer.kind)}, {"remaining_ns", timer.remaining.count()}});
  return dumped(all);
}

std::optional<std::vector<StoredTimer>> read_timers(std::string_view text) {
  return guarded(text, [](const json& all) {
    return all_of<StoredTimer>(all, [](const json& timer) {
      return StoredTimer{to_choice<TimerKind>(timer.at("kind")),
                         Duration(timer.at("remaining_ns").get<std::int64_t>())};
    });
  });
}

std::string write(const std::vector<BackupMessage>& messages) {
  json all = json::array();
  for (const auto& message : messages)
    all.push_back(
        {{"time_ms", of_wall(message.time)}, {"source", message.source}, {"text", message.text}});
  return dumped(all);
}

std::optional<std::vector<BackupMessage>> read_messages(std::string_view text) {
  return guarded(text, [](const json& all) {
    return all_of<BackupMessage>(all, [](const json& message) {
      return BackupMessage{to_wall(message.at("time_ms")), message.at("source").get<std::string>(),
                           message.at("text").get<std::string>()};
    });
  });
}

std::string write(const std::vector<LeftBehind>& left_behind) {
  json all = json::array();
  for (const auto& left : left_behind)
    all.push_back({{"segment", to_hex(left.segment)},
                   {"item", left.item},
                   {"node", left.node},
                   {"answered", left.answered}});
  return dumped(all);
}

std::optional<std::vector<LeftBehind>> read_left_behind(std::string_view text) {
  return guarded(text, [](const json& all) {
    return all_of<LeftBehind>(all, [](const json& left) {
      return LeftBehind{to_segment(left.at("segment")), left.at("item").get<std::string>(),
                        left.at("node").get<std::string>(), left.at("answered").get<bool>()};
    });
  });
}

std::string write(const Identity& identity) {
  return dumped({{"backup", identity.backup},
                 {"backup_uid", identity.backup_uid},
                 {"item", identity.item},
                 {"snapshot_id", identity.snapshot_id},
                 {"volume_id", identity.volume_id},
                 {"part", identity.part},
                 {"parts_total", identity.parts_total},
                 {"attempt", identity.attempt},
                 {"units", identity.units},
                 {"tool", identity.tool},
                 {"tool_version", identity.tool_version},
                 {"labels", identity.labels},
                 {"opened_unix_ms", identity.opened_unix_ms},
                 {"auto_backup", identity.auto_backup}});
}

std::optional<Identity> read_identity(std::string_view text) {
  return guarded(text, [](const json& value) {
    Identity identity;
    value.at("backup").get_to(identity.backup);
    value.at("backup_uid").get_to(identity.backup_uid);
    value.at("item").get_to(identity.item);
    value.at("snapshot_id").get_to(identity.snapshot_id);
    value.at("volume_id").get_to(identity.volume_id);
    value.at("part").get_to(identity.part);
    value.at("parts_total").get_to(identity.parts_total);
    value.at("attempt").get_to(identity.attempt);
    value.at("units").get_to(identity.units);
    value.at("tool").get_to(identity.tool);
    value.at("tool_version").get_to(identity.tool_version);
    value.at("labels").get_to(identity.labels);
    value.at("opened_unix_ms").get_to(identity.opened_unix_ms);
    value.at("auto_backup").get_to(identity.auto_backup);
    return identity;
  });
}

std::string write(const Sample& sample) {
  return dumped({{"completed", sample.completed},
                 {"total", sample.total},
                 {"read", sample.read},
                 {"sent", sample.sent},
                 {"files_done", sample.files_done},
                 {"files_total", sample.files_total},
                 {"errors", sample.errors},
                 {"warnings", sample.warnings},
                 {"activity", of_choice(sample.activity)},
                 {"description", sample.description}});
}

std::optional<Sample> read_sample(std::string_view text) {
  return guarded(text, [](const json& value) {
    Sample sample;
    value.at("completed").get_to(sample.completed);
    value.at("total").get_to(sample.total);
    value.at("read").get_to(sample.read);
    value.at("sent").get_to(sample.sent);
    value.at("files_done").get_to(sample.files_done);
    value.at("files_total").get_to(sample.files_total);
    value.at("errors").get_to(sample.errors);
    value.at("warnings").get_to(sample.warnings);
    sample.activity = to_choice<Activity>(value.at("activity"));
    value.at("description").get_to(sample.description);
    return sample;
  });
}

std::optional<std::string> write(const std::optional<Terminal>& terminal) {
  if (!terminal) return std::nullopt;
  return dumped({{"outcome", of_choice(terminal->outcome)},
                 {"err", terminal->err},
                 {"will_retry", terminal->will_retry},
                 {"stored_as", terminal->stored_as},
                 {"completed", terminal->completed},
                 {"total", terminal->total},
                 {"errors", terminal->errors},
                 {"warnings", terminal->warnings},
                 {"at_unix_ms", terminal->at_unix_ms}});
}

std::optional<Terminal> read_terminal(std::string_view text) {
  return guarded(text, [](const json& value) {
    Terminal terminal;
    terminal.outcome = to_choice<Outcome>(value.at("outcome"));
    value.at("err").get_to(terminal.err);
    value.at("will_retry").get_to(terminal.will_retry);
    value.at("stored_as").get_to(terminal.stored_as);
    value.at("completed").get_to(terminal.completed);
    value.at("total").get_to(terminal.total);
    value.at("errors").get_to(terminal.errors);
    value.at("warnings").get_to(terminal.warnings);
    value.at("at_unix_ms").get_to(terminal.at_unix_ms);
    return terminal;
  });
}

std::optional<std::string> write(const std::optional<RetrievalError>& error) {
  if (!error) return std::nullopt;
  return dumped({{"text", error->text}, {"since_ms", of_wall(error->since)}});
}

std::optional<RetrievalError> read_retrieval_error(std::string_view text) {
  return guarded(text, [](const json& value) {
    return RetrievalError{value.at("text").get<std::string>(), to_wall(value.at("since_ms"))};
  });
}

std::optional<std::string> write(const std::optional<UploadEnd>& end) {
  if (!end) return std::nullopt;
  return dumped({{"outcome", of_choice(end->outcome)},
                 {"err", end->err},
                 {"at_ms", of_wall(end->at)},
                 {"items_completed", end->items_completed},
                 {"items_to_complete", end->items_to_complete}});
}

std::optional<UploadEnd> read_upload_end(std::string_view text) {
  return guarded(text, [](const json& value) {
    UploadEnd end;
    end.outcome = to_choice<Outcome>(value.at("outcome"));
    value.at("err").get_to(end.err);
    end.at = to_wall(value.at("at_ms"));
    value.at("items_completed").get_to(end.items_completed);
    value.at("items_to_complete").get_to(end.items_to_complete);
    return end;
  });
}

std::optional<std::string> write(const std::optional<CancelRequest>& cancel) {
  if (!cancel) return std::nullopt;
  return dumped({{"at_ms", of_wall(cancel->at)}, {"reason", cancel->reason}});
}

std::optional<CancelRequest> read_cancel(std::string_view text) {
  return guarded(text, [](const json& value) {
    return CancelRequest{to_wall(value.at("at_ms")), value.at("reason").get<std::string>()};
  });
}

}  // namespace plimsoll::record_json
