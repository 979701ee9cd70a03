import { type Aspect, aspects, ProblemError } from '@kindred/contracts';
import type { CombinedQuery } from '@kindred/kernels/combined';
import { inPresentNames, sourceChoice } from '@kindred/contracts/resources/prediction-sets';
import { indexOfSorted } from '@kindred/kernels/arrays';
import { z } from 'zod';
import type { BankContext } from '../banks/bank-context.js';
import {
  type CombinedChoices,
  combinedInput,
  type CombinedSubject,
  curvesFor,
  queryWithSources,
} from '../banks/combined-input.js';
import { selectedBank } from '../banks/source-choice.js';
import { commonBank } from '../banks/merged-embeddings.js';
import { type BankSubject, ensureReferenceBank } from '../banks/ensure-reference-bank.js';
import { sourcesInBank } from '../banks/sources-in-bank.js';
import type { ReferenceBank } from '../compute/reference-bank.js';
import { searchedSourcesTask } from '../compute/tasks/searched-sources.js';
import { type ShownAlignment, shownAlignmentTask } from '../compute/tasks/shown-alignment.js';
import {
  scoreTolerance,
  type TermEvidenceInput,
  type TermEvidenceOutput,
  termEvidenceTask,
} from '../compute/tasks/term-evidence.js';
import { findAnnotationSet } from '../../store/annotations/annotations.repository.js';
import { findEmbeddingConfig } from '../../store/embeddings/embedding-configs.repository.js';
import { decodeSources } from '../../store/predictions/stored-sources.js';
import type { NamedPredictionSetRow } from '../../store/predictions/prediction-sets.repository.js';
import { queryOfSet, sequencesOfSources } from '../../store/predictions/term-evidence.repository.js';
import { type QueryRow, sequenceTexts } from '../../store/proteins/queries.repository.js';

export interface AskedTerm {
  accession: string;
  goId: string;
  score: number;
  /** The alignment with this source is wanted. */
  alignWith: string | null;
}

export interface TermEvidence extends TermEvidenceOutput {
  bank: ReferenceBank;
}

const choices = z.looseObject({
  ...sourceChoice.shape,
  more_embedding_config_ids: z.array(z.string()).nullable().default(null),
  donor_taxonomy_sha256: z.string().nullable().default(null),
  aspect: z
    .enum(aspects as readonly [Aspect, ...Aspect[]])
    .nullable()
    .default(null),
});

/**
 * Explains the score of one term of a set by the method combined, computed again from the set's reference.
 *
 * @throws ProblemError conflict if the reference was deleted or has changed since, so that the score would
 * differ
 */
export async function explainTerm(
  set: NamedPredictionSetRow,
  { accession, goId, score, alignWith }: AskedTerm,
  { cacheDir, ...context }: BankContext & { cacheDir: string },
): Promise<TermEvidence> {
  const { db } = context;
  const { config, annotations, query } = await madeFrom(set, accession, db);
  const subject = { config, set: annotations };
  const chosen = choices.parse(inPresentNames(set.parameters));
  const sourceProteins = sourceChoice.parse(chosen);
  const whole = await ensureReferenceBank(context, cacheDir, subject);
  const chosenBank = await selectedBank(whole, sourceProteins, chosen.donor_taxonomy_sha256, context);
  const bank = await commonBank(
    chosenBank,
    await furtherBanks(subject, chosen, { cacheDir, ...context }),
    context,
  );
  const sources = { query, bank, config, set: annotations };
  const asked =
    query.donors === null
      ? await searchedQuery(
          sources,
          { k: set.limit_per_entry, sources: sourceProteins, aspect: chosen.aspect, sequenceOnly: false },
          context,
        )
      : await storedQuery(
          { ...sources, isMerged: chosen.more_embedding_config_ids !== null },
          query.donors,
          context,
        );
  if (asked === null) throw changed(set);
  const aligned = alignWith === null ? -1 : referenceOf(bank, alignWith);
  const databaseCurves =
    chosen.more_embedding_config_ids === null
      ? await databaseCurvesOf({ ...sources, merging: null }, sourceProteins, set, context)
      : [];
  const found = await context.compute.run(
    termEvidenceTask,
    {
      ...asked,
      ...(await lettersOf(asked.query, { bank, query, aligned }, context)),
      databaseCurves,
      score,
      term: indexOfSorted(bank.texts.goIds, goId),
      alignWith: aligned,
    },
    { signal: context.signal },
  );
  if (found.explanation === null || Math.abs(found.explanation.score - score) > scoreTolerance)
    throw changed(
      set,
      `: ${goId} of ${accession} would score ${found.explanation?.score.toFixed(4) ?? 'nothing'} now, not ${score.toFixed(4)}`,
    );
  return { ...found, bank };
}

/** Reads the rows that the answer for a query was made from. @throws ProblemError conflict if one was deleted */
async function madeFrom(set: NamedPredictionSetRow, accession: string, db: BankContext['db']) {
  const config =
    set.embedding_config_id === null ? undefined : await findEmbeddingConfig(db, set.embedding_config_id);
  const annotations =
    set.annotation_set_id === null ? undefined : await findAnnotationSet(db, set.annotation_set_id);
  const query = await queryOfSet(db, set, accession);
  if (config === undefined || annotations === undefined || query === undefined)
    throw new ProblemError(
      'conflict',
      `What prediction set ${set.id} was made from was deleted, so its evidence cannot be computed. Predict again with a reference that is there.`,
    );
  return { config, annotations, query };
}

