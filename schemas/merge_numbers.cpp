// merge_numbers.cpp - the arithmetic of merge.hpp: counts that never fall, sums that saturate,
// percent, ETA.
#include <algorithm>
#include <cmath>
#include <limits>

#include "schemas/merge.hpp"

namespace plimsoll {
namespace {

constexpr double kMaxEtaSeconds = 10.0 * 365 * 24 * 3600;

std::int64_t known_or(std::int64_t known, std::int64_t reported) {
  return reported >= 0 ? reported : known;
}

}  // namespace

Sample merge_sample(const Sample& known, const Sample& reported) {
  Sample merged;
  merged.completed = std::max({std::int64_t{0}, known.completed, reported.completed});
  merged.total = reported.total > 0 ? reported.total : std::max<std::int64_t>(0, known.total);
  if (merged.total > 0) merged.total = std::max(merged.total, merged.completed);
  merged.read = std::max({std::int64_t{-1}, known.read, reported.read});
  merged.sent = std::max({std::int64_t{-1}, known.sent, reported.sent});
  merged.files_done = std::max({std::int64_t{-1}, known.files_done, reported.files_done});
  merged.files_total =
      std::max<std::int64_t>(-1, known_or(known.files_total, reported.files_total));
  merged.errors = std::max(known.errors, reported.errors);
  merged.warnings = std::max(known.warnings, reported.warnings);
  merged.activity = reported.activity == Activity::unknown ? known.activity : reported.activity;
  merged.description = reported.description;
  return merged;
}

bool is_absurd(const Sample& reported) {
  return reported.completed < 0 || reported.total < 0 || reported.read < -1 || reported.sent < -1 ||
         reported.files_done < -1 || reported.files_total < -1;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  const std::int64_t left = std::max<std::int64_t>(0, a);
  const std::int64_t right = std::max<std::int64_t>(0, b);
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return left > kMax - right ? kMax : left + right;
}

std::optional<double> percent_of(std::int64_t completed, std::int64_t total, bool durable) {
  if (total <= 0) return std::nullopt;
  if (durable) return 100.0;
  const long double done = static_cast<long double>(std::clamp<std::int64_t>(completed, 0, total));
  const auto tenths = std::floor(done * 1000 / static_cast<long double>(total));
  return static_cast<double>(std::min(tenths, 999.0L)) / 10.0;
}

std::optional<std::int64_t> eta_seconds(std::int64_t completed, std::int64_t total, double rate) {
  if (total <= 0 || !std::isfinite(rate) || rate <= 0) return std::nullopt;
  const auto left =
      static_cast<double>(std::max<std::int64_t>(0, total - std::max<std::int64_t>(0, completed)));
  const double eta = std::ceil(left / rate);
  if (eta > kMaxEtaSeconds) return std::nullopt;
  return static_cast<std::int64_t>(eta);
}

}  // namespace plimsoll
