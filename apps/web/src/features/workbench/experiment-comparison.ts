import { cafaAspects, categories } from '@kindred/contracts/vocabulary';
import type { Experiment } from '../../app/api/laboratory.js';
import { type Better, bestValues } from '../../shared/best-value.js';
import { formatReal, percent } from '../../shared/format.js';

/** The maximum number of experiments that fit side by side. */
export const maxCompared = 6;

/** Returns the experiments that an address names, each once. */
export function comparedIn(ids: string | undefined): string[] {
  return [...new Set((ids ?? '').split(',').filter((id) => id !== ''))].slice(0, maxCompared);
}

/** One fact of every experiment; null if an experiment does not have it. */
export interface FactRow {
  key: string;
  label: string;
  cells: readonly (string | null)[];
  /** Whether the values differ. */
  differs: boolean;
}

/** Returns the keys of all configurations, nested ones as `a.b`. Keys that differ come first, in the order in which they are found. */
export function configRows(configs: readonly Readonly<Record<string, unknown>>[]): FactRow[] {
  const leaves = configs.map((config) => new Map(leavesOf(config, [])));
  // A key may contain a dot, so its path distinguishes it from a nested key.
  const paths = new Set(leaves.flatMap((ofOne) => [...ofOne.keys()]));
  const rows = [...paths].map((path) => {
    const values = leaves.map((ofOne) => ofOne.get(path));
    return { ...factRow((JSON.parse(path) as string[]).join('.'), values), key: path };
  });
  return [...rows.filter(({ differs }) => differs), ...rows.filter(({ differs }) => !differs)];
}

/** Makes a row of a fact. A value is undefined if the experiment does not state it. */
export function factRow(label: string, values: readonly unknown[]): FactRow {
  const exact = values.map((value) => (value === undefined ? null : canonical(value)));
  const words = values.map((value) => (value === undefined ? null : wordsOf(value)));
  const kinds = new Set(exact).size;
  // The values 5 and "5" differ: if words hide the difference, the values are shown exactly.
  return { key: label, label, cells: new Set(words).size < kinds ? exact : words, differs: kinds > 1 };
}

/** Returns the values with their paths as JSON. Lists and empty objects are values. */
function leavesOf(value: object, path: readonly string[]): [path: string, value: unknown][] {
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) => {
    const own = [...path, key];
    return isNested(part) ? leavesOf(part, own) : [[JSON.stringify(own), part] as [string, unknown]];
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNested = (value: unknown): value is object => isObject(value) && Object.keys(value).length > 0;

/** Writes JSON with the keys of objects in order, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((part) => typeof part !== 'object')) return value.join(', ');
  return canonical(value);
}

export type Evaluation = Experiment['evaluation_results'][number];

export function newestEvaluation({ evaluation_results: all }: Pick<Experiment, 'evaluation_results'>) {
  return all.reduce<Evaluation | null>(
    (newest, one) =>
      newest === null || Date.parse(one.created_at) > Date.parse(newest.created_at) ? one : newest,
    null,
  );
}

/** Returns the evaluation sets that figures belong to. Figures of more than one set can't be compared. */
export function evaluationSetsOf(evaluations: readonly (Evaluation | null)[]): string[] {
  return [...new Set(evaluations.flatMap((one) => (one === null ? [] : [one.evaluation_set_id])))];
}

/** A figure by its name in a result. */
interface Figure {
  name: string;
  words: string;
  better: Better;
  format: (value: number) => string;
}
const figures: readonly Figure[] = [
  { name: 'fmax', words: 'Fmax', better: 'larger', format: formatReal },
  { name: 'fmax_w', words: 'Weighted Fmax', better: 'larger', format: formatReal },
  { name: 'smin', words: 'Smin', better: 'smaller', format: formatReal },
  { name: 'coverage', words: 'Coverage', better: 'larger', format: percent },
];

export interface FigureRow {
  label: string;
  cells: readonly { text: string | null; isBest: boolean }[];
}

/** The figures of one category and aspect. */
export interface FigureGroup {
  category: string;
  aspect: string;
  rows: readonly FigureRow[];
}

/** Returns groups of figures without those that no result has. The best figure is marked only among those of one evaluation set. */
export function figureGroups(evaluations: readonly (Evaluation | null)[]): FigureGroup[] {
  const isComparable = evaluationSetsOf(evaluations).length === 1;
  const rowOf = (category: string, aspect: string, { name, words, better, format }: Figure): FigureRow[] => {
    const values = evaluations.map((one) => figureIn(one?.results, [category, aspect, name]));
    if (values.every((value) => value === null)) return [];
    const best = isComparable ? bestValues(values, better) : [];
    const cells = values.map((value, at) => ({
      text: value === null ? null : format(value),
      isBest: best[at] === true,
    }));
    return [{ label: words, cells }];
  };
  const groups = categories.flatMap((category) =>
    cafaAspects.map((aspect) => ({
      category,
      aspect,
      rows: figures.flatMap((figure) => rowOf(category, aspect, figure)),
    })),
  );
  return groups.filter(({ rows }) => rows.length > 0);
}

function figureIn(results: unknown, path: readonly string[]): number | null {
  const value = path.reduce<unknown>(
    (part, key) => (isObject(part) ? (part as Record<string, unknown>)[key] : undefined),
    results,
  );
  return typeof value === 'number' ? value : null;
}
