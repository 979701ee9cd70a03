import type { Aspect, Category } from '@kindred/contracts';
import { type Selectable, sql } from 'kysely';
import { type Cursor, type Page, pageOf } from '../postgres/cursor.js';
import type { Queryable, Transaction } from '../postgres/connection.js';
import { type Reader, visibleTo } from '../postgres/fragments/visibility.js';
import { markOf, type ReferenceMark } from '../postgres/fragments/references.js';
import type { Tables } from '../postgres/tables.generated.js';
import type { ResultFigures, ResultIntervals, StoredResultArtifact } from '../postgres/column-types.js';

export type {
  FigureInterval,
  Figures,
  ResultFigures,
  ResultIntervals,
  StoredResultArtifact,
} from '../postgres/column-types.js';

export type EvaluationResultRow = Selectable<Tables['evaluation_result']> & {
  /** The predictions were made with this reference; null means none. */
  reference: ReferenceMark | null;
};

function marked(db: Queryable) {
  return db
    .selectFrom('evaluation_result')
    .selectAll('evaluation_result')
    .select((select) =>
      select
        .selectFrom('prediction_set')
        .select(markOf('prediction_set.annotation_set_id').as('reference'))
        .whereRef('prediction_set.id', '=', 'evaluation_result.prediction_set_id')
        .as('reference'),
    );
}

/**
 * Lists the results of one set, newest first: of the named prediction set, or of all that the reader may
 * find.
 */
export async function listEvaluationResults(
  db: Queryable,
  evaluationSetId: string,
  page: { reader: Reader; limit: number; after?: Cursor; predictionSetId?: string },
): Promise<Page<EvaluationResultRow>> {
  const chosen = marked(db)
    .where('evaluation_set_id', '=', evaluationSetId)
    .$if(page.predictionSetId !== undefined, (query) =>
      query.where('prediction_set_id', '=', page.predictionSetId as string),
    )
    .$if(page.predictionSetId === undefined, (query) =>
      query.where(
        sql<boolean>`exists (select from prediction_set where id = evaluation_result.prediction_set_id and ${visibleTo('prediction_set', page.reader)})`,
      ),
    );
  return pageOf(db, chosen, { table: 'evaluation_result' }, page);
}

export async function findEvaluationResult(
  db: Queryable,
  id: string,
): Promise<EvaluationResultRow | undefined> {
  return marked(db).where('id', '=', id).executeTakeFirst();
}

export interface ResultIdentity {
  evaluationSetId: string;
  predictionSetId: string;
  optionsSha256: string;
}

/** Finds the result of the same sets and options, because every figure depends on these alone. */
export async function findEqualResult(
  db: Queryable,
  identity: ResultIdentity,
): Promise<EvaluationResultRow | undefined> {
  return marked(db)
    .where('evaluation_set_id', '=', identity.evaluationSetId)
    .where('prediction_set_id', '=', identity.predictionSetId)
    .where('options_sha256', '=', identity.optionsSha256)
    .executeTakeFirst();
}

/** One category and aspect has these figures of the resamples. */
export interface Resamples {
  category: Category;
  aspect: Aspect;
  populationKey: number;
  seed: number;
  resamples: number;
  proteins: number;
  figures: readonly string[];
  /** The whole data give these figures: float64 [figures] */
  estimates: Float64Array;
  /** Each resample gives these figures: float64 [figures x resamples] */
  samples: Float64Array;
}

export interface NewEvaluationResult extends ResultIdentity {
  id: string;
  jobId: string;
  options: Record<string, unknown>;
  frame: Record<string, unknown>;
  results: ResultFigures;
  intervals: ResultIntervals | null;
  artifacts: StoredResultArtifact[];
  resamples: Resamples[];
}

/** Returns false, and writes nothing, if an equal result has appeared meanwhile. */
export async function insertEvaluationResult(
  trx: Transaction,
  result: NewEvaluationResult,
): Promise<boolean> {
  const row = await trx
    .insertInto('evaluation_result')
    .values({
      id: result.id,
      evaluation_set_id: result.evaluationSetId,
      prediction_set_id: result.predictionSetId,
      job_id: result.jobId,
      options: JSON.stringify(result.options),
      options_sha256: result.optionsSha256,
      frame: JSON.stringify(result.frame),
      results: JSON.stringify(result.results),
      intervals: result.intervals === null ? null : JSON.stringify(result.intervals),
      artifacts: JSON.stringify(result.artifacts),
    })
    .onConflict((conflict) =>
      conflict.columns(['evaluation_set_id', 'prediction_set_id', 'options_sha256']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return false;
  for (const part of result.resamples) {
    const { samples } = part;
    await trx
      .insertInto('evaluation_resamples')
      .values({
        evaluation_result_id: result.id,
        category: part.category,
        aspect: part.aspect,
        population_key: part.populationKey,
        seed: part.seed,
        resamples: part.resamples,
        proteins: part.proteins,
        figures: [...part.figures],
        estimates: [...part.estimates],
        samples: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength),
      })
      .execute();
  }
  return true;
}

export async function resamplesOf(db: Queryable, resultId: string): Promise<Resamples[]> {
  const rows = await db
    .selectFrom('evaluation_resamples')
    .selectAll()
    .where('evaluation_result_id', '=', resultId)
    .orderBy('category')
    .orderBy('aspect')
    .execute();
  return rows.map(readResamples);
}

function readResamples(row: Selectable<Tables['evaluation_resamples']>): Resamples {
  // The bytes are copied, because the driver's bytes may not be aligned.
  const samples = new Float64Array(Uint8Array.from(row.samples).buffer);
  return {
    category: row.category as Category,
    aspect: row.aspect as Aspect,
    populationKey: row.population_key,
    seed: row.seed,
    resamples: row.resamples,
    proteins: row.proteins,
    figures: row.figures,
    estimates: Float64Array.from(row.estimates),
    samples,
  };
}

/**
 * Deletes a result and returns it; undefined for an unknown id. Its resamples are deleted, too; the caller
 * deletes the artifacts.
 */
export async function deleteEvaluationResult(
  db: Queryable,
  id: string,
): Promise<Pick<EvaluationResultRow, 'artifacts'> | undefined> {
  return db.deleteFrom('evaluation_result').where('id', '=', id).returning('artifacts').executeTakeFirst();
}
