// uplink_client.cpp - a frame that is wrong ends the connection; the core dials again.
#include "agent/io/uplink_client.hpp"

#include <span>
#include <utility>

#include "schemas/uplink_codec.hpp"

namespace plimsoll {

UplinkClient::UplinkClient(Loop& loop, std::string path, std::function<void(Event)> sink)
    : loop_(loop), path_(std::move(path)), sink_(std::move(sink)) {}

void UplinkClient::dial() {
  stream_.reset();
  decoder_ = FrameDecoder();
  auto stream = connect_unix(loop_, path_);
  if (!stream) {
    sink_(LinkFailed{stream.error().message});
    return;
  }
  stream_ = std::move(*stream);
  stream_->start([this](std::string_view bytes) { on_bytes(bytes); },
                 [this](const Error& error) { lose(error); });
  sink_(LinkOpened{});
}

void UplinkClient::send(const UplinkMessage& message) {
  if (!stream_) return;
  auto written = stream_->write(frame(encode_uplink(message)));
  if (!written) lose(written.error());
}

void UplinkClient::close() {
  stream_.reset();
}

void UplinkClient::on_bytes(std::string_view bytes) {
  decoder_.push(bytes);
  while (stream_) {
    auto table = decoder_.next();
    if (!table) return lose(table.error());
    if (!*table) return;
    auto message = decode_uplink(std::as_bytes(std::span((*table)->data(), (*table)->size())));
    if (!message) return lose(message.error());
    sink_(MessageReceived{std::move(*message)});
  }
}

void UplinkClient::lose(const Error& error) {
  stream_.reset();
  sink_(LinkClosed{error.message});
}

}  // namespace plimsoll
