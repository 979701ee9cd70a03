// A reference bank that is mapped into memory (its layout is in packages/native/src/bank/format.ts).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace kindred {

class Bank {
 public:
  /// Maps the file read-only. @throws std::runtime_error if it is not a whole bank of this version
  explicit Bank(const std::string& path);
  ~Bank();
  Bank(const Bank&) = delete;
  Bank& operator=(const Bank&) = delete;

  int64_t dimension, rows, references, words, groups;
  const float* vectors;
  const double* norms;
  const int32_t *reference, *sequence, *rank;
  const float* mean;
  const uint8_t* codes;
  /// The numbers of the rows: index 0 is for cosine, 1 for l2.
  const float* numbers[2];
  const double* limits[2];
  /// Whether no two rows belong to equal sequences.
  bool distinct;

 private:
  void read_header();
  bool has_distinct_sequences() const;
  const uint8_t* section(int index, int64_t bytes) const;

  const uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace kindred
