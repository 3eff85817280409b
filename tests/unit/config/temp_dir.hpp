// temp_dir.hpp - a directory of its own for one test, removed with all that is in it.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/paths.hpp"

namespace plimsoll::test {

class TempDir {
 public:
  TempDir() {
    std::string name = "/tmp/plimsoll-config-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string make_dir(const std::string& name, mode_t mode = 0755) const {
    const auto path = path_ + "/" + name;
    std::filesystem::create_directories(path);
    chmod(path.c_str(), mode);
    return path;
  }
  [[nodiscard]] std::string make_file(const std::string& name, const std::string& text,
                                      mode_t mode = 0644) const {
    const auto path = path_ + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

 private:
  std::string path_;
};

// Root's environment with nothing set: the places of the documentation.
inline Environment plain_environment() {
  Environment env;
  env.host_name = "node-1";
  env.config_dir = "/nonexistent-plimsoll";
  return env;
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace plimsoll::test
