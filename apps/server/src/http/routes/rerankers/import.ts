import { ProblemError } from '@kindred/contracts';
import type { referenceBody } from '@kindred/contracts/resources/rerankers';
import { readArtifact } from '../../../rerankers/booster.js';
import { type Registration, rerankerOf } from '../../../rerankers/registration.js';
import { inTransaction } from '../../../store/postgres/db.js';
import {
  deleteReranker,
  findRerankerByName,
  insertReranker,
  type NewReranker,
  type RerankerRow,
  rerankersAt,
} from '../../../store/evaluation/rerankers.repository.js';
import type { RouteDeps } from '../../deps.js';
import { validationProblem } from '../../problems.js';
import type { z } from 'zod';

type Choices = Pick<z.infer<typeof referenceBody>, 'name' | 'dataset_id' | 'external_source' | 'force'>;
type Source = Pick<Registration, 'run' | 'specYaml' | 'modelBytes'>;

/** Where the service itself keeps the booster of a run. */
export function boosterKey(runId: string): string {
  return `rerankers/${runId}/model.txt`;
}

/** Stores an uploaded booster and registers it. Nothing is stored before all three files were read and names compared. */
export async function importUploaded(
  deps: RouteDeps,
  source: Source,
  choices: Choices,
): Promise<RerankerRow> {
  const key = boosterKey(source.run.run_id);
  const artifactUri = deps.artifacts.uriOf(key);
  const row = await rowOf(deps, { ...source, artifactUri }, choices);
  await requireFree(deps, row, choices.force);
  await deps.artifacts.put(key, source.modelBytes);
  return register(deps, row, choices.force);
}

/** Registers a booster that is already in the artifact store; it is read and checked as an uploaded one. */
export async function importByReference(
  deps: RouteDeps,
  {
    artifact_uri: artifactUri,
    run_json: run,
    spec_yaml: specYaml,
    ...choices
  }: z.infer<typeof referenceBody>,
): Promise<RerankerRow> {
  const modelBytes = await readArtifact(deps.artifacts, artifactUri, deps.settings.maxUploadBytes);
  const row = await rowOf(deps, { run, specYaml, modelBytes, artifactUri }, choices);
  await requireFree(deps, row, choices.force);
  return register(deps, row, choices.force);
}

function rowOf(
  deps: RouteDeps,
  source: Source & { artifactUri: string },
  choices: Choices,
): Promise<NewReranker> {
  return rerankerOf(
    {
      ...source,
      name: choices.name ?? source.run.run_id,
      datasetId: choices.dataset_id ?? null,
      externalSource: choices.external_source ?? null,
    },
    deps.settings.schemaShaV2WriteEnabled,
  );
}

/** A name belongs to one re-ranker, and another one's booster is never overwritten. */
async function requireFree({ db }: RouteDeps, row: NewReranker, force: boolean): Promise<void> {
  const namesake = await findRerankerByName(db, row.name);
  if (namesake !== undefined && !force) throw taken(row.name);
  const others = await rerankersAt(db, row.artifact_uri as string);
  const other = others.find(
    ({ id, model_sha256 }) => id !== namesake?.id && model_sha256 !== row.model_sha256,
  );
  if (other === undefined) return;
  throw new ProblemError(
    'already_exists',
    `Re-ranker ${JSON.stringify(other.name)} keeps another booster at ${row.artifact_uri}. Give run.json another run_id.`,
  );
}

async function register({ db }: RouteDeps, row: NewReranker, force: boolean): Promise<RerankerRow> {
  return inTransaction(db, async (trx) => {
    if (force) {
      const namesake = await findRerankerByName(trx, row.name);
      if (namesake !== undefined) await deleteReranker(trx, namesake.id);
    }
    const inserted = await insertReranker(trx, row);
    if (inserted === null) throw taken(row.name);
    return inserted;
  });
}

function taken(name: string): ProblemError {
  return new ProblemError(
    'already_exists',
    `There is a re-ranker ${JSON.stringify(name)}. Choose another name, or set force to take its place.`,
  );
}

/** run.json as a value. @throws ProblemError validation_failed where it is not JSON */
export function parseRunJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw validationProblem([
      { path: '/run.json', message: `not JSON: ${(cause as Error).message}`, code: 'invalid_json' },
    ]);
  }
}
