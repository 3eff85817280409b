// progress_tables.hpp - for codec.cpp and uplink_codec.cpp only: values ↔ tables inside one buffer.
#pragma once

#include "progress_generated.h"

#include "schemas/result.hpp"
#include "schemas/upload_progress.hpp"

namespace plimsoll::tables {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Free texts are cut, "" stays absent.
Offset<fbs::Identity> put(FlatBufferBuilder& to, const Identity& identity);
Offset<fbs::Sample> put(FlatBufferBuilder& to, const Sample& sample);
Offset<fbs::Event> put(FlatBufferBuilder& to, const UploadEvent& event);
Offset<fbs::Terminal> put(FlatBufferBuilder& to, const Terminal& terminal);

// The buffer must have been verified; texts are checked against their bounds here.
Result<Identity> take(const fbs::Identity& table);
Result<Sample> take(const fbs::Sample& table);
Result<UploadEvent> take(const fbs::Event& table);
Result<Terminal> take(const fbs::Terminal& table);

// An optional text: "" when absent; ErrorCode::corrupt when too long, no UTF-8, or with a NUL.
Result<std::string> text_of(const flatbuffers::String* text, std::size_t max_bytes,
                            std::string_view field);

Offset<flatbuffers::String> put_text(FlatBufferBuilder& to, std::string_view text,
                                     std::size_t max_bytes);

}  // namespace plimsoll::tables
