// store_rows.hpp - records ↔ rows: the statements that put and list each kind, and their columns in
// order. A put statement changes exactly one row; none = it would have changed what never changes.
#pragma once

#include <string_view>

#include "controller/core/records.hpp"
#include "controller/io/sqlite_row.hpp"

namespace plimsoll::store_rows {

extern const std::string_view kPutBackup;
extern const std::string_view kPutUpload;
extern const std::string_view kPutAttempt;
extern const std::string_view kPutNode;
extern const std::string_view kPutTombstone;

extern const std::string_view kListBackups;
extern const std::string_view kListUploads;
extern const std::string_view kListAttempts;
extern const std::string_view kListNodes;
extern const std::string_view kListTombstones;

void write(RowWriter row, const BackupRecord& record);
void write(RowWriter row, const UploadRecord& record);
void write(RowWriter row, const AttemptRecord& record);
void write(RowWriter row, const NodeRecord& record);
void write(RowWriter row, const TombstoneRecord& record);

// `row.bad()` afterwards: the row was not written by any version of ours.
void read(RowReader& row, BackupRecord& record);
void read(RowReader& row, UploadRecord& record);
void read(RowReader& row, AttemptRecord& record);
void read(RowReader& row, NodeRecord& record);
void read(RowReader& row, TombstoneRecord& record);

}  // namespace plimsoll::store_rows
