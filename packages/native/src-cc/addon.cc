// The module's functions. Every value that comes from JavaScript is checked here before it is used.
#include <cmath>
#include <memory>

#include "align-run.h"
#include "bank.h"
#include "homology.h"
#include "kernels.h"
#include "large-pages.h"
#include "napi-values.h"
#include "network.h"
#include "search.h"

namespace kindred {
namespace {

/// The version of the interface. Raise it together with `addonInterface` of src/addon.ts whenever a function changes what it takes or
/// returns.
constexpr int32_t kInterface = 2;

/// Takes {} and returns the names of the instruction sets that run here, best first.
napi_value instructions(napi_env env, const Fields&) {
  napi_value list;
  check(napi_create_array(env, &list), "array");
  uint32_t index = 0;
  for (const std::string& name : available_instructions()) {
    napi_value text;
    check(napi_create_string_utf8(env, name.c_str(), name.size(), &text), "string");
    check(napi_set_element(env, list, index++, text), "array");
  }
  return list;
}

/// Takes {path} and returns a handle.
napi_value open_bank(napi_env env, const Fields& fields) {
  auto bank = std::make_unique<std::shared_ptr<Bank>>(std::make_shared<Bank>(fields.text("path")));
  napi_value handle;
  check(napi_create_external(
            env, bank.get(), [](napi_env, void* data, void*) { delete static_cast<std::shared_ptr<Bank>*>(data); }, nullptr, &handle),
        "bank");
  bank.release();
  return handle;
}

std::shared_ptr<Bank> bank_of(const Fields& fields) {
  std::shared_ptr<Bank> bank = *fields.external<std::shared_ptr<Bank>>("bank");
  if (!bank) throw std::range_error("the reference bank is closed");
  return bank;
}

/// Takes {bank} and unmaps the file; the handle is of no use afterwards.
napi_value close_bank(napi_env, const Fields& fields) {
  fields.external<std::shared_ptr<Bank>>("bank")->reset();
  return nullptr;
}

void check_rows(const Span<int32_t>& row_start, int64_t rows) {
  for (int64_t q = 0; q + 1 < row_start.size; q++) {
    if (row_start[q] < 0 || row_start[q + 1] < row_start[q]) throw std::range_error("rowStart must ascend");
  }
  if (row_start[0] != 0 || row_start[row_start.size - 1] != rows) throw std::range_error("rowStart must run from 0 to the number of query rows");
}

/// Implements `NativeAddon.search` of src/addon.ts.
napi_value search_bank(napi_env env, const Fields& fields) {
  const std::shared_ptr<Bank> bank = bank_of(fields);
  SearchRequest r;
  r.bank = bank.get();
  r.kernels = &knn_kernels(fields.text("instructions"));
  const Span<int32_t> row_start = fields.array<int32_t>("rowStart", -1);
  if (row_start.size < 1) throw std::range_error("rowStart must hold at least one number");
  r.queries = row_start.size - 1;
  r.row_start = row_start.data;
  const Span<float> vectors = fields.array<float>("vectors", -1);
  if (vectors.size % bank->dimension != 0) throw std::range_error("query vectors are not of the bank's dimension");
  r.vectors = vectors.data;
  check_rows(row_start, vectors.size / bank->dimension);
  for (int64_t i = 0; i < vectors.size; i++) {
    if (!std::isfinite(vectors[i])) throw std::range_error("query vectors must be finite");
  }
  r.excluded = fields.array<int32_t>("excluded", r.queries).data;
  r.subsets = static_cast<int>(fields.integer("subsets", 1, 8));
  r.subset_bits = fields.has("subsetBits") ? fields.array<uint8_t>("subsetBits", bank->references).data : nullptr;
  if (!r.subset_bits && r.subsets != 1) throw std::range_error("several subsets need subsetBits");
  r.cosine = fields.integer("cosine", 0, 1) == 1;
  r.k = fields.integer("k", 1, INT32_MAX);
  r.threshold = fields.number("threshold");
  if (std::isnan(r.threshold)) throw std::range_error("threshold must be a number");
  r.threads = static_cast<int>(fields.integer("threads", 1, 256));
  static_assert(sizeof(std::atomic<int32_t>) == sizeof(int32_t), "control words are shared with JavaScript");
  r.control = fields.has("control") ? reinterpret_cast<std::atomic<int32_t>*>(fields.array<int32_t>("control", 2).data) : nullptr;
  const int64_t cells = r.subsets * r.queries * r.k;
  r.neighbours = fields.array<int32_t>("neighbours", cells).data;
  r.distances = fields.array<float>("distances", cells).data;
  const SearchReport report = search(r);
  napi_value result;
  check(napi_create_object(env, &result), "object");
  set_number(env, result, "aborted", report.aborted ? 1 : 0);
  set_number(env, result, "uncertified", static_cast<double>(report.uncertified));
  set_number(env, result, "compared", static_cast<double>(report.compared));
  return result;
}

/// Takes {instructions} and returns {lanes, groups}.
napi_value align_shape(napi_env env, const Fields& fields) {
  const AlignKernel& kernel = align_kernel(fields.text("instructions"));
  napi_value result;
  check(napi_create_object(env, &result), "object");
  set_number(env, result, "lanes", kernel.lanes);
  set_number(env, result, "groups", kernel.groups);
  return result;
}

/// Returns whether JavaScript answers yes, or throws.
int32_t says_yes(void* question) {
  const Question& q = *static_cast<Question*>(question);
  return ask(q) ? 1 : 0;
}

/// Implements `NativeAddon.align` of src/addon.ts.
napi_value align(napi_env env, const Fields& fields) {
  AlignRequest r;
  r.kernel = &align_kernel(fields.text("instructions"));
  const Span<int32_t> start = fields.array<int32_t>("start", -1);
  if (start.size < 1) throw std::range_error("start must hold at least one number");
  r.sequences = start.size - 1;
  r.start = start.data;
  r.codes = fields.array<uint8_t>("codes", start[r.sequences]).data;
  const Span<int32_t> query = fields.array<int32_t>("query", -1);
  r.pairs = query.size;
  r.query = query.data;
  r.target = fields.array<int32_t>("target", r.pairs).data;
  const Span<uint8_t> groups = fields.array<uint8_t>("groups", -1);
  r.batches = groups.size;
  r.groups = groups.data;
  r.lanes = fields.array<int32_t>("lanes", r.batches * r.kernel->lanes).data;
  r.mode = static_cast<int32_t>(fields.integer("mode", 0, 2));
  r.gap_open = static_cast<int32_t>(fields.integer("gapOpen", 0, 1000));
  r.gap_extend = static_cast<int32_t>(fields.integer("gapExtend", 0, r.gap_open));
  r.matrix = fields.array<int8_t>("matrix", 1024).data;
  r.trace_bytes = fields.integer("traceBytes", 0, int64_t{1} << 40);
  r.out = fields.array<int32_t>("out", r.pairs * 5).data;
  Question question{env, nullptr};
  r.stopped = nullptr;
  r.context = nullptr;
  if (fields.has("isAborted")) {
    question.function = fields.function("isAborted");
    r.stopped = says_yes;
    r.context = &question;
  }
  napi_value result;
  check(napi_get_boolean(env, align_batches(r), &result), "result");
  return result;
}

/// Reads the starts of the parts of an array: the first one is `first`, and each further one is at least `min_step` higher.
Span<int32_t> ascending(const Fields& fields, const char* name, int32_t first, int32_t min_step) {
  const Span<int32_t> start = fields.array<int32_t>(name, -1);
  bool fits = start.size >= 1 && start[0] == first;
  for (int64_t i = 0; fits && i + 1 < start.size; i++) fits = start[i + 1] >= start[i] && start[i + 1] - start[i] >= min_step;
  if (!fits) throw std::range_error(std::string(name) + " must ascend from " + std::to_string(first));
  return start;
}

/// Implements `NativeAddon.findHomologs` of src/addon.ts.
napi_value find_homologs(napi_env env, const Fields& fields) {
  HomologyRequest r;
  r.kernels = &homology_kernels(fields.text("instructions"));
  const Span<int32_t> start = ascending(fields, "start", kIndexPadding, 1);
  r.start = start.data;
  r.sequences = static_cast<int32_t>(start.size - 1);
  r.letters = static_cast<int64_t>(start[r.sequences]) + kIndexPadding;
  r.codes = fields.array<uint8_t>("codes", r.letters).data;
  r.prefixes = fields.array<uint8_t>("prefixes", kSeedPrefixes * kPrefixBytes).data;
  r.occupied = fields.array<uint32_t>("occupied", kSeedPrefixes).data;
  const Span<int32_t> places = fields.array<int32_t>("places", -1);
  r.places = places.data;
  r.place_count = places.size;
  const Span<int32_t> offsets = ascending(fields, "offsets", 0, 1);
  if (offsets.size != kSeedLetters || offsets[kSeedLetters - 1] >= kWindowRight) throw std::range_error("offsets do not fit a seed");
  r.offsets = offsets.data;
  const Span<int32_t> query_start = ascending(fields, "queryStart", 0, 0);
  r.query_start = query_start.data;
  r.queries = static_cast<int32_t>(query_start.size - 1);
  r.query_codes = fields.array<uint8_t>("queryCodes", query_start[r.queries]).data;
  r.masked = fields.array<uint8_t>("masked", query_start[r.queries]).data;
  r.excluded = fields.array<int32_t>("excluded", r.queries).data;
  r.minimum_band = fields.array<int32_t>("minimumBand", r.queries).data;
  r.matrix = fields.array<int8_t>("matrix", 1024).data;
  r.gap_open = static_cast<int32_t>(fields.integer("gapOpen", 0, 127));
  r.gap_extend = static_cast<int32_t>(fields.integer("gapExtend", 0, r.gap_open));
  r.minimum_seed = static_cast<int32_t>(fields.integer("minimumSeed", -100, 100));
  r.minimum_window = static_cast<int32_t>(fields.integer("minimumWindow", 1, 126));
  r.limit = static_cast<int32_t>(fields.integer("limit", 1, INT32_MAX));
  const int64_t cells = static_cast<int64_t>(r.queries) * r.limit;
  r.found = fields.array<int32_t>("sequence", cells).data;
  r.score = fields.array<int32_t>("score", cells).data;
  r.count = fields.array<int32_t>("count", r.queries).data;
  r.aligned = fields.array<int32_t>("aligned", cells * 4).data;
  Question question{env, nullptr};
  r.stopped = nullptr;
  r.context = nullptr;
  if (fields.has("isAborted")) {
    question.function = fields.function("isAborted");
    r.stopped = says_yes;
    r.context = &question;
  }
  napi_value result;
  check(napi_get_boolean(env, find_homologs(r), &result), "result");
  return result;
}

/// Takes {memory} and returns the number of its bytes for which large pages were requested.
napi_value large_pages(napi_env env, const Fields& fields) {
  const Span<uint8_t> memory = fields.array<uint8_t>("memory", -1);
  napi_value result;
  check(napi_create_int64(env, prefer_large_pages(memory.data, memory.size), &result), "result");
  return result;
}

/// Implements `NativeAddon.openNetwork` of src/addon.ts.
napi_value open_network(napi_env env, const Fields& fields) {
  const Span<int32_t> words = fields.array<int32_t>("words", -1);
  const Span<float> floats = fields.array<float>("floats", -1);
  const Span<int8_t> weights = fields.array<int8_t>("weights", -1);
  auto network = std::make_unique<Network>(network_kernels(fields.text("instructions")), words.data, words.size, floats.data, floats.size,
                                           weights.data, weights.size);
  napi_value handle;
  check(napi_create_external(
            env, network.get(), [](napi_env, void* data, void*) { delete static_cast<Network*>(data); }, nullptr, &handle),
        "network");
  network.release();
  return handle;
}

/// Takes {network, codes, logLength, vector} and fills the vector.
napi_value network_vector(napi_env, const Fields& fields) {
  Network& network = *fields.external<Network>("network");
  const Span<uint8_t> codes = fields.array<uint8_t>("codes", -1);
  if (codes.size < 1 || codes.size > network.longest()) throw std::range_error("codes must be of 1 to " + std::to_string(network.longest()) + " residues");
  for (int64_t i = 0; i < codes.size; i++) {
    if (codes[i] >= network.symbols()) throw std::range_error("a code is not of the network's alphabet");
  }
  const float log_length = static_cast<float>(fields.number("logLength"));
  network.vector(codes.data, static_cast<int>(codes.size), log_length, fields.array<float>("vector", network.dimension()).data);
  return nullptr;
}

/// Takes {network, vector, probabilities} and fills the probabilities.
napi_value network_probabilities(napi_env, const Fields& fields) {
  Network& network = *fields.external<Network>("network");
  const float* vector = fields.array<float>("vector", network.dimension()).data;
  network.probabilities(vector, fields.array<float>("probabilities", network.terms()).data);
  return nullptr;
}

void add(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function;
  check(napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function), name);
  check(napi_set_named_property(env, exports, name, function), name);
}

napi_value start(napi_env env, napi_value exports) {
  try {
    napi_value number;
    check(napi_create_int32(env, kInterface, &number), "interface");
    check(napi_set_named_property(env, exports, "interface", number), "interface");
    add(env, exports, "instructions", guarded<instructions>);
    add(env, exports, "openBank", guarded<open_bank>);
    add(env, exports, "closeBank", guarded<close_bank>);
    add(env, exports, "search", guarded<search_bank>);
    add(env, exports, "alignShape", guarded<align_shape>);
    add(env, exports, "align", guarded<align>);
    add(env, exports, "findHomologs", guarded<find_homologs>);
    add(env, exports, "preferLargePages", guarded<large_pages>);
    add(env, exports, "openNetwork", guarded<open_network>);
    add(env, exports, "networkVector", guarded<network_vector>);
    add(env, exports, "networkProbabilities", guarded<network_probabilities>);
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
  }
  return exports;
}

}  // namespace
}  // namespace kindred

NAPI_MODULE_INIT() { return kindred::start(env, exports); }
