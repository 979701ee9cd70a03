import {
  type AskedScore,
  type CombinedQuery,
  experimentalBit,
  minProfileInformation,
  type ProbabilityCurve,
  probabilityOf,
} from '@kindred/kernels/combined';
import { aspects } from '@kindred/contracts';
import { prepareQueries } from '../combined-queries.js';
import {
  type AspectModel,
  type CombinedAnswer,
  CombinedScorer,
  eachDonatedTerm,
  readCombinedModels,
} from '../combined-scorer.js';
import { type CombinedInput, type CombinedOutput, combinedSources } from '../combined-tasks.js';
import { combinedModelsFolder } from '../../folders.js';
import { entryOf } from '../open-bank.js';
import type { TaskControl } from '../pool.js';

/** Terms below the lowest threshold of an evaluation are left out. */
const minimumScore = 0.01;
const [none, protein, own] = combinedSources.keys();

let models: readonly AspectModel[] | null = null;
let open: { key: string; scorer: CombinedScorer } | null = null;

/** The scorer of this thread: the last one is kept. */
function openedScorer({ key, shared }: CombinedInput): CombinedScorer {
  models ??= readCombinedModels(combinedModelsFolder);
  if (open?.key !== key) open = { key, scorer: new CombinedScorer(shared, models) };
  return open.scorer;
}

/** Terms of each query with score, probability and the best that speaks for them. */
export async function combined(input: CombinedInput, control: TaskControl): Promise<CombinedOutput> {
  const prepared = await prepareQueries(input, () => control.aborted());
  const scorer = openedScorer(input);
  const rows: Row[] = [];
  const sources = new TermSources(input);
  for (const [q, { query }] of prepared.entries()) {
    if (query === null) continue;
    if (control.aborted()) throw new DOMException('the prediction was cancelled', 'AbortError');
    rows.push(...rowsOf(q, { query, answer: scorer.score(query), sources }, input));
  }
  const integers = (value: (row: Row) => number) => Int32Array.from(rows, value);
  const reals = (value: (row: Row) => number) => Float32Array.from(rows, value);
  return {
    query: integers((row) => row.query),
    term: integers((row) => row.term),
    reference: integers((row) => row.reference),
    source: Uint8Array.from(rows, (row) => row.source),
    evidence: integers((row) => row.evidence),
    score: reals((row) => row.score),
    probability: reals((row) => row.probability),
    low: reals((row) => row.low),
    high: reals((row) => row.high),
    curve: integers((row) => row.curve),
    distance: reals((row) => row.distance),
    answerRank: integers((row) => row.answerRank),
    noAnswer: prepared.map(({ noAnswer }) => noAnswer),
  };
}

interface Row extends TermSource {
  query: number;
  term: number;
  score: number;
  probability: number;
  low: number;
  high: number;
  curve: number;
  answerRank: number;
}

interface ScoredQuery {
  query: CombinedQuery;
  answer: CombinedAnswer;
  sources: TermSources;
}

/**
 * Rows by falling score, then by information. In the answer own annotations come first, then terms that distinguish proteins,
 * each by probability (or score, where there is none), of equal ones the more informative.
 */
function rowsOf(q: number, { query, answer, sources }: ScoredQuery, input: CombinedInput): Row[] {
  const { aspect, information } = input.shared.reference;
  const known = knowledgeOf(query, aspect);
  const sourceOf = sources.of(query);
  const rows = Array.from(answer.term, (term, i): Row => {
    const score = answer.score[i];
    const meaning = meaningOf(input.curves, {
      method: answer.method,
      aspect: aspects[aspect[term]],
      known: known[aspect[term]],
      kingdom: input.kingdom[q],
      score,
    });
    return { query: q, term, score, ...sourceOf(term), ...meaning, answerRank: -1 };
  }).filter((row) => row.score >= minimumScore && input.aspects[aspect[row.term]] === 1);
  rows.sort((a, b) => b.score - a.score || information[b.term] - information[a.term] || a.term - b.term);
  const isOwn = ({ source }: Row) => Number(source === own);
  const isInformative = ({ term }: Row) => Number(information[term] >= minProfileInformation);
  const certainty = ({ score, probability }: Row) => (Number.isNaN(probability) ? score : probability);
  rows
    .filter(({ term }) => answer.supported.has(term))
    .sort(
      (a, b) =>
        isOwn(b) - isOwn(a) ||
        isInformative(b) - isInformative(a) ||
        certainty(b) - certainty(a) ||
        information[b.term] - information[a.term] ||
        a.term - b.term,
    )
    .forEach((row, place) => {
      row.answerRank = place + 1;
    });
  return rows;
}

/** What is known of the protein, for each aspect. */
function knowledgeOf({ own: ownTerms }: CombinedQuery, aspect: Uint8Array): ProbabilityCurve['known'][] {
  const found = aspects.map(() => false);
  ownTerms?.terms.forEach((term, i) => {
    if (ownTerms.groups[i] & experimentalBit) found[aspect[term]] = true;
  });
  const any = found.includes(true);
  return found.map((here) => (here ? 'same aspect' : any ? 'other aspects' : 'nothing'));
}

function meaningOf(
  curves: readonly ProbabilityCurve[],
  asked: AskedScore,
): Pick<Row, 'probability' | 'low' | 'high' | 'curve'> {
  const bin = probabilityOf(curves, asked);
  if (bin === null) return { probability: Number.NaN, low: Number.NaN, high: Number.NaN, curve: -1 };
  const { probability, low, high, curve } = bin;
  return { probability, low: low ?? Number.NaN, high: high ?? Number.NaN, curve };
}

interface TermSource {
  source: number;
  reference: number;
  evidence: number;
  distance: number;
}

/** Finds for each term of a query what speaks for it best: its own annotation, the best alignment, the nearest donor. */
class TermSources {
  readonly #input: CombinedInput;

  constructor(input: CombinedInput) {
    this.#input = input;
  }

  of({ aligned, near, own: ownTerms, self }: CombinedQuery): (term: number) => TermSource {
    const best = new Map<number, number>();
    const nearest = new Map<number, number>();
    const distance = new Map<number, number>();
    const { annotated } = this.#input.shared.reference;
    eachDonatedTerm(annotated, aligned.reference, self, (term, place) =>
      setOnce(best, term, aligned.reference[place]),
    );
    eachDonatedTerm(annotated, near.reference, self, (term, place) => {
      setOnce(nearest, term, near.reference[place]);
      setOnce(distance, term, near.distance[place]);
    });
    const mine = new Set(ownTerms?.terms.filter((_, i) => (ownTerms.groups[i] & ~experimentalBit) !== 0));
    return (term) => {
      const donor = best.get(term) ?? nearest.get(term) ?? -1;
      const reference = mine.has(term) ? self : donor;
      const source = mine.has(term) ? own : donor < 0 ? none : protein;
      return {
        source,
        reference,
        evidence: reference < 0 ? -1 : this.#evidenceOf(reference, term),
        distance: distance.get(term) ?? Number.NaN,
      };
    };
  }

  #evidenceOf(reference: number, term: number): number {
    const { arrays } = this.#input.bank;
    const at = entryOf(arrays, reference, term);
    return at < arrays.termStart[reference + 1] && arrays.terms[at] === term ? arrays.evidence[at] : -1;
  }
}

function setOnce(map: Map<number, number>, key: number, value: number): void {
  if (!map.has(key)) map.set(key, value);
}
