// golden.hpp - pictures kept as files: tests/unit/cli/golden/NAME.txt.
// PLIMSOLL_UPDATE_GOLDEN=1 writes them anew; then read the difference before it is committed.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace plimsoll::cli {

inline std::string golden(const std::string& name, const std::string& actual) {
  const auto path = std::string(PLIMSOLL_SOURCE_DIR) + "/tests/unit/cli/golden/" + name + ".txt";
  if (std::getenv("PLIMSOLL_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace plimsoll::cli
