// take_request.hpp - what clients may change, and who may: creating, adding, sealing, cancelling,
// deleting.
#pragma once

#include "controller/core/controller_state.hpp"
#include "controller/core/events.hpp"

namespace plimsoll {

// A refusal is answered at once; everything else after the commit that holds the change.
void take_request(Turn& turn, const ApiRequest& request);

// As failed, by sealTimeout.
void seal_forgotten_backup(Turn& turn, BackupRecord& backup);

}  // namespace plimsoll