/** Finds the curves of the rate at which databases hold a term, for the sources that a set was made with. */
async function databaseCurvesOf(
  subject: Parameters<typeof curvesFor>[0],
  sources: z.infer<typeof sourceChoice>,
  { limit_per_entry: k }: NamedPredictionSetRow,
  context: Parameters<typeof curvesFor>[2],
) {
  return (await curvesFor(subject, { k, sources }, context)).databaseCurves;
}

/** Gives the banks of the other embeddings that a set was made with. */
async function furtherBanks(
  { set }: BankSubject,
  { more_embedding_config_ids: ids }: z.infer<typeof choices>,
  { db, memory, cacheDir }: Pick<BankContext, 'db' | 'memory'> & { cacheDir: string },
): Promise<ReferenceBank[]> {
  const banks: ReferenceBank[] = [];
  for (const id of ids ?? []) {
    const config = await findEmbeddingConfig(db, id);
    if (config === undefined)
      throw new ProblemError(
        'conflict',
        `Embedding configuration ${id}, which the set was made with, was deleted, so its evidence cannot be computed. Predict again.`,
      );
    banks.push(await ensureReferenceBank({ db, memory }, cacheDir, { config, set }));
  }
  return banks;
}

function changed(set: NamedPredictionSetRow, how = ''): ProblemError {
  return new ProblemError(
    'conflict',
    `The reference of prediction set ${set.id} has changed since it was made${how}. Predict again to see the evidence.`,
  );
}

/**
 * Gives the alignment of a query of a set with one of the sources that were stored with the term.
 *
 * @throws ProblemError not_found if the protein does not support the term; conflict if either of them was
 * deleted
 */
export async function alignedSource(
  set: NamedPredictionSetRow,
  { accession, goId, alignWith }: AskedTerm & { alignWith: string },
  sourceProteins: readonly (string | null)[],
  { db, compute, signal }: Omit<BankContext, 'memory'>,
): Promise<ShownAlignment | null> {
  if (!sourceProteins.includes(alignWith))
    throw new ProblemError('not_found', `Protein ${alignWith} is not among the sources of ${goId} here.`);
  const query = await queryOfSet(db, set, accession);
  const annotations =
    set.annotation_set_id === null ? undefined : await findAnnotationSet(db, set.annotation_set_id);
  if (annotations === undefined)
    throw new ProblemError(
      'conflict',
      `The reference that prediction set ${set.id} was made from was deleted, and with it the sequence of ${alignWith}. Predict again with a reference that is there.`,
    );
  const source = (await sequencesOfSources(db, annotations.number, [alignWith])).get(alignWith);
  if (query === undefined || source === undefined)
    throw new ProblemError(
      'conflict',
      `Protein ${source === undefined ? alignWith : accession} was deleted since the prediction was made, so it cannot be aligned.`,
    );
  const texts = await sequenceTexts(db, [query.sequence_id]);
  const task = { query: texts.get(query.sequence_id) as string, source };
  return compute.run(shownAlignmentTask, task, { signal });
}

interface Sources {
  query: QueryRow;
  bank: ReferenceBank;
  config: CombinedSubject['config'];
  set: CombinedSubject['set'];
}
type ScoredSubject = Pick<TermEvidenceInput, 'shared' | 'query' | 'hasModel'> | null;

/** Gives the query with its stored sources; null if the reference lacks one of them. */
async function storedQuery(
  { isMerged, ...sources }: Sources & { isMerged: boolean },
  stored: Uint8Array,
  context: BankContext,
): Promise<ScoredSubject> {
  const sourceProteins = sourcesInBank(decodeSources(stored), sources.bank.texts.accessions);
  if (sourceProteins === null) return null;
  const near = { ...sourceProteins.near, isMerged };
  return queryWithSources({ ...sources, isMerged }, { ...sourceProteins, near }, context);
}

/**
 * Searches the sources again for a query of a set from before sources were stored. Null means that the query
 * has no answer.
 */
async function searchedQuery(
  { query, bank, config, set }: Sources,
  choice: CombinedChoices,
  context: BankContext,
): Promise<ScoredSubject> {
  // Only sets from before sources were stored reach this search, and these have one embedding.
  const { input } = await combinedInput(
    { queries: [query], bank, config, set, merging: null },
    choice,
    context,
  );
  const [found] = await context.compute.run(
    searchedSourcesTask,
    { ...input, curves: [] },
    { signal: context.signal },
  );
  return found === null ? null : { shared: input.shared, query: found, hasModel: input.hasModel[0] === 1 };
}

/** Reads the residues of the query, of its sources and of the reference that is aligned. */
async function lettersOf(
  { aligned, near }: CombinedQuery,
  { bank, query, aligned: other }: { bank: ReferenceBank; query: QueryRow; aligned: number },
  { db }: BankContext,
): Promise<Pick<TermEvidenceInput, 'sequence' | 'letters'>> {
  const { referenceSequence, sequenceIds } = bank.arrays;
  const references = new Set([...aligned.reference, ...near.reference, ...(other < 0 ? [] : [other])]);
  const idOf = (reference: number) => sequenceIds[referenceSequence[reference]];
  const ids = new Set([query.sequence_id, ...Array.from(references, idOf)]);
  const texts = await sequenceTexts(db, [...ids]);
  return {
    sequence: texts.get(query.sequence_id) as string,
    letters: new Map(
      Array.from(references, (reference) => [reference, texts.get(idOf(reference)) as string]),
    ),
  };
}

function referenceOf(bank: ReferenceBank, accession: string): number {
  const reference = indexOfSorted(bank.texts.accessions, accession);
  if (reference < 0)
    throw new ProblemError(
      'not_found',
      `Protein ${accession} is not among the references of this prediction set.`,
    );
  return reference;
}
