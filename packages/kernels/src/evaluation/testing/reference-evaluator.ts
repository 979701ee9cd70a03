import type { Compatibility, Normalisation, Propagation } from '../options.js';

/**
 * A case for a slow, direct implementation of the definition of the evaluation, with sets. Tests compare the kernel with that
 * implementation on random cases. A case has one namespace, and ids are the names of the given terms.
 */
export interface SimpleCase {
  /** The parents of each term. */
  parents: Record<string, string[]>;
  truth: [string, string][];
  known: [string, string][] | null;
  toi: string[] | null;
  /** The information accretion of each term. */
  ia: Record<string, number>;
  predictions: [string, string, number][];
  thresholdStep: number;
  propagation: Propagation;
  normalisation: Normalisation;
  noOrphans: boolean;
  maxTerms: number | null;
  compatibility: Compatibility;
}

export type SimpleRow = Record<string, number>;

export function evaluateSimply(test: SimpleCase): SimpleRow[] {
  const truth = closedSets(test, test.truth);
  const known = closedSets(test, test.known ?? []);
  const scores = new Map([...truth.keys()].map((protein) => [protein, propagated(test, protein)]));
  const terms = Object.keys(test.parents);
  const listed = (term: string): boolean => test.toi === null || test.toi.includes(term);
  const plain = terms.filter((term) => listed(term) && !(test.noOrphans && test.parents[term].length === 0));
  const heavy = terms.filter((term) => listed(term) && (test.ia[term] ?? 0) > 0);
  const passes = [
    { suffix: '', evaluated: new Set(plain), weight: (): number => 1, base: new Set(plain) },
    {
      suffix: '_w',
      evaluated: new Set(heavy),
      weight: (term: string): number => test.ia[term],
      base: new Set(plain),
    },
  ];
  const rows: SimpleRow[] = [];
  const count = Math.ceil((1 - test.thresholdStep) / test.thresholdStep);
  for (let k = 0; k < count; k++) {
    const tau = test.thresholdStep + k * test.thresholdStep;
    const row: SimpleRow = { tau };
    for (const pass of passes) {
      const figures = figuresAt(test, { ...pass, tau, truth, known, scores });
      for (const [name, value] of Object.entries(figures)) row[name + pass.suffix] = value;
    }
    if (row.cov > 0) rows.push(row);
  }
  return rows;
}

type Sets = Map<string, Set<string>>;
interface At {
  tau: number;
  evaluated: Set<string>;
  /** The evaluated terms of the unweighted pass. */
  base: Set<string>;
  weight: (term: string) => number;
  truth: Sets;
  known: Sets;
  scores: Map<string, Map<string, number>>;
}

function figuresAt(test: SimpleCase, at: At): SimpleRow {
  const sum = (set: Iterable<string>): number => [...set].reduce((total, term) => total + at.weight(term), 0);
  const totals = { n: 0, all: 0, tp: 0, fp: 0, fn: 0, pr: 0, rc: 0 };
  for (const [protein, given] of at.truth) {
    const old = at.known.get(protein) ?? new Set();
    const inRows = test.compatibility === 'upstream' || [...given].some((term) => at.evaluated.has(term));
    const open = new Set([...at.evaluated].filter((term) => !old.has(term)));
    const wanted = new Set([...given].filter((term) => open.has(term)));
    totals.all += Number(
      divides(test, { inRows, wanted, inBase: [...given].some((term) => at.base.has(term)) }),
    );
    if (!inRows) continue;
    const predicted = new Set([...open].filter((term) => (at.scores.get(protein)?.get(term) ?? 0) >= at.tau));
    const hits = [...predicted].filter((term) => wanted.has(term));
    if (predicted.size > 0 && (test.compatibility !== 'corrected' || wanted.size > 0)) totals.n++;
    totals.tp += sum(hits);
    totals.fp += sum([...predicted].filter((term) => !wanted.has(term)));
    totals.fn += sum([...wanted].filter((term) => !predicted.has(term)));
    if (predicted.size > 0) totals.pr += sum(hits) / sum(predicted);
    if (wanted.size > 0) totals.rc += sum(hits) / sum(wanted);
  }
  const none = test.compatibility === 'partial-knowledge' ? Number.NaN : 0;
  const cov = totals.n === 0 && totals.all === 0 ? none : totals.n / totals.all;
  return { ...normalised(totals, test.normalisation), cov };
}

function divides(test: SimpleCase, row: { inRows: boolean; wanted: Set<string>; inBase: boolean }): boolean {
  if (test.compatibility === 'upstream') return true;
  if (test.compatibility === 'corrected') return row.wanted.size > 0;
  return test.known === null ? row.inRows : row.wanted.size > 0 && row.inBase;
}

function normalised(
  totals: { n: number; all: number; tp: number; fp: number; fn: number; pr: number; rc: number },
  normalisation: Normalisation,
): SimpleRow {
  const over = (value: number, divisor: number): number => (divisor === 0 ? 0 : value / divisor);
  const { n, all } = totals;
  const amount = normalisation === 'pred' ? n : all;
  const [tp, fp, fn] = [over(totals.tp, amount), over(totals.fp, amount), over(totals.fn, amount)];
  const pr = over(totals.pr, normalisation === 'gt' ? all : n);
  const rc = over(totals.rc, amount);
  const [prMicro, rcMicro] = [over(tp, tp + fp), over(tp, tp + fn)];
  return {
    n,
    tp,
    fp,
    fn,
    pr,
    rc,
    cov: 0,
    mi: fp,
    ru: fn,
    f: over(2 * pr * rc, pr + rc),
    s: Math.hypot(fp, fn),
    pr_micro: prMicro,
    rc_micro: rcMicro,
    f_micro: over(2 * prMicro * rcMicro, prMicro + rcMicro),
  };
}

function ancestors(test: SimpleCase, term: string): Set<string> {
  return new Set([term, ...test.parents[term].flatMap((parent) => [...ancestors(test, parent)])]);
}

function closedSets(test: SimpleCase, pairs: [string, string][]): Sets {
  const sets: Sets = new Map();
  for (const [protein, term] of pairs) {
    if (!(term in test.parents)) continue;
    if (!sets.has(protein)) sets.set(protein, new Set());
    for (const above of ancestors(test, term)) sets.get(protein)!.add(above);
  }
  return sets;
}

function propagated(test: SimpleCase, protein: string): Map<string, number> {
  const own = new Map<string, number>();
  for (const [of, term, score] of test.predictions) {
    if (of !== protein || !(term in test.parents) || !(score > 0)) continue;
    const full =
      test.maxTerms !== null &&
      (test.compatibility === 'corrected'
        ? own.size >= test.maxTerms && !own.has(term)
        : own.size > test.maxTerms);
    if (!full) own.set(term, Math.max(score, own.get(term) ?? 0));
  }
  const terms = Object.keys(test.parents);
  const children = (term: string): string[] => terms.filter((child) => test.parents[child].includes(term));
  const filled = (term: string): number => own.get(term) ?? Math.max(0, ...children(term).map(filled));
  const below = (term: string): number =>
    Math.max(
      0,
      ...terms.filter((other) => ancestors(test, other).has(term)).map((other) => own.get(other) ?? 0),
    );
  return new Map(terms.map((term) => [term, test.propagation === 'fill' ? filled(term) : below(term)]));
}
