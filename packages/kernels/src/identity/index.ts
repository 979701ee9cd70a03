export { type AxisKey, axisKeys, type AxisTuple, axisTupleId, axisTupleText } from './axis-tuple.js';
export { PythonFloat, pythonJson, type PythonValue } from './python-json.js';
