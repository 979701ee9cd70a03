import {
  type Aspect,
  aspects,
  cafaAspectOf,
  experimentalEvidence,
  ProblemError,
  z,
} from '@kindred/contracts';
import { evaluationChoices } from '@kindred/contracts/resources/evaluation-sets';
import { combinedSources } from '@kindred/contracts/resources/prediction-sets';
import { leastProteins } from '@kindred/kernels/calibration';
import {
  experimentalBit,
  isInAnswer,
  type OwnTerms,
  ownTermsOrNull,
  type ShownCall,
  wordRates,
} from '@kindred/kernels/combined';
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { AnnotationPairs } from '@kindred/kernels/evaluation';
import { combinedInput, type CombinedSubject } from '../../predict/banks/combined-input.js';
import { wholeReference } from '../../predict/banks/source-choice.js';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { Numbering } from '../../ground/numbering.js';
import { countSetTerms } from '../../predict/banks/term-counts.js';
import { contradictionsOf } from '../../predict/contradictions.js';
import { type CombinedOutput, combinedTask } from '../../predict/compute/tasks/combined.js';
import type { SharedReference } from '../../predict/compute/tasks/combined-reference.js';
import type { EvaluateOutput } from '../../predict/compute/tasks/evaluate.js';
import { evaluateCategory, evaluatorOptions } from '../../evaluate/evaluate-category.js';
import { submission } from '../../evaluate/submission.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import type { ScoredTermRow } from '../../store/evaluation/evaluation-predictions.repository.js';
import {
  type ReferenceReliability,
  type SampledProtein,
  sampledProteins,
  setReliability,
} from '../../store/references/reference-reliability.repository.js';
import { type DescribedReference, findReference } from '../../store/references/references.repository.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';
import { giveWay } from './give-way.js';

const name = 'measure_reference';
/** Each of the two samples has at most this many proteins: all annotated ones, and those with experiments. */
const mostSampled = 1000;
const queriesPerTask = 100;

const options = evaluatorOptions(
  z
    .object(evaluationChoices)
    .pick({
      prop: true,
      norm: true,
      no_orphans: true,
      th_step: true,
      max_terms: true,
      resamples: true,
      seed: true,
    })
    .parse({}),
);

/**
 * Tests the default method on proteins of the reference, each as a bare sequence without its own annotations and those of proteins with an
 * equal sequence: how well it ranks what experiments show, and how often the terms of each word of certainty are right. The figures are
 * stored with the reference.
 */
export const measureReference: Operation<'measure_reference'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await findReference(context.db, reference_id);
    if (reference?.status !== 'complete')
      throw new ProblemError('conflict', `Reference ${reference_id} is not complete: build it first.`);
    await giveWay(context);
    const reliability = await measure(reference, context);
    await setReliability(context.db, reference.id, reliability);
    await context.emit(`${name}.done`, { ...reliability });
    return { kind: 'done', result: { ...reliability } };
  },
};

async function measure(
  reference: DescribedReference,
  context: OperationContext,
): Promise<ReferenceReliability> {
  const { db, settings, artifacts, emit, signal } = context;
  const [{ embedding_config_id: configId }] = reference.vectors;
  const set = await findAnnotationSet(db, reference.annotation_set_id as string);
  const config = await findEmbeddingConfig(db, configId);
  if (set === undefined || config === undefined)
    throw new ProblemError('conflict', 'The annotations or the vectors of the reference were deleted.');
  // These counts are of use to comparisons only, so no build waits for them.
  await countSetTerms(set, context);
  const queries = await sampledProteins(db, {
    setNumber: set.number,
    configNumber: config.number,
    evidence: experimentalEvidence,
    limit: mostSampled,
  });
  const base = { method: 'combined', model_name: config.model_name, held_out: queries.length };
  if (queries.length < leastProteins)
    return {
      ...base,
      answered: null,
      aspects: [],
      words: [],
      why_not: `Only ${queries.length} proteins of the reference have annotations; ${leastProteins} are needed.`,
    };
  await emit(`${name}.held_out`, { proteins: queries.length });
  const bank = await ensureReferenceBank(context, settings.cacheDir, { config, set }, { artifacts, emit });
  const pages = await testedPages({ queries, bank, config, set, merging: null }, context);
  return {
    ...base,
    answered: pages.reduce((sum, page) => sum + page.answered, 0),
    aspects: await figuresByExperiment(pages, context),
    words: wordRates(
      pages.flatMap(({ calls }) => calls),
      signal,
    ),
    why_not: null,
  };
}

