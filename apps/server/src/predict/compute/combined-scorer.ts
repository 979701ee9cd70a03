import {
  BareFeatures,
  bareFeatures,
  type CandidateFeatures,
  type CombinedQuery,
  combinedScores,
  hasForeignHits,
  type ScoredTerms,
  UntrainedVotes,
  type VoteShares,
  votesShareOf,
  weightedScores,
} from '@kindred/kernels/combined';
import type { TermRows } from '@kindred/kernels/ontology';
import { join } from 'node:path';
import { AspectModels, type ModelShares } from './aspect-models.js';
import type { SharedReference } from './tasks/combined-reference.js';

/** The trained models: of proteins with annotations of their own, and of known proteins and bare sequences of eukaryotes. */
export interface CombinedModels {
  combined: AspectModels;
  known: AspectModels;
  bare: AspectModels;
}

/** Reads the models of the combination. Each thread has its own. */
export function readCombinedModels(folder: string): CombinedModels {
  return {
    combined: new AspectModels((aspect) => join(folder, `${aspect}.txt`), bareFeatures),
    known: new AspectModels((aspect) => join(folder, `known.${aspect}.txt`), bareFeatures),
    bare: new AspectModels((aspect) => join(folder, `bare.${aspect}.txt`), bareFeatures),
  };
}

/**
 * The scores of a query come from votes and a model: of proteins with annotations of their own (combined), of those of eukaryotes (known),
 * or of bare sequences of eukaryotes (bare). Those of other bare sequences come from votes alone (untrained).
 */
export type CombinedMethod = 'combined' | 'known' | 'bare' | 'untrained';

export interface CombinedAnswer extends ScoredTerms {
  method: CombinedMethod;
  /** A term has 1 if more than its frequency supports it. [terms of the answer] */
  supported: Uint8Array;
  /**
   * The scores that certainty and order rest on, Float64 [terms of the answer]: the same, but where a model of eukaryotes scores, too,
   * those without it: of `combined` for a known protein, of `untrained` for a bare sequence. Their curves and first terms were measured.
   */
  read: Float64Array;
}

/** The methods whose curves a method's `read` scores have. */
export const readMethod = {
  combined: 'combined',
  known: 'combined',
  bare: 'untrained',
  untrained: 'untrained',
} as const satisfies Record<CombinedMethod, CombinedMethod>;

/** A term's score consists of these parts. */
export interface TermExplanation {
  method: CombinedMethod;
  score: number;
  /**
   * The score comes from this term: the term itself, or the descendant whose score it took over. The parts
   * belong to it.
   */
  through: number;
  votes: VoteShares;
  /** The votes have this share of the score, and the model the rest. */
  votesShare: number;
  /** The flag is false if the votes are below the minimum score and so count as 0. */
  votesCount: boolean;
  /** The value is null where votes alone count, and if the term was not among the model's candidates. */
  model: ModelShares | null;
}

/** The proteins that a model scores, with the votes that its scores are joined with. */
interface Trained {
  method: Exclude<CombinedMethod, 'untrained'>;
  candidates: CandidateFeatures[];
  votes: ScoredTerms;
}

/** The votes of a protein with annotations of its own. */
const withOwn = { by: 'alignment', withOwn: true } as const;

/** Scores queries against one reference. Each thread has its own scorer. */
export class CombinedScorer {
  readonly features: BareFeatures;
  readonly votes: UntrainedVotes;
  readonly models: CombinedModels;
  readonly #shared: SharedReference;
  readonly #scratch: Int32Array;
  /** Marks the terms of the reference; all marks are 0 between queries. [terms of the reference] */
  readonly #marks: Uint8Array;

  constructor(shared: SharedReference, models: CombinedModels) {
    this.#shared = shared;
    this.models = models;
    this.features = new BareFeatures(shared.reference);
    this.votes = new UntrainedVotes(shared.reference);
    this.#scratch = new Int32Array(shared.reference.aspect.length).fill(-1);
    this.#marks = new Uint8Array(shared.reference.aspect.length);
  }

  /**
   * A protein with annotations is scored by votes and a model, a bare sequence by votes alone. With `hasModel`, which is true for
   * eukaryotes, both are scored by votes and the model of their kind that learnt from eukaryotes.
   */
  score(query: CombinedQuery, hasModel = false): CombinedAnswer {
    const trained = this.#trained(query, hasModel);
    if (trained === null) {
      const scores = this.votes.score(query);
      const supported = this.#marked(scores.term, this.#donated(query));
      return { ...scores, method: 'untrained', supported, read: scores.score };
    }
    const { method, candidates, votes } = trained;
    const scores = this.#joined(trained, query);
    const supporting = method === 'bare' ? this.#donated(query) : candidates.map(({ terms }) => terms);
    const supported = this.#marked(scores.term, supporting);
    if (method === 'combined') return { ...scores, method, supported, read: scores.score };
    const read = method === 'bare' ? votes : this.#joined({ ...trained, method: readMethod[method] }, query);
    return { ...scores, method, supported, read: scoresOf(scores.term, read) };
  }

