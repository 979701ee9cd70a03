import type { ProbabilityBin, ProbabilityCurve } from '@kindred/kernels/combined';
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Queryable, Transaction } from '../postgres/connection.js';
import type { Tables } from '../postgres/tables.generated.js';

/** The curves of a calibration are valid for these sources and choices. */
export interface CalibratedReference {
  annotationSetId: string;
  /** The neighbours in these embeddings, in any order, are sources. */
  embeddingConfigIds: readonly string[];
  /** The scores use this number of sources of each kind. */
  donors: number;
  /** The annotations of these evidence groups count. */
  evidence: readonly string[];
}

/** Gives the columns of the key that the sources decide. */
function keyOf({ annotationSetId, embeddingConfigIds, donors, evidence }: CalibratedReference) {
  const [first, ...more] = [...embeddingConfigIds].sort();
  return {
    annotation_set_id: annotationSetId,
    embedding_config_id: first,
    more_embedding_config_ids: more,
    donors,
    evidence: [...evidence].sort(),
  };
}

function isOf(reference: CalibratedReference): RawBuilder<boolean> {
  const { annotation_set_id, embedding_config_id, more_embedding_config_ids, donors, evidence } =
    keyOf(reference);
  return sql<boolean>`(annotation_set_id = ${annotation_set_id} and embedding_config_id = ${embedding_config_id}
    and more_embedding_config_ids = ${more_embedding_config_ids}::uuid[] and donors = ${donors} and evidence = ${evidence}::text[])`;
}

export async function storedCurves(
  db: Queryable,
  reference: CalibratedReference,
): Promise<ProbabilityCurve[]> {
  const rows = await db
    .selectFrom('calibration_curve')
    .select(['method', 'aspect', 'known', 'bins', 'kingdoms', 'calibration_window'])
    .where(isOf(reference))
    .execute();
  return rows.map(({ method, aspect, known, bins, kingdoms, calibration_window }) => ({
    method,
    reference: reference.annotationSetId,
    aspect,
    known,
    bins: bins as unknown as ProbabilityBin[],
    kingdoms,
    windows: [calibration_window],
  }));
}

export type NewCurve = Omit<
  Insertable<Tables['calibration_curve']>,
  keyof ReturnType<typeof keyOf> | 'bins'
> & { bins: readonly ProbabilityBin[] };

/** The curves of one calibration replace all curves of the previous one. */
export async function replaceCurves(
  trx: Transaction,
  reference: CalibratedReference,
  curves: readonly NewCurve[],
): Promise<void> {
  const key = keyOf(reference);
  await trx.deleteFrom('calibration_curve').where(isOf(reference)).execute();
  if (curves.length === 0) return;
  await trx
    .insertInto('calibration_curve')
    .values(curves.map((curve) => ({ ...curve, ...key, bins: JSON.stringify(curve.bins) })))
    .execute();
}

export interface CalibrationQueryRow {
  accession: string;
  /** The flag is true if the query is a protein of the reference. */
  is_known: boolean;
  /** The catalogue gives the NCBI taxon, or 0 if it has none. */
  taxon: number;
}

/** Reads the requested queries of a prediction set, with their taxon in the catalogue. */
export async function calibrationQueries(
  db: Queryable,
  setNumber: number,
  accessions: readonly string[],
): Promise<CalibrationQueryRow[]> {
  const { rows } = await sql<CalibrationQueryRow>`
    select q.protein_accession as accession, q.known_accession is not null as is_known, coalesce(p.taxonomy_id, 0) as taxon
    from prediction_set_protein q left join protein p on p.accession = q.protein_accession
    where q.prediction_set_number = ${setNumber} and q.protein_accession = any(${accessions}::text[]) and q.no_answer is null`.execute(
    db,
  );
  return rows;
}

export async function curvesOfSet(
  db: Queryable,
  annotationSetId: string,
): Promise<Selectable<Tables['calibration_curve']>[]> {
  return db
    .selectFrom('calibration_curve')
    .selectAll()
    .where('annotation_set_id', '=', annotationSetId)
    .orderBy('embedding_config_id')
    .orderBy('more_embedding_config_ids')
    .orderBy('donors')
    .orderBy('evidence')
    .orderBy('method')
    .orderBy('aspect')
    .orderBy('known')
    .execute();
}

/** Inserts curves that were measured elsewhere. */
export async function insertCurves(
  trx: Transaction,
  curves: readonly Insertable<Tables['calibration_curve']>[],
): Promise<void> {
  if (curves.length > 0)
    await trx
      .insertInto('calibration_curve')
      .values([...curves])
      .execute();
}
