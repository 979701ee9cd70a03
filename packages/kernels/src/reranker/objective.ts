import { quoted } from '../formats/format-error.js';
import type { Objective, ObjectiveTransform } from './model.js';
import { fault, finiteNumber, type KeyValue, words } from './text-lines.js';

const plain = [
  'regression',
  'regression_l1',
  'huber',
  'fair',
  'quantile',
  'mape',
  'lambdarank',
  'rank_xendcg',
  'custom',
];
const names = [
  ...plain,
  'poisson',
  'gamma',
  'tweedie',
  'binary',
  'multiclass',
  'multiclassova',
  'cross_entropy',
  'cross_entropy_lambda',
];
const probable = new Set(['binary', 'multiclass', 'multiclassova', 'cross_entropy']);

/**
 * Reads the value of the line `objective=...`: a name and parameters such as `sigmoid:1`.
 * @throws FormatError for an unknown objective, or a parameter that is not a number
 */
export function parseObjective(field: KeyValue | undefined): Objective {
  if (field === undefined) return { name: 'custom', transform: { kind: 'identity' }, probabilities: false };
  const [name = '', ...parameters] = words(field);
  if (!names.includes(name)) {
    throw fault(field.line, `objective ${quoted(name)} is not known; expected one of ${names.join(', ')}`);
  }
  return { name, transform: transformOf(name, parameters, field.line), probabilities: probable.has(name) };
}

function transformOf(name: string, parameters: string[], line: number): ObjectiveTransform {
  switch (name) {
    case 'poisson':
    case 'gamma':
    case 'tweedie':
      return { kind: 'exp' };
    case 'binary':
    case 'multiclassova':
      return { kind: 'logistic', sigmoid: sigmoidIn(parameters, line) };
    case 'cross_entropy':
      return { kind: 'logistic', sigmoid: 1 };
    case 'cross_entropy_lambda':
      return { kind: 'softplus' };
    case 'multiclass':
      return { kind: 'softmax' };
    default:
      return parameters.includes('sqrt') ? { kind: 'signed_square' } : { kind: 'identity' };
  }
}

function sigmoidIn(parameters: string[], line: number): number {
  const text =
    parameters.find((parameter) => parameter.startsWith('sigmoid:'))?.slice('sigmoid:'.length) ?? '1';
  const sigmoid = finiteNumber(text, line, 'sigmoid');
  if (sigmoid <= 0) throw fault(line, `sigmoid is ${quoted(text)}; expected a number above 0`);
  return sigmoid;
}

/**
 * Turns raw sums into predictions, in place, by the transform of the model's own objective.
 *
 * @param values row-major float64 [rows x outputs]
 * @param outputs number of values in a row; softmax runs over them
 */
export function applyObjective(transform: ObjectiveTransform, values: Float64Array, outputs: number): void {
  if (transform.kind === 'identity') return;
  if (transform.kind === 'softmax') {
    for (let row = 0; row < values.length; row += outputs) softmax(values.subarray(row, row + outputs));
    return;
  }
  for (let i = 0; i < values.length; i++) values[i] = transformed(transform, values[i]);
}

function transformed(
  transform: Exclude<ObjectiveTransform, { kind: 'identity' | 'softmax' }>,
  x: number,
): number {
  switch (transform.kind) {
    case 'logistic':
      return 1 / (1 + Math.exp(-transform.sigmoid * x));
    case 'exp':
      return Math.exp(x);
    case 'softplus':
      return Math.log1p(Math.exp(x));
    case 'signed_square':
      return Math.sign(x) * x * x;
  }
}

function softmax(row: Float64Array): void {
  let largest = row[0];
  for (const value of row) if (value > largest) largest = value;
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += row[i] = Math.exp(row[i] - largest);
  for (let i = 0; i < row.length; i++) row[i] /= sum;
}
