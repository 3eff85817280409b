// full_records.hpp - records in which no field has its default, and their text for comparing.
#pragma once

#include <string>

#include "controller/core/store_write.hpp"

namespace plimsoll::test {

// `n` makes them different.
BackupRecord full_backup(int n);
UploadRecord full_upload(int n, const std::string& backup_uid);
AttemptRecord full_attempt(int n, const std::string& upload_id);
NodeRecord full_node(int n);
TombstoneRecord full_tombstone(int n);
EventRecord event_of(const AttemptRecord& attempt, int n);

// Every stored field.
std::string text_of(const BackupRecord& record);
std::string text_of(const UploadRecord& record);
std::string text_of(const AttemptRecord& record);
std::string text_of(const NodeRecord& record);
std::string text_of(const TombstoneRecord& record);
std::string text_of(const LoadedStore& loaded);

}  // namespace plimsoll::test