  /** Joins the scores of a method's model with the votes. */
  #joined({ method, candidates, votes }: Trained, { own }: CombinedQuery): ScoredTerms {
    return combinedScores(this.models[method].scores(candidates), votes, own, {
      closure: this.#shared.closure,
      scratch: this.#scratch,
      votesShare: votesShareOf[method],
    });
  }

  /** Describes what a trained model scores, with the votes that it is averaged with; null where votes alone count. */
  #trained(query: CombinedQuery, hasModel: boolean): Trained | null {
    // The models of eukaryotes were measured with the relatives that the own search finds.
    const isOfEukaryotes = hasModel && !hasForeignHits(query.aligned);
    const isKnown = query.own !== null;
    if (!isKnown && !isOfEukaryotes) return null;
    const candidates = this.features.describe(query, null);
    const votes = this.votes.score(query, isKnown ? withOwn : undefined);
    return { method: isKnown ? (isOfEukaryotes ? 'known' : 'combined') : 'bare', candidates, votes };
  }

  /** Gives the score of one term of a query; 0 if it has none. */
  scoreOf(query: CombinedQuery, term: number, hasModel = false): number {
    const answer = this.score(query, hasModel);
    const at = answer.term.indexOf(term);
    return at < 0 ? 0 : answer.score[at];
  }

  /** Explains the score of a term; null if the query has no score for it. */
  explain(query: CombinedQuery, term: number, hasModel = false): TermExplanation | null {
    const answer = this.score(query, hasModel);
    const at = answer.term.indexOf(term);
    if (at < 0) return null;
    const { method } = answer;
    const score = answer.score[at];
    const trained = this.#trained(query, hasModel);
    if (trained === null)
      return {
        method,
        score,
        through: term,
        votes: this.votes.explain(query, term),
        votesShare: 1,
        votesCount: true,
        model: null,
      };
    const { candidates, votes } = trained;
    const model = this.models[trained.method];
    const votesShare = votesShareOf[trained.method];
    const through = this.#best(weightedScores(model.scores(candidates), votes, query.own, votesShare), term);
    const aspect = this.#shared.reference.aspect[through];
    return {
      method,
      score,
      through,
      votes: this.votes.explain(query, through, method === 'bare' ? undefined : withOwn),
      votesShare,
      votesCount: votes.term.includes(through),
      model: model.shares(candidates[aspect], aspect, through),
    };
  }

  /**
   * Finds the term with the highest score among a term and its descendants; of equal ones, the lowest number.
   */
  #best({ term: scored, score }: ScoredTerms, term: number): number {
    const { start, terms } = this.#shared.closure;
    let best = -1;
    scored.forEach((one, i) => {
      if (best >= 0 && score[i] <= score[best]) return;
      if (terms.subarray(start[one], start[one + 1]).includes(term)) best = i;
    });
    return scored[best];
  }

  #donated({ aligned, near, self }: CombinedQuery): Int32Array[] {
    const { start, terms } = this.#shared.reference.annotated;
    return [aligned.reference, near.reference].flatMap((sources) =>
      Array.from(sources, (source) =>
        source === self ? new Int32Array(0) : terms.subarray(start[source], start[source + 1]),
      ),
    );
  }

  #marked(terms: Int32Array, lists: readonly Int32Array[]): Uint8Array {
    const marks = this.#marks;
    for (const list of lists) for (let i = 0; i < list.length; i++) marks[list[i]] = 1;
    const found = Uint8Array.from(terms, (term) => marks[term]);
    for (const list of lists) for (let i = 0; i < list.length; i++) marks[list[i]] = 0;
    return found;
  }
}

/** Returns the scores of some terms, 0 for those without one. */
function scoresOf(terms: Int32Array, { term, score }: ScoredTerms): Float64Array {
  const of = new Map(Array.from(term, (one, i) => [one, score[i]]));
  return Float64Array.from(terms, (one) => of.get(one) ?? 0);
}

/** Visits the annotations of the sources, with the index of each source; the query itself is skipped. */
export function eachDonatedTerm(
  { start, terms }: TermRows,
  sources: Int32Array,
  self: number,
  visit: (term: number, place: number) => void,
): void {
  sources.forEach((source, place) => {
    if (source === self) return;
    for (let at = start[source]; at < start[source + 1]; at++) visit(terms[at], place);
  });
}
