import { quoted } from '../formats/format-error.js';
import type { TreeEnsemble } from './model.js';
import { parseObjective } from './objective.js';
import { fault, type KeyValue, required, TextLines, wholeNumber, words } from './text-lines.js';
import { TreeCollector } from './tree-collector.js';
import { readTree } from './tree-section.js';

const maxFeatures = 100_000;
const maxClasses = 10_000;

/**
 * Reads a model in LightGBM's text format (versions v2, v3 and v4; boosting types gbdt, dart, goss and rf).
 *
 * Linear trees are rejected. The file must be complete: the number of trees matches `tree_sizes` and is a multiple of the trees of an
 * iteration. The cost is linear in the text, which is in memory once.
 *
 * @throws FormatError with the number of the invalid line and what was expected
 * @cite Ke2017LightGBM
 */
export function parseLightgbmModel(text: string): TreeEnsemble {
  const steps = parsing(text);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Parses as `parseLightgbmModel` does, but awaits `pause` after each tree, so that the thread can do other work.
 * @throws FormatError as `parseLightgbmModel`
 */
export async function parseLightgbmModelInTurns(
  text: string,
  pause: () => Promise<void>,
): Promise<TreeEnsemble> {
  const steps = parsing(text);
  let step = steps.next();
  for (; !step.done; step = steps.next()) await pause();
  return step.value;
}

/** Parses the model in steps of one tree. */
function* parsing(text: string): Generator<void, TreeEnsemble> {
  const lines = new TextLines(text);
  const first = lines.next();
  if (first !== 'tree') {
    throw fault(1, `${quoted(first ?? '')} is not the first line of a LightGBM text model; expected "tree"`);
  }
  const fields = lines.section();
  const header = readHeader(fields, lines.line);
  const trees = new TreeCollector();
  const end = yield* readTrees(lines, trees, header.featureNames.length);
  requireWhole(fields, trees.count, lines.line);
  if (trees.count % header.treesPerIteration !== 0) {
    throw fault(
      lines.line,
      `${trees.count} trees are not a multiple of num_tree_per_iteration (${header.treesPerIteration})`,
    );
  }
  return {
    ...header,
    iterations: trees.count / header.treesPerIteration,
    ...trees.arrays(),
    pandasCategories: readCategories(lines, end),
  };
}

type Header = Pick<
  TreeEnsemble,
  | 'version'
  | 'featureNames'
  | 'featureKinds'
  | 'classCount'
  | 'treesPerIteration'
  | 'averageOutput'
  | 'objective'
>;

function readHeader(fields: Map<string, KeyValue>, end: number): Header {
  const version = required(fields, 'version', end);
  if (!/^v[234]$/.test(version.value)) {
    throw fault(version.line, `version is ${quoted(version.value)}; expected v2, v3 or v4`);
  }
  const whole = (key: string, low: number, high: number): number => {
    const field = required(fields, key, end);
    return wholeNumber(field.value, field.line, { low, high, what: key });
  };
  const classCount = whole('num_class', 1, maxClasses);
  const treesPerIteration = whole('num_tree_per_iteration', 1, maxClasses);
  const featureCount = whole('max_feature_idx', 0, maxFeatures - 1) + 1;
  const names = required(fields, 'feature_names', end);
  const featureNames = words(names);
  if (featureNames.length !== featureCount) {
    throw fault(
      names.line,
      `feature_names has ${featureNames.length} names; expected ${featureCount} (max_feature_idx is ${featureCount - 1})`,
    );
  }
  const twice = featureNames.find((name, index) => featureNames.indexOf(name) !== index);
  if (twice !== undefined) throw fault(names.line, `feature ${quoted(twice)} is named twice`);
  return {
    version: version.value,
    featureNames,
    featureKinds: readKinds(fields, featureCount, end),
    classCount,
    treesPerIteration,
    averageOutput: fields.has('average_output'),
    objective: parseObjective(fields.get('objective')),
  };
}

/** Reads `none` (never used), `[low:high]` (numbers) or codes joined by colons (categories). */
function readKinds(
  fields: Map<string, KeyValue>,
  featureCount: number,
  end: number,
): TreeEnsemble['featureKinds'] {
  const field = required(fields, 'feature_infos', end);
  const parts = words(field);
  if (parts.length !== featureCount) {
    throw fault(field.line, `feature_infos has ${parts.length} values; expected ${featureCount}`);
  }
  return parts.map((part) => {
    if (part === 'none') return 'unused';
    if (/^\[.+:.+\]$/.test(part)) return 'numeric';
    if (/^-?\d+(:-?\d+)*$/.test(part)) return 'categorical';
    throw fault(
      field.line,
      `feature_infos has ${quoted(part)}; expected none, [low:high] or codes joined by colons`,
    );
  });
}

/**
 * Reads the sections `Tree=0`, `Tree=1`, ... and returns the first line after them, or null at the end of the text. The generator yields
 * after each tree.
 */
function* readTrees(
  lines: TextLines,
  trees: TreeCollector,
  featureCount: number,
): Generator<void, string | null> {
  for (;;) {
    let line = lines.next();
    while (line === '') line = lines.next();
    if (line === null || !line.startsWith('Tree=')) return line;
    if (line !== `Tree=${trees.count}`) {
      throw fault(lines.line, `${quoted(line)}: expected Tree=${trees.count}`);
    }
    const firstLine = lines.line;
    trees.add(readTree(lines.section(), featureCount, firstLine));
    yield;
  }
}

function requireWhole(fields: Map<string, KeyValue>, count: number, line: number): void {
  const sizes = fields.get('tree_sizes');
  if (count === 0) throw fault(line, 'the model has no trees; expected Tree=0');
  if (sizes === undefined) return;
  const expected = words(sizes).length;
  if (expected !== count) {
    throw fault(
      line,
      `the file ends its trees after ${count}, but tree_sizes (line ${sizes.line}) lists ${expected}`,
    );
  }
}

/**
 * Reads the values of categorical columns (from pandas tables), which follow the importances and parameters after the trees.
 */
function readCategories(lines: TextLines, at: string | null): TreeEnsemble['pandasCategories'] {
  const key = 'pandas_categorical:';
  for (let line = at; line !== null; line = lines.next()) {
    if (!line.startsWith(key)) continue;
    const value = parsedJson(line.slice(key.length));
    if (value === null) return null;
    if (Array.isArray(value) && value.every(isCategoryList)) return value.length === 0 ? null : value;
    throw fault(lines.line, `expected ${key} and a JSON list of lists of values`);
  }
  return null;
}

function isCategoryList(value: unknown): value is (string | number | boolean)[] {
  return Array.isArray(value) && value.every((item) => ['string', 'number', 'boolean'].includes(typeof item));
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
