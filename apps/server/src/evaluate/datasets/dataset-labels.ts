import { aspects } from '@kindred/contracts';
import type { ReferenceBank } from '../../predict/compute/reference-bank.js';
import type { LabelRow } from '../../store/evaluation/training-labels.repository.js';
import type { FeatureRows } from '../../predict/feature-rows.js';

/** A batch's labelled rows have their indexes in the batch, labels and categories. */
export interface LabelledRows {
  /** The labels are ordered by protein (in the order of the queries), then GO id. */
  place: Int32Array;
  label: Int32Array;
  category: string[];
  /** Each row's term has this id in the snapshot of the evaluation set. */
  goId: string[];
  /**
   * These pairs are skipped because the protein gained nothing in the aspect of the term, and so has no
   * category there.
   */
  outside: number;
  /** These pairs are skipped because the protein had the term before. */
  known: number;
}

interface Truth {
  category: string;
  terms: Set<string>;
}

/**
 * Labels the pairs of a batch by a temporal holdout. A (protein, aspect) belongs to at most one category.
 * Pairs of other aspects, and terms that the protein had before, are left out, as the evaluation leaves them
 * out.
 */
export function labelRows(
  rows: FeatureRows,
  accessions: readonly string[],
  bank: ReferenceBank,
  holdout: { labels: readonly LabelRow[]; alternatives: ReadonlyMap<string, string> },
): LabelledRows {
  const { truth, known } = byProtein(holdout.labels);
  const out: LabelledRows = {
    place: new Int32Array(),
    label: new Int32Array(),
    category: [],
    goId: [],
    outside: 0,
    known: 0,
  };
  const places: number[] = [];
  const labels: number[] = [];
  const order = Int32Array.from(rows.query.keys()).sort(
    (a, b) => rows.query[a] - rows.query[b] || rows.term[a] - rows.term[b],
  );
  for (const place of order) {
    const accession = accessions[rows.query[place]];
    const term = rows.term[place];
    const ownId = bank.texts.goIds[term];
    const goId = holdout.alternatives.get(ownId) ?? ownId;
    const here = truth.get(`${accession} ${aspects[bank.arrays.termAspect[term]]}`);
    if (here === undefined) out.outside++;
    else if (known.get(accession)?.has(goId)) out.known++;
    else {
      places.push(place);
      labels.push(Number(here.terms.has(goId)));
      out.category.push(here.category);
      out.goId.push(goId);
    }
  }
  return { ...out, place: Int32Array.from(places), label: Int32Array.from(labels) };
}

function byProtein(labels: readonly LabelRow[]): {
  truth: Map<string, Truth>;
  known: Map<string, Set<string>>;
} {
  const truth = new Map<string, Truth>();
  const known = new Map<string, Set<string>>();
  for (const { accession, category, go_id, aspect } of labels) {
    if (category === 'known') {
      const terms = known.get(accession) ?? new Set();
      known.set(accession, terms.add(go_id));
      continue;
    }
    const key = `${accession} ${aspect}`;
    const here = truth.get(key) ?? { category: category.toLowerCase(), terms: new Set<string>() };
    here.terms.add(go_id);
    truth.set(key, here);
  }
  return { truth, known };
}
