import { rootTerms } from '@kindred/kernels/vocabulary';
import type { HoldoutCategory } from '@kindred/kernels/holdout';
import type { Queryable } from '../../store/postgres/db.js';
import {
  type AspectTruthRow,
  truthWithAspects,
} from '../../store/evaluation/evaluation-labels.repository.js';

/** The labels of predicted pairs come from the truth of one category. */
export interface TruthLabels {
  /** Proteins with truth in the category are listed in byte order. */
  proteins: string[];
  /**
   * Gives 1 if the term is in the protein's truth, and 0 if it is not, but the protein has truth in the
   * aspect. Null means no label: the protein has no truth in the aspect, the term was known before, or it is
   * a root, which every protein has.
   */
  labelOf(accession: string, goId: string, aspect: string): 0 | 1 | null;
}

/** Reads the truth of a category and the terms known before. */
export async function truthLabels(
  db: Queryable,
  setNumber: number,
  category: HoldoutCategory,
): Promise<TruthLabels> {
  const truth = await truthWithAspects(db, setNumber, category);
  const known = keysOf(await truthWithAspects(db, setNumber, 'known'));
  const isTrue = keysOf(truth);
  const asked = new Set(truth.map(({ accession, aspect }) => `${accession}\t${aspect}`));
  return {
    proteins: [...new Set(truth.map(({ accession }) => accession))],
    labelOf(accession, goId, aspect) {
      if (!asked.has(`${accession}\t${aspect}`)) return null;
      const key = `${accession}\t${goId}`;
      if (isTrue.has(key)) return 1;
      return known.has(key) || rootTerms.has(goId) ? null : 0;
    },
  };
}

function keysOf(rows: readonly AspectTruthRow[]): Set<string> {
  return new Set(rows.map(({ accession, go_id }) => `${accession}\t${go_id}`));
}