/** The answers to a page of proteins, beside what their own annotations say. */
interface TestedPage {
  queries: readonly SampledProtein[];
  /** The scored terms stay in columns until they are compared, because rows take several times the memory. */
  scored: Pick<CombinedOutput, 'query' | 'term' | 'score'>;
  goIds: readonly string[];
  /** The terms by experiment that the proteins have themselves. */
  truth: { accession: string; go_id: string }[];
  calls: ShownCall[];
  answered: number;
  ontology: OntologyColumns;
}

type SampledSubject = Omit<CombinedSubject, 'queries'> & { queries: readonly SampledProtein[] };

/** Tests all proteins by the default method, on all threads. Each task takes a page, and gives way to predictions before. */
async function testedPages(subject: SampledSubject, context: OperationContext): Promise<TestedPage[]> {
  const starts = Array.from(
    { length: Math.ceil(subject.queries.length / queriesPerTask) },
    (_, task) => task * queriesPerTask,
  );
  const pages: TestedPage[] = [];
  let done = 0;
  const next = starts.entries();
  // Each thread takes the next task when its last one is done; pages keep the order of the queries.
  const takeTasks = async () => {
    for (const [task, from] of next) {
      await giveWay(context);
      const queries = subject.queries.slice(from, from + queriesPerTask);
      pages[task] = await testedPage({ ...subject, queries }, from, context);
      done += queries.length;
      await context.progress(done, subject.queries.length);
    }
  };
  await Promise.all(Array.from({ length: context.compute.size }, takeTasks));
  return pages;
}

/** @param first the number of the first protein of the page among all */
async function testedPage(
  subject: SampledSubject,
  first: number,
  context: OperationContext,
): Promise<TestedPage> {
  // The network learnt annotations of the proteins that are tested, so its terms would be no test.
  const choices = { k: combinedSources, sources: wholeReference, aspect: null, sequenceOnly: false };
  const { input, known, ontology, lineages } = await combinedInput(subject, choices, context);
  // The search leaves out the sequence of a query; its annotations are hidden by being nobody of the reference.
  const hidden = { ...input, self: input.self.map(() => -1) };
  const found = await context.compute.run(combinedTask, hidden, { signal: context.signal });
  const { queries, bank, set } = subject;
  const { taxon, self, shared } = hidden;
  const contradictions = await contradictionsOf(
    found,
    {
      ...{ bank, setNumber: set.number, sources: choices.sources, ontology },
      ...{ closure: shared.closure, taxon, lineages, self },
    },
    context,
  );
  const { goIds } = bank.texts;
  const own = known.map(({ protein }) => ownTermsOrNull(shared.reference, protein?.reference ?? -1));
  const isAsked = (query: number): boolean => queries[query].is_of_experiments;
  const { query, term, score } = found;
  return {
    queries,
    scored: { query, term, score },
    goIds,
    truth: own.flatMap((one, query) =>
      Array.from(one?.terms ?? [])
        .filter((_, at) => isAsked(query) && isByExperiment(one, at))
        .map((term) => ({ accession: queries[query].accession, go_id: goIds[term] })),
    ),
    calls: shownCalls(found, { queries, own, first, shared, contradicted: contradictions.row }),
    answered: found.noAnswer.filter((reason) => reason === null).length,
    ontology,
  };
}

/** Gives the scored terms of the proteins with experiments as rows. */
function scoredRows({ queries, scored: { query, term, score }, goIds }: TestedPage): ScoredTermRow[] {
  const asked = Array.from(query.keys()).filter((row) => queries[query[row]].is_of_experiments);
  return asked.map((row) => ({
    protein_accession: queries[query[row]].accession,
    go_id: goIds[term[row]],
    score: score[row],
  }));
}

