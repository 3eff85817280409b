// http_responder.cpp - both ends of the tie between an exchange and whoever answers it.
#include "runtime/http/http_responder.hpp"

#include <utility>

#include "runtime/http/http_exchange.hpp"

namespace plimsoll {

HttpResponder::HttpResponder(HttpExchange* exchange) : exchange_(exchange) {
  exchange_->responder = this;
}

HttpResponder::HttpResponder(HttpResponder&& other) noexcept
    : exchange_(std::exchange(other.exchange_, nullptr)) {
  if (exchange_ != nullptr) exchange_->responder = this;
}

HttpResponder& HttpResponder::operator=(HttpResponder&& other) noexcept {
  if (this == &other) return *this;
  HttpResponder old(std::move(*this));  // answers 500 if unspent
  exchange_ = std::exchange(other.exchange_, nullptr);
  if (exchange_ != nullptr) exchange_->responder = this;
  return *this;
}

HttpResponder::~HttpResponder() {
  if (exchange_ == nullptr) return;
  exchange_->responder = nullptr;
  exchange_->answer_error(500, "the request was dropped without an answer");
}

void HttpResponder::send(HttpResponse response) {
  if (exchange_ == nullptr) return;
  HttpExchange* exchange = std::exchange(exchange_, nullptr);
  exchange->responder = nullptr;
  exchange->answer(std::move(response));
}

HttpStream HttpResponder::stream(HttpResponse head) {
  if (exchange_ == nullptr) return {};
  HttpExchange* exchange = std::exchange(exchange_, nullptr);
  exchange->responder = nullptr;
  exchange->begin_stream(std::move(head));
  return HttpStream(exchange);
}

HttpStream::HttpStream(HttpExchange* exchange) : exchange_(exchange) {
  exchange_->stream = this;
}

HttpStream::HttpStream(HttpStream&& other) noexcept
    : exchange_(std::exchange(other.exchange_, nullptr)) {
  if (exchange_ != nullptr) exchange_->stream = this;
}

HttpStream& HttpStream::operator=(HttpStream&& other) noexcept {
  if (this == &other) return *this;
  HttpStream old(std::move(*this));  // breaks off what was here
  exchange_ = std::exchange(other.exchange_, nullptr);
  if (exchange_ != nullptr) exchange_->stream = this;
  return *this;
}

HttpStream::~HttpStream() {
  abort();
}

bool HttpStream::push(std::string_view bytes) {
  return exchange_ != nullptr && exchange_->push(bytes);
}

std::size_t HttpStream::buffered_bytes() const {
  return exchange_ == nullptr ? 0 : exchange_->buffered();
}

bool HttpStream::closed() const {
  return exchange_ == nullptr || exchange_->broken;
}

void HttpStream::end() {
  if (exchange_ == nullptr) return;
  exchange_->stream = nullptr;
  std::exchange(exchange_, nullptr)->end_stream();
}

void HttpStream::abort() {
  if (exchange_ == nullptr) return;
  exchange_->stream = nullptr;
  std::exchange(exchange_, nullptr)->abort_stream();
}

}  // namespace plimsoll
