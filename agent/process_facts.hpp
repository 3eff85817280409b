// process_facts.hpp - what the agent must ask the system once, at its start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "schemas/ids.hpp"
#include "schemas/result.hpp"

namespace plimsoll {

// /proc/sys/kernel/random/boot_id; zero where there is none.
[[nodiscard]] BootId read_boot_id();

[[nodiscard]] std::uint64_t random_number();
[[nodiscard]] AgentId random_agent_id();

// RLIMIT_NOFILE raised to its hard limit; returns what it is then.
[[nodiscard]] std::size_t raise_open_file_limit();

// RUN itself, 0755, if it is missing; its parent must exist. config: a place where others could put
// something in our name; cannot_create, permission.
[[nodiscard]] Result<void> make_run_directory(const std::string& path);

}  // namespace plimsoll
