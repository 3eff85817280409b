// plimsoll.hpp - header-only C++17 wrapper of plimsoll.h: a handle that closes itself. Throws
// nothing.
#pragma once

#include <plimsoll/plimsoll.h>

#include <cstdint>
#include <string>
#include <utility>

namespace plimsoll {

// plimsoll_options with its size filled in; the strings must live until Upload's constructor
// returns.
struct Options : plimsoll_options {
  Options() : plimsoll_options{} { size = sizeof(plimsoll_options); }
};

// Same threads and rules as the C functions. A moved-from Upload is disabled.
class Upload {
 public:
  Upload() = default;  // disabled
  explicit Upload(const plimsoll_options& options) {
    (void)plimsoll_open(&options, &handle_);  // why it failed: status()
  }
  Upload(Upload&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Upload& operator=(Upload&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload() { plimsoll_close(handle_); }

  plimsoll_status update(std::int64_t completed, std::int64_t total = -1) {
    return plimsoll_update(handle_, completed, total);
  }
  plimsoll_status add(std::int64_t delta) { return plimsoll_add(handle_, delta); }
  plimsoll_status set(plimsoll_field field, std::int64_t value) {
    return plimsoll_set(handle_, field, value);
  }
  plimsoll_status describe(const std::string& text) {
    return plimsoll_describe(handle_, text.c_str());
  }
  plimsoll_status event(int severity, const std::string& text) {
    return plimsoll_event(handle_, severity, text.c_str());
  }
  [[nodiscard]] bool cancel_requested() const { return plimsoll_cancel_requested(handle_) != 0; }

  plimsoll_status complete(const std::string& stored_as = "") {
    return plimsoll_complete(handle_, stored_as.c_str());
  }
  plimsoll_status fail(const std::string& err, bool will_retry = false) {
    return plimsoll_fail(handle_, err.c_str(), will_retry ? PLIMSOLL_WILL_RETRY : 0);
  }
  plimsoll_status incomplete(const std::string& err, const std::string& stored_as = "") {
    return plimsoll_incomplete(handle_, err.c_str(), stored_as.c_str());
  }
  plimsoll_status canceled() { return plimsoll_canceled(handle_); }

  [[nodiscard]] plimsoll_status status() const { return plimsoll_status_of(handle_, nullptr, 0); }
  [[nodiscard]] std::string status_text() const {
    char text[512] = "";
    (void)plimsoll_status_of(handle_, text, sizeof text);
    return text;
  }

 private:
  plimsoll_upload* handle_ = nullptr;
};

}  // namespace plimsoll
