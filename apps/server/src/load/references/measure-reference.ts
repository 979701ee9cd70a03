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
import type { OntologyColumns } from '@kindred/kernels/ontology';
import type { AnnotationPairs } from '@kindred/kernels/evaluation';
import { combinedInput, type CombinedSubject } from '../../predict/banks/combined-input.js';
import { bankWithout, wholeReference } from '../../predict/banks/source-choice.js';
import { ensureReferenceBank } from '../../predict/banks/ensure-reference-bank.js';
import { Numbering } from '../../ground/numbering.js';
import { combinedTask } from '../../predict/compute/tasks/combined.js';
import type { EvaluateOutput } from '../../predict/compute/tasks/evaluate.js';
import { evaluateCategory, evaluatorOptions } from '../../evaluate/evaluate-category.js';
import { submission } from '../../evaluate/submission.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import type { ScoredTermRow } from '../../store/evaluation/evaluation-predictions.repository.js';
import { queriesWithVectors } from '../../store/proteins/queries.repository.js';
import {
  experimentalSample,
  type ExperimentalRow,
  type ReferenceReliability,
  setReliability,
} from '../../store/references/reference-reliability.repository.js';
import { type DescribedReference, findReference } from '../../store/references/references.repository.js';
import type { Operation, OperationContext } from '../../work/operation/operation.js';

const name = 'measure_reference';
/**
 * At most this many proteins are held out, and at most this share of those with experiments, because the rest
 * must still serve as a reference.
 */
const mostHeldOut = 1000;
const largestShare = 0.2;
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
 * Measures how well the default method predicts the experimental terms of some proteins from all others, as
 * if they were new. Proteins of an equal sequence are left out with them. The figures are stored with the
 * reference.
 */
export const measureReference: Operation<'measure_reference'> = {
  name,
  async run({ reference_id }, context) {
    const reference = await findReference(context.db, reference_id);
    if (reference?.status !== 'complete')
      throw new ProblemError('conflict', `Reference ${reference_id} is not complete: build it first.`);
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
  const known = await experimentalSample(db, {
    setNumber: set.number,
    evidence: experimentalEvidence,
    share: largestShare,
    limit: mostHeldOut,
  });
  const accessions = [...new Set(known.map(({ accession }) => accession))];
  const queries = await queriesWithVectors(db, { kind: 'accessions', accessions }, [config.number]);
  const base = { method: 'combined', model_name: config.model_name, held_out: queries.length };
  if (queries.length < leastProteins)
    return {
      ...base,
      aspects: [],
      why_not: `Only ${accessions.length} proteins can be held out (a fifth of those with annotations by experiments); ${leastProteins} are needed.`,
    };
  await emit(`${name}.held_out`, { proteins: queries.length });
  const whole = await ensureReferenceBank(context, settings.cacheDir, { config, set }, { artifacts, emit });
  const bank = await bankWithout(
    whole,
    queries.map(({ sequence_id }) => sequence_id),
    context,
  );
  const { scored, ontology } = await predict({ queries, bank, config, set, merging: null }, context);
  const output = await evaluateCategory(
    context.compute,
    'NK',
    {
      material: {
        ontology,
        truth: truthOf(known, new Set(queries.map(({ accession }) => accession))),
        known: null,
        predictions: await submission(scored, signal),
        accretion: null,
        toi: null,
      },
      options,
    },
    { signal },
  );
  return { ...base, aspects: aspects.map((aspect) => figuresOf(aspect, output)), why_not: null };
}

/** Computes the scores of all queries by the default method, on all threads. Each task takes a page. */
async function predict(
  subject: CombinedSubject,
  context: OperationContext,
): Promise<{ scored: AsyncIterable<readonly ScoredTermRow[]>; ontology: OntologyColumns }> {
  const starts = Array.from(
    { length: Math.ceil(subject.queries.length / queriesPerTask) },
    (_, task) => task * queriesPerTask,
  );
  const pages: ScoredTermRow[][] = starts.map(() => []);
  let terms: OntologyColumns | null = null;
  let done = 0;
  const next = starts.entries();
  // Each thread takes the next task when its last one is done; pages keep the order of the queries.
  const takeTasks = async () => {
    for (const [task, from] of next) {
      const queries = subject.queries.slice(from, from + queriesPerTask);
      const { rows, ontology } = await predictSome({ ...subject, queries }, context);
      terms = ontology;
      pages[task] = rows;
      done += queries.length;
      await context.progress(done, subject.queries.length);
    }
  };
  await Promise.all(Array.from({ length: context.compute.size }, takeTasks));
  const scored = (async function* () {
    yield* pages;
  })();
  return { scored, ontology: terms as unknown as OntologyColumns };
}

async function predictSome(subject: CombinedSubject, context: OperationContext) {
  const choices = { k: combinedSources, sources: wholeReference, aspect: null };
  const { input, ontology } = await combinedInput(subject, choices, context);
  const found = await context.compute.run(combinedTask, input, { signal: context.signal });
  const rows = Array.from(found.query, (query, i) => ({
    protein_accession: subject.queries[query].accession,
    go_id: subject.bank.texts.goIds[found.term[i]],
    score: found.score[i],
  }));
  return { rows, ontology };
}

function truthOf(rows: readonly ExperimentalRow[], measured: ReadonlySet<string>): AnnotationPairs {
  const proteins = new Numbering<string>((accession) => accession);
  const terms = new Numbering<string>((id) => id);
  const kept = rows.filter(({ accession }) => measured.has(accession));
  return {
    protein: Int32Array.from(kept, ({ accession }) => proteins.numberOf(accession)),
    term: Int32Array.from(kept, ({ go_id }) => terms.numberOf(go_id)),
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
