// plimsoll_c.cpp - the C border: options are copied and bounded, calls are forwarded, nothing is
// thrown across.
#include <plimsoll/plimsoll.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "schemas/text_bounds.hpp"
#include "shim/producer.hpp"

struct plimsoll_upload {
  plimsoll::Producer* producer = nullptr;  // owned; nullptr: `why` says what plimsoll_open answered
  plimsoll_status why = PLIMSOLL_IO;
};

namespace plimsoll {
namespace {

static_assert(PLIMSOLL_IO == static_cast<int>(ProducerStatus::io));
static_assert(PLIMSOLL_FORKED == static_cast<int>(ProducerStatus::forked));
static_assert(PLIMSOLL_ENDED == static_cast<int>(ProducerStatus::ended));
static_assert(PLIMSOLL_NO_DIRECTORY == static_cast<int>(ProducerStatus::no_directory));
static_assert(PLIMSOLL_ERROR == static_cast<int>(Severity::error));

constexpr std::size_t kMaxOptionsBytes = 4096;  // of a caller from a far future

plimsoll_upload out_of_memory;  // a plain struct, never written to, never freed

plimsoll_status status_of(ProducerStatus status) {
  return static_cast<plimsoll_status>(status);
}

struct Checked {
  ProducerOptions options;
  plimsoll_status fault = PLIMSOLL_OK;

  void text(std::string& to, const char* from, std::size_t max_bytes) {
    if (from == nullptr) return;
    const std::size_t length = strnlen(from, max_bytes + 1);
    if (length > max_bytes)
      fault = PLIMSOLL_TOO_LONG;
    else if (length > 0)
      to.assign(from, length);
  }
};

// Newer callers know more fields: what this library does not know must be zero.
bool copy_sized(const plimsoll_options* from, plimsoll_options& to) {
  std::size_t size = 0;
  if (from == nullptr) return false;
  std::memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > kMaxOptionsBytes) return false;
  std::memcpy(&to, from, std::min(size, sizeof to));
  const auto* bytes = reinterpret_cast<const unsigned char*>(from);
  return std::all_of(bytes + std::min(size, sizeof to), bytes + size,
                     [](unsigned char byte) { return byte == 0; });
}

void copy_labels(const plimsoll_options& from, Checked& to) {
  if (from.label_count > kMaxLabels) to.fault = PLIMSOLL_TOO_LONG;
  if (from.label_count > 0 && from.labels == nullptr) to.fault = PLIMSOLL_INVALID;
  for (std::size_t i = 0; i < from.label_count && to.fault == PLIMSOLL_OK; ++i)
    to.text(to.options.identity.labels.emplace_back(), from.labels[i], kMaxLabelBytes);
}

Checked check(const plimsoll_options* options) {
  plimsoll_options from{};
  Checked to;
  if (!copy_sized(options, from)) {
    to.fault = PLIMSOLL_INVALID;
    return to;
  }
  Identity& identity = to.options.identity;
  to.text(identity.backup, from.backup, kMaxBackupBytes);
  to.text(identity.backup_uid, from.backup_uid, kMaxUidBytes);
  to.text(identity.item, from.item, kMaxItemBytes);
  to.text(identity.snapshot_id, from.snapshot_id, kMaxSnapshotIdBytes);
  to.text(identity.volume_id, from.volume_id, kMaxVolumeIdBytes);
  to.text(identity.part, from.part, kMaxPartBytes);
  to.text(identity.units, from.units, kMaxUnitsBytes);
  to.text(identity.tool, from.tool, kMaxToolBytes);
  to.text(identity.tool_version, from.tool_version, kMaxToolBytes);
  to.text(to.options.directory, from.directory, kMaxOptionsBytes);
  copy_labels(from, to);
  identity.parts_total = from.parts_total;
  identity.attempt = from.attempt;
  to.options.ring_bytes = from.ring_bytes;
  to.options.total = from.total;
  return to;
}

void open_into(plimsoll_upload& handle, const plimsoll_options* options) {
  Checked checked = check(options);
  if (checked.fault != PLIMSOLL_OK) {
    handle.why = checked.fault;
    return;
  }
  handle.producer = new Producer(std::move(checked.options));
  handle.why = status_of(handle.producer->status_of(nullptr, 0));
}

Producer* producer_of(plimsoll_upload* upload) {
  return upload == nullptr ? nullptr : upload->producer;
}

template <typename Call>
plimsoll_status forward(plimsoll_upload* upload, Call call) noexcept {
  Producer* producer = producer_of(upload);
  return producer == nullptr ? PLIMSOLL_DISABLED : status_of(call(*producer));
}

}  // namespace
}  // namespace plimsoll