const isByExperiment = (own: OwnTerms | null, at: number): boolean =>
  own !== null && (own.groups[at] & experimentalBit) !== 0;

/** Lists the terms that the answers show, with what the proteins' own annotations say of them. */
function shownCalls(
  found: CombinedOutput,
  {
    queries,
    own,
    first,
    shared: { reference },
    contradicted,
  }: {
    queries: readonly SampledProtein[];
    own: readonly (OwnTerms | null)[];
    first: number;
    shared: SharedReference;
    contradicted: Int32Array;
  },
): ShownCall[] {
  const judges = queries.map(({ is_of_all, is_of_experiments }, query) => ({
    shown: judge(own[query], reference.aspect, is_of_experiments ? isByExperiment : null),
    held: judge(own[query], reference.aspect, is_of_all ? () => true : null),
  }));
  return Array.from(found.query.keys()).flatMap((row) => {
    const probability = Number.isNaN(found.probability[row]) ? null : found.probability[row];
    const isShown =
      found.answerRank[row] > 0 &&
      contradicted[row] < 0 &&
      isInAnswer({ probability, score: found.score[row] });
    if (!isShown) return [];
    const { shown, held } = judges[found.query[row]];
    const isRight = {
      'shown by experiment': shown(found.term[row]),
      'held by the databases': held(found.term[row]),
    };
    return [{ protein: first + found.query[row], probability, isRight }];
  });
}

/** Judges terms by those of a protein's own that count; null where it has none of the aspect, or is not in the sample. */
function judge(
  own: OwnTerms | null,
  aspect: Uint8Array,
  counts: ((own: OwnTerms, at: number) => boolean) | null,
): (term: number) => boolean | null {
  if (own === null || counts === null) return () => null;
  const terms = new Set(own.terms.filter((_, at) => counts(own, at)));
  const spoken = new Set(Array.from(terms, (term) => aspect[term]));
  return (term) => (spoken.has(aspect[term]) ? terms.has(term) : null);
}

/** Compares the scores with experiments, as evaluations do. */
async function figuresByExperiment(
  pages: readonly TestedPage[],
  { compute, signal }: OperationContext,
): Promise<ReferenceReliability['aspects']> {
  const truth = truthOf(pages.flatMap((page) => page.truth));
  if (truth.proteins.length < leastProteins) return [];
  const scored = (async function* () {
    for (const page of pages) yield scoredRows(page);
  })();
  const output = await evaluateCategory(
    compute,
    'NK',
    {
      material: {
        ontology: pages[0].ontology,
        truth,
        known: null,
        predictions: await submission(scored, signal),
        accretion: null,
        toi: null,
      },
      options,
    },
    { signal },
  );
  return aspects.map((aspect) => figuresOf(aspect, output));
}

function truthOf(rows: readonly TestedPage['truth'][number][]): AnnotationPairs {
  const proteins = new Numbering<string>((accession) => accession);
  const terms = new Numbering<string>((id) => id);
  return {
    protein: Int32Array.from(rows, ({ accession }) => proteins.numberOf(accession)),
    term: Int32Array.from(rows, ({ go_id }) => terms.numberOf(go_id)),
    proteins: proteins.values,
    terms: terms.values,
  };
}

function figuresOf(
  aspect: Aspect,
  { aspects: found }: EvaluateOutput,
): ReferenceReliability['aspects'][number] {
  const one = found.find((candidate) => candidate.aspect === aspect);
  const proteins = one?.frame.proteins_with_truth ?? 0;
  const interval = one?.intervals?.fmax;
  if (one === undefined || interval === undefined || proteins < leastProteins)
    return { aspect: cafaAspectOf[aspect], proteins, fmax: null, low: null, high: null, coverage: null };
  const { fmax, coverage } = one.figures;
  return { aspect: cafaAspectOf[aspect], proteins, fmax, low: interval.low, high: interval.high, coverage };
}
