import { longestSpec, runRecord } from '@kindred/contracts/resources/rerankers';
import { z } from 'zod';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import { damaged } from '../packs/pack-reader.js';
import { boosterBytes } from '../../predict/rerankers/booster.js';
import { rerankerOf } from '../../predict/rerankers/registration.js';
import {
  findRerankerByName,
  insertReranker,
  rerankersOfReference,
} from '../../store/evaluation/rerankers.repository.js';
import type { Transaction } from '../../store/postgres/db.js';

/** The figures and re-rankers of a reference belong to these sets and this configuration. */
export interface Measured {
  annotationSetId: string;
  snapshotId: string;
  configIds: readonly string[];
}

/** A pack holds the files of a re-ranker, and registering them makes its row. */
const packedReranker = z.strictObject({
  name: z.string().min(1).max(255),
  /** The manifest lists its vectors at this position. */
  vectors: z.int().min(0).max(7),
  external_source: z.string().max(500).nullable(),
  run: runRecord,
  spec_yaml: z.string().max(longestSpec),
  /** The booster is in LightGBM's text format. */
  model: z.string().min(1),
});
export const packedRerankers = z.array(packedReranker).max(100).default([]);
type PackedReranker = z.infer<typeof packedReranker>;

/** Reads the re-rankers that were trained on the vectors and the ontology of a reference, by name. */
export async function rerankersIn(
  trx: Transaction,
  { snapshotId, configIds }: Measured,
  artifacts: ArtifactStore,
): Promise<PackedReranker[]> {
  const packed: PackedReranker[] = [];
  for (const row of await rerankersOfReference(trx, { snapshotId, configIds }))
    packed.push({
      name: row.name,
      vectors: configIds.indexOf(row.embedding_config_id as string),
      external_source: row.external_source,
      run: row.run_json as PackedReranker['run'],
      spec_yaml: row.spec_yaml,
      model: Buffer.from(await boosterBytes(artifacts, row)).toString('utf8'),
    });
  return packed;
}

/**
 * Registers the re-rankers of a pack for an installed reference. A re-ranker that the service already has
 * stays. If the service uses a name for another re-ranker, the name of the reference is added to the name in
 * the pack.
 * @throws ProblemError bad_file for a booster that cannot be read
 */
export async function installRerankers(
  trx: Transaction,
  rerankers: readonly PackedReranker[],
  to: Measured & { reference: string },
): Promise<number> {
  let added = 0;
  for (const { name, vectors, external_source, run, spec_yaml, model } of rerankers) {
    if (vectors >= to.configIds.length) throw damaged('it has a re-ranker of other vectors');
    const registration = {
      run,
      specYaml: spec_yaml,
      modelBytes: Buffer.from(model),
      artifactUri: '',
      datasetId: null,
      externalSource: external_source,
    };
    const row = {
      ...(await rerankerOf({ ...registration, name }, false)),
      artifact_uri: null,
      model_data: model,
      embedding_config_id: to.configIds[vectors],
      ontology_snapshot_id: to.snapshotId,
    };
    const namesake = await findRerankerByName(trx, name);
    if (namesake?.model_sha256 === row.model_sha256) continue;
    const free = namesake === undefined ? name : `${name.slice(0, 120)} (${to.reference})`;
    if ((await insertReranker(trx, { ...row, name: free })) !== null) added++;
  }
  return added;
}