using plimsoll::forward;
using plimsoll::Producer;

extern "C" {

plimsoll_status plimsoll_open(const plimsoll_options* options, plimsoll_upload** out) {
  if (out == nullptr) return PLIMSOLL_INVALID;
  *out = new (std::nothrow) plimsoll_upload;
  if (*out == nullptr) {
    *out = &plimsoll::out_of_memory;
    return PLIMSOLL_IO;
  }
  try {
    plimsoll::open_into(**out, options);
  } catch (const std::exception&) {
    (*out)->why = PLIMSOLL_IO;  // what was allocated before has been freed on the way
  }
  return (*out)->why;
}

plimsoll_status plimsoll_update(plimsoll_upload* upload, int64_t completed, int64_t total) {
  return forward(upload, [=](Producer& to) { return to.update(completed, total); });
}

plimsoll_status plimsoll_add(plimsoll_upload* upload, int64_t delta) {
  return forward(upload, [=](Producer& to) { return to.add(delta); });
}

plimsoll_status plimsoll_set(plimsoll_upload* upload, plimsoll_field field, int64_t value) {
  return forward(upload,
                 [=](Producer& to) { return to.set_field(static_cast<int>(field), value); });
}

plimsoll_status plimsoll_describe(plimsoll_upload* upload, const char* text) {
  return forward(upload, [=](Producer& to) { return to.describe(text); });
}

plimsoll_status plimsoll_event(plimsoll_upload* upload, int severity, const char* text) {
  const bool known = severity >= PLIMSOLL_INFO && severity <= PLIMSOLL_ERROR;
  const auto as = known ? static_cast<plimsoll::Severity>(severity) : plimsoll::Severity::unknown;
  return forward(upload, [=](Producer& to) { return to.event(as, text); });
}

int plimsoll_cancel_requested(const plimsoll_upload* upload) {
  // Asking is a sign of life, which is counted: so the handle changes, though not for its caller.
  Producer* producer = plimsoll::producer_of(const_cast<plimsoll_upload*>(upload));
  return producer != nullptr && producer->cancel_requested() ? 1 : 0;
}

plimsoll_status plimsoll_complete(plimsoll_upload* upload, const char* stored_as) {
  return forward(upload, [=](Producer& to) { return to.complete(stored_as); });
}

plimsoll_status plimsoll_fail(plimsoll_upload* upload, const char* err, uint32_t flags) {
  const bool will_retry = (flags & PLIMSOLL_WILL_RETRY) != 0;
  return forward(upload, [=](Producer& to) { return to.fail_upload(err, will_retry); });
}

plimsoll_status plimsoll_incomplete(plimsoll_upload* upload, const char* err,
                                    const char* stored_as) {
  return forward(upload, [=](Producer& to) { return to.incomplete(err, stored_as); });
}

plimsoll_status plimsoll_canceled(plimsoll_upload* upload) {
  return forward(upload, [](Producer& to) { return to.canceled(nullptr); });
}

void plimsoll_close(plimsoll_upload* upload) {
  if (upload == nullptr || upload == &plimsoll::out_of_memory) return;
  delete upload->producer;
  delete upload;
}

plimsoll_status plimsoll_status_of(const plimsoll_upload* upload, char* text, size_t size) {
  if (upload != nullptr && upload->producer != nullptr)
    return plimsoll::status_of(upload->producer->status_of(text, size));
  const auto why = upload == nullptr ? PLIMSOLL_DISABLED : upload->why;
  const char* cause = upload == nullptr          ? "no handle"
                      : why == PLIMSOLL_TOO_LONG ? "an identity field or label list is too long"
                      : why == PLIMSOLL_INVALID  ? "the options are not valid"
                                                 : "out of memory";
  if (text != nullptr && size > 0) std::snprintf(text, size, "disabled: %s", cause);
  return why;
}

uint32_t plimsoll_abi_version(void) {
  return PLIMSOLL_ABI_VERSION;
}

}  // extern "C"
