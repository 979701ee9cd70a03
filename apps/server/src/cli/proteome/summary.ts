import { aspects } from '@kindred/contracts';
import type { exportLine } from '@kindred/contracts/resources/exports';
import { certainties } from '@kindred/kernels/combined/vocabulary';
import type { z } from 'zod';
import type { LeftOut } from '../query-file.js';

type Answer = z.infer<typeof exportLine>;
type Term = Answer['terms'][number];

export interface NotableTerm {
  protein: string;
  goId: string;
  name: string;
  aspect: string;
  score: number;
  probability: number | null;
  contradiction: string | null;
}

const notableCount = 20;
const uncalibrated = 'not calibrated';
/** The names say how certain the first term of an answer is, in the order of the report. */
export const certaintyNames = ['known', ...certainties, uncalibrated, 'no term'] as const;

/**
 * Collects the contents of a report from the answers, one after the other. It keeps the distinct terms and
 * the left-out proteins in memory.
 */
export class ProteomeSummary {
  proteins = 0;
  known = 0;
  /** The count has the proteins that are named like a protein of the reference with another sequence. */
  namesakes = 0;
  /** The count has the proteins without a similar one in the reference whose terms come from their sequence alone. */
  sequenceOnly = 0;
  terms = 0;
  readonly byCertainty = new Map<string, number>(certaintyNames.map((name) => [name, 0]));
  readonly proteinsByAspect = new Map<string, number>(aspects.map((aspect) => [aspect, 0]));
  readonly leftOut: LeftOut[] = [];
  readonly #least: NotableTerm[] = [];
  readonly contradicted: NotableTerm[] = [];
  contradictedCount = 0;
  #uncalibrated = 0;
  readonly #counts = new Map<string, { name: string; aspect: string; count: number }>();

  add(answer: Answer): void {
    this.proteins++;
    if (answer.known !== null) this.known++;
    if (answer.is_namesake) this.namesakes++;
    if (answer.sequence_only !== null) this.sequenceOnly++;
    const known = (answer.known?.terms ?? []).filter((term) => !term.is_negated);
    const predicted = answer.terms.filter((term) => term.contradiction === null);
    const terms = [...known, ...predicted.filter((term) => term.is_known !== true)];
    for (const term of answer.terms) if (term.contradiction !== null) this.#contradict(titleOf(answer), term);
    this.terms += terms.length;
    for (const aspect of new Set(terms.map((term) => term.aspect)))
      this.proteinsByAspect.set(aspect, (this.proteinsByAspect.get(aspect) ?? 0) + 1);
    for (const term of terms) this.#count(term);
    this.#uncalibrated += predicted.filter((term) => term.probability === null).length;
    const [best] = predicted;
    const certainty = certaintyOf(known.length, best);
    this.byCertainty.set(certainty, (this.byCertainty.get(certainty) ?? 0) + 1);
    if (terms.length === 0) this.leftOut.push(leftOutOf(answer));
    else if (known.length === 0 && best !== undefined) this.#keepLeast(notable(titleOf(answer), best));
  }

  /** Returns true if every term has a probability. */
  get isCalibrated(): boolean {
    return this.#uncalibrated === 0;
  }

  /** These proteins have an uncertain first term; the least certain comes first. */
  get leastCertain(): readonly NotableTerm[] {
    return this.#least;
  }

  /** Lists the most frequent terms of an aspect; ties by GO id. */
  frequent(aspect: string, limit: number): { goId: string; name: string; count: number }[] {
    return [...this.#counts]
      .filter(([, term]) => term.aspect === aspect)
      .map(([goId, { name, count }]) => ({ goId, name, count }))
      .sort((a, b) => b.count - a.count || (a.goId < b.goId ? -1 : 1))
      .slice(0, limit);
  }

  /** Counts the proteins that are left out, by reason. */
  get reasons(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { reason } of this.leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    return counts;
  }

  #count({ go_id, name, aspect }: Pick<Term, 'go_id' | 'name' | 'aspect'>): void {
    const known = this.#counts.get(go_id);
    if (known === undefined) this.#counts.set(go_id, { name, aspect, count: 1 });
    else known.count++;
  }

  #contradict(protein: string, term: Term): void {
    this.contradictedCount++;
    if (this.contradicted.length < notableCount) this.contradicted.push(notable(protein, term));
  }

  #keepLeast(term: NotableTerm): void {
    const value = ({ probability, score }: NotableTerm) => probability ?? score;
    this.#least.push(term);
    this.#least.sort((a, b) => value(a) - value(b) || (a.protein < b.protein ? -1 : 1));
    if (this.#least.length > notableCount) this.#least.pop();
  }
}

/** A known protein counts as known, however certain its predictions are. */
function certaintyOf(knownTerms: number, best: Term | undefined): (typeof certaintyNames)[number] {
  if (knownTerms > 0) return 'known';
  return best === undefined ? 'no term' : (best.certainty ?? uncalibrated);
}

/** Calls a protein by its name, or its gene, with its accession; without a name by the accession alone. */
function titleOf({ accession, protein_name, gene_name, predicted_name }: Answer): string {
  const predicted = predicted_name === null ? null : `predicted: ${predicted_name.name}`;
  const name = protein_name ?? gene_name ?? predicted;
  return name === null ? accession : `${name} (${accession})`;
}

function notable(protein: string, term: Term): NotableTerm {
  const { go_id: goId, name, aspect, score, probability, contradiction } = term;
  return { protein, goId, name, aspect, score, probability, contradiction };
}

function leftOutOf({ accession, no_answer, left_out }: Answer): LeftOut {
  if (no_answer !== null)
    return { protein: accession, reason: no_answer.reason, sentence: no_answer.sentence };
  const sentence =
    left_out.terms === 0
      ? 'Nothing was predicted.'
      : `All ${left_out.terms} predicted terms are below probability ${left_out.probability_below} (score ${left_out.score_below} without one), or something contradicts them.`;
  return {
    protein: accession,
    reason: left_out.terms === 0 ? 'nothing_predicted' : 'too_uncertain',
    sentence,
  };
}
