#include "bank.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace kindred {
namespace {

enum Section { kVectors, kNorms, kReference, kSequence, kRank, kLabels, kMean, kCodes, kCosine, kL2, kLimits };
constexpr size_t kHeaderBytes = 512;

template <typename T>
T read_at(const uint8_t* data, size_t at) {
  T value;
  std::memcpy(&value, data + at, sizeof value);
  return value;
}

}  // namespace

Bank::Bank(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("cannot open " + path + ": " + std::strerror(errno));
  struct stat about;
  if (fstat(file, &about) != 0 || about.st_size < static_cast<off_t>(kHeaderBytes)) {
    close(file);
    throw std::runtime_error(path + " is not a reference bank");
  }
  bytes_ = static_cast<size_t>(about.st_size);
  void* data = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (data == MAP_FAILED) throw std::runtime_error("cannot map " + path + ": " + std::strerror(errno));
  data_ = static_cast<const uint8_t*>(data);
  try {
    read_header();
  } catch (const std::exception& error) {
    munmap(data, bytes_);
    throw std::runtime_error(path + ": " + error.what());
  }
}

Bank::~Bank() { munmap(const_cast<uint8_t*>(data_), bytes_); }

void Bank::read_header() {
  if (std::memcmp(data_, "KINDBANK", 8) != 0) throw std::runtime_error("not a reference bank");
  if (read_at<uint32_t>(data_, 8) != 1) throw std::runtime_error("reference bank of another version");
  dimension = read_at<uint32_t>(data_, 12);
  rows = read_at<uint32_t>(data_, 16);
  references = read_at<uint32_t>(data_, 20);
  if (dimension < 1 || dimension > 65536 || rows < 1 || rows > INT32_MAX - 32 || references < 1 || references > INT32_MAX) {
    throw std::runtime_error("reference bank of impossible size");
  }
  words = (dimension + 3) / 4;
  groups = (rows + 15) / 16;
  vectors = reinterpret_cast<const float*>(section(kVectors, rows * dimension * 4));
  norms = reinterpret_cast<const double*>(section(kNorms, rows * 8));
  reference = reinterpret_cast<const int32_t*>(section(kReference, rows * 4));
  sequence = reinterpret_cast<const int32_t*>(section(kSequence, references * 4));
  rank = reinterpret_cast<const int32_t*>(section(kRank, references * 4));
  mean = reinterpret_cast<const float*>(section(kMean, dimension * 4));
  codes = section(kCodes, groups * words * 64);
  numbers[0] = reinterpret_cast<const float*>(section(kCosine, groups * 320));
  numbers[1] = reinterpret_cast<const float*>(section(kL2, groups * 320));
  limits[0] = reinterpret_cast<const double*>(section(kLimits, 80));
  limits[1] = limits[0] + 5;
  for (int64_t r = 0; r < rows; r++) {
    if (reference[r] < 0 || reference[r] >= references) throw std::runtime_error("a row of the bank belongs to no reference");
  }
  distinct = has_distinct_sequences();
}

bool Bank::has_distinct_sequences() const {
  std::vector<int32_t> numbers(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; r++) numbers[static_cast<size_t>(r)] = sequence[reference[r]];
  std::sort(numbers.begin(), numbers.end());
  return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
}

const uint8_t* Bank::section(int index, int64_t bytes) const {
  const uint64_t offset = read_at<uint64_t>(data_, 64 + 16 * static_cast<size_t>(index));
  const uint64_t length = read_at<uint64_t>(data_, 72 + 16 * static_cast<size_t>(index));
  const bool fits = length == static_cast<uint64_t>(bytes) && offset % 64 == 0 && offset <= bytes_ && length <= bytes_ - offset;
  if (!fits) throw std::runtime_error("reference bank is damaged: a section is not where it must be");
  return data_ + offset;
}

}  // namespace kindred
