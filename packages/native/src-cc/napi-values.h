// Functions that read arguments and throw errors through Node-API. A value of the wrong kind or size is a std::range_error, which becomes
// a RangeError in JavaScript.
#pragma once
#include <node_api.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace kindred {

inline void check(napi_status status, const char* what) {
  if (status != napi_ok) throw std::range_error(what);
}

template <typename T>
struct ArrayType;
template <>
struct ArrayType<int8_t> { static constexpr napi_typedarray_type type = napi_int8_array; };
template <>
struct ArrayType<uint8_t> { static constexpr napi_typedarray_type type = napi_uint8_array; };
template <>
struct ArrayType<int32_t> { static constexpr napi_typedarray_type type = napi_int32_array; };
template <>
struct ArrayType<uint32_t> { static constexpr napi_typedarray_type type = napi_uint32_array; };
template <>
struct ArrayType<float> { static constexpr napi_typedarray_type type = napi_float32_array; };

template <typename T>
struct Span {
  T* data = nullptr;
  int64_t size = 0;
  T& operator[](int64_t i) const { return data[i]; }
};

/// The properties of one argument object.
class Fields {
 public:
  Fields(napi_env env, napi_value object) : env_(env), object_(object) {}

  bool has(const char* name) const {
    napi_valuetype type;
    check(napi_typeof(env_, get(name), &type), name);
    return type != napi_undefined && type != napi_null;
  }

  double number(const char* name) const {
    double value;
    check(napi_get_value_double(env_, get(name), &value), name);
    return value;
  }

  int64_t integer(const char* name, int64_t min, int64_t max) const {
    const double value = number(name);
    if (!(value >= static_cast<double>(min) && value <= static_cast<double>(max)) || value != static_cast<double>(static_cast<int64_t>(value))) {
      throw std::range_error(std::string(name) + " must be an integer from " + std::to_string(min) + " to " + std::to_string(max));
    }
    return static_cast<int64_t>(value);
  }

  std::string text(const char* name) const {
    size_t length;
    check(napi_get_value_string_utf8(env_, get(name), nullptr, 0, &length), name);
    std::string value(length + 1, '\0');
    check(napi_get_value_string_utf8(env_, get(name), &value[0], length + 1, &length), name);
    value.resize(length);
    return value;
  }

  /// Returns a typed array of exactly `size` elements (any number if size is -1).
  template <typename T>
  Span<T> array(const char* name, int64_t size) const {
    bool typed = false;
    napi_typedarray_type type;
    size_t length;
    void* data;
    const napi_value value = get(name);
    check(napi_is_typedarray(env_, value, &typed), name);
    if (!typed) throw std::range_error(std::string(name) + " must be a typed array");
    check(napi_get_typedarray_info(env_, value, &type, &length, &data, nullptr, nullptr), name);
    if (type != ArrayType<T>::type) throw std::range_error(std::string(name) + " has the wrong element type");
    if (size >= 0 && static_cast<int64_t>(length) != size) {
      throw std::range_error(std::string(name) + " has " + std::to_string(length) + " elements, expected " + std::to_string(size));
    }
    return {static_cast<T*>(data), static_cast<int64_t>(length)};
  }

  napi_value function(const char* name) const {
    napi_valuetype type;
    check(napi_typeof(env_, get(name), &type), name);
    if (type != napi_function) throw std::range_error(std::string(name) + " must be a function");
    return get(name);
  }

  template <typename T>
  T* external(const char* name) const {
    void* data = nullptr;
    napi_valuetype type;
    check(napi_typeof(env_, get(name), &type), name);
    if (type != napi_external) throw std::range_error(std::string(name) + " is not a handle");
    check(napi_get_value_external(env_, get(name), &data), name);
    return static_cast<T*>(data);
  }

 private:
  napi_value get(const char* name) const {
    napi_value value;
    check(napi_get_named_property(env_, object_, name, &value), name);
    return value;
  }

  napi_env env_;
  napi_value object_;
};

/// A JavaScript function without arguments that answers yes or no.
struct Question {
  napi_env env;
  napi_value function;
};

/// Returns true if the function answers true, or throws; the error then reaches the caller.
inline bool ask(const Question& question) {
  napi_value nothing, answer;
  bool yes = true;
  napi_handle_scope scope;
  if (napi_open_handle_scope(question.env, &scope) != napi_ok) return true;
  if (napi_get_undefined(question.env, &nothing) != napi_ok ||
      napi_call_function(question.env, nothing, question.function, 0, nullptr, &answer) != napi_ok ||
      napi_get_value_bool(question.env, answer, &yes) != napi_ok)
    yes = true;
  napi_close_handle_scope(question.env, scope);
  return yes;
}

inline void set_number(napi_env env, napi_value object, const char* name, double value) {
  napi_value number;
  check(napi_create_double(env, value, &number), name);
  check(napi_set_named_property(env, object, name, number), name);
}

/// Turns a function of (env, first argument) into a Node-API callback that throws JavaScript errors.
template <napi_value (*function)(napi_env, const Fields&)>
napi_value guarded(napi_env env, napi_callback_info info) {
  try {
    size_t count = 1;
    napi_value argument;
    check(napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr), "arguments");
    napi_valuetype type;
    check(napi_typeof(env, argument, &type), "arguments");
    if (count < 1 || type != napi_object) throw std::range_error("expected an object");
    return function(env, Fields(env, argument));
  } catch (const std::range_error& error) {
    napi_throw_range_error(env, nullptr, error.what());
  } catch (const std::exception& error) {
    napi_throw_error(env, nullptr, error.what());
  }
  return nullptr;
}

}  // namespace kindred
