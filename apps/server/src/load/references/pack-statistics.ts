import { aspects } from '@kindred/contracts/vocabulary';
import { z } from 'zod';
import {
  currentTaxonConstraints,
  replaceTaxonConstraints,
} from '../../store/ontology/taxon-constraints.repository.js';
import { curvesOfSet, insertCurves } from '../../store/evaluation/calibration.repository.js';
import {
  informationOfSet,
  insertInformationAccretion,
} from '../../store/evaluation/information-accretion.repository.js';
import type { Transaction } from '../../store/postgres/db.js';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { damaged } from '../packs/pack-reader.js';
import { installRerankers, type Measured, packedRerankers, rerankersIn } from './pack-rerankers.js';

const count = z.int().min(0);
const texts = z.array(z.string().max(200)).max(200_000);

/** The member holds figures measured on a reference, models trained for it, and limits of terms to taxa. */
const statistics = z.strictObject({
  information: z
    .array(
      z.strictObject({
        evidence: texts,
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        protein_count: count,
        go_ids: texts,
        bits: z.array(z.number()).max(200_000),
      }),
    )
    .max(1000),
  curves: z
    .array(
      z.strictObject({
        /** The manifest lists its vectors at this position. */
        vectors: z.int().min(0).max(7),
        /** The vectors at these positions were searched together with these. */
        more_vectors: z.array(z.int().min(0).max(7)).max(7).optional(),
        donors: count,
        evidence: texts,
        method: z.enum(['combined', 'untrained']),
        aspect: z.enum(aspects),
        known: z.enum(['nothing', 'other aspects', 'same aspect']),
        bins: z.array(z.record(z.string(), z.unknown())).max(10_000),
        kingdoms: texts,
        calibration_window: z.string().max(1000),
        prediction_count: count,
        protein_count: count,
        /** The id is valid in the database of the service that measured the figures. */
        evaluation_set_id: z.guid(),
        prediction_set_id: z.guid(),
      }),
    )
    .max(10_000),
  taxon_constraints: z
    .strictObject({
      source_version: z.string().max(1000),
      content_sha256: z.string().max(100),
      constraints: z.array(z.record(z.string(), z.unknown())).max(1_000_000),
      unions: z.record(z.string(), z.array(z.string())),
    })
    .nullable(),
  rerankers: packedRerankers,
});
type PackStatistics = z.infer<typeof statistics>;

export async function packedStatistics(
  trx: Transaction,
  of: Measured,
  artifacts: ArtifactStore,
): Promise<PackStatistics> {
  const information = await informationOfSet(trx, of);
  const curves = await curvesOfSet(trx, of.annotationSetId);
  const constraints = await currentTaxonConstraints(trx);
  return {
    information: information.map(({ evidence, sha256, protein_count, go_ids, bits }) => ({
      evidence,
      sha256,
      protein_count,
      go_ids,
      bits,
    })),
    curves: curves
      .filter(({ embedding_config_id, more_embedding_config_ids: more }) =>
        [embedding_config_id, ...more].every((id) => of.configIds.includes(id)),
      )
      .map(
        ({
          annotation_set_id: _,
          embedding_config_id,
          more_embedding_config_ids: more,
          created_at: __,
          job_id: ___,
          bins,
          ...curve
        }) => ({
          ...curve,
          vectors: of.configIds.indexOf(embedding_config_id),
          ...(more.length > 0 && { more_vectors: more.map((id) => of.configIds.indexOf(id)) }),
          bins: bins as unknown as Record<string, unknown>[],
        }),
      ),
    taxon_constraints:
      constraints === undefined
        ? null
        : {
            source_version: constraints.source_version,
            content_sha256: constraints.content_sha256,
            constraints: constraints.constraints as unknown as Record<string, unknown>[],
            unions: constraints.unions,
          },
    rerankers: await rerankersIn(trx, of, artifacts),
  };
}

/**
 * Stores the statistics for an installed reference. Existing taxon constraints of the service stay.
 * @throws ProblemError bad_file
 */
export async function installStatistics(
  trx: Transaction,
  bytes: AsyncIterable<Buffer>,
  to: Measured & { jobId: string; reference: string },
): Promise<void> {
  const { information, curves, taxon_constraints, rerankers } = await read(bytes);
  for (const { evidence, sha256, protein_count, go_ids, bits } of information) {
    if (go_ids.length !== bits.length) throw damaged('information of its terms does not fit the terms');
    await insertInformationAccretion(trx, {
      ontologySnapshotId: to.snapshotId,
      annotationSetId: to.annotationSetId,
      evidence,
      sha256,
      proteinCount: protein_count,
      goIds: go_ids,
      bits: Float64Array.from(bits),
    });
  }
  if (
    curves.some(({ vectors, more_vectors = [] }) => Math.max(vectors, ...more_vectors) >= to.configIds.length)
  )
    throw damaged('its reliability is that of other vectors');
  await insertCurves(
    trx,
    curves.map(({ vectors, more_vectors = [], bins, ...curve }) => {
      // This service has other ids, so their order may differ.
      const [first, ...more] = [vectors, ...more_vectors].map((place) => to.configIds[place]).sort();
      return {
        ...curve,
        annotation_set_id: to.annotationSetId,
        embedding_config_id: first,
        more_embedding_config_ids: more,
        bins: JSON.stringify(bins),
      };
    }),
  );
  await installRerankers(trx, rerankers, to);
  if (taxon_constraints === null || (await currentTaxonConstraints(trx)) !== undefined) return;
  await replaceTaxonConstraints(trx, taxon_constraints as never, to.jobId);
}

async function read(bytes: AsyncIterable<Buffer>): Promise<PackStatistics> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw damaged('its statistics are not JSON');
  }
  const parsed = statistics.safeParse(json);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw damaged(`its statistics do not fit (${path.join('.')}: ${message})`);
}
