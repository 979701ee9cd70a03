import { ProblemError } from '@kindred/contracts';
import type { referenceBody } from '@kindred/contracts/resources/rerankers';
import { refusedUri } from '../../../ground/artifacts/keys.js';
import { readArtifact } from '../../../predict/rerankers/booster.js';
import { registerReranker, requireFreeName } from '../../../predict/rerankers/register.js';
import { type Registration, rerankerOf } from '../../../predict/rerankers/registration.js';
import type { NewReranker, RerankerRow } from '../../../store/evaluation/rerankers.repository.js';
import type { RouteDeps } from '../../deps.js';
import { fieldProblem, validationProblem } from '../../problems.js';
import type { z } from 'zod';

type Choices = Pick<z.infer<typeof referenceBody>, 'name' | 'dataset_id' | 'external_source' | 'force'>;
type Source = Pick<Registration, 'run' | 'specYaml' | 'modelBytes'>;

/** Names the key of a run's booster in the service's own store. */
export function boosterKey(runId: string): string {
  return `rerankers/${runId}/model.txt`;
}

/**
 * Stores an uploaded booster and registers it. Nothing is stored before all three files were read and names
 * compared.
 */
export async function importUploaded(
  deps: RouteDeps,
  source: Source,
  choices: Choices,
): Promise<RerankerRow> {
  const key = boosterKey(source.run.run_id);
  const artifactUri = deps.artifacts.uriOf(key);
  const row = await rowOf(deps, { ...source, artifactUri }, choices);
  await requireFreeName(deps, row, choices.force);
  await deps.artifacts.put(key, source.modelBytes);
  return registerReranker(deps.db, row, choices.force);
}

/** Registers a booster that is already in the artifact store. It is read and checked like an uploaded one. */
export async function importByReference(
  deps: RouteDeps,
  { artifact_uri: address, run_json: run, spec_yaml: specYaml, ...choices }: z.infer<typeof referenceBody>,
): Promise<RerankerRow> {
  const artifactUri = deps.artifacts.uriOf(deps.artifacts.keyOf(address));
  const own = deps.artifacts.addressOf(artifactUri);
  if (own !== address) throw refusedUri(address, `the file of this name is at ${own}`);
  const modelBytes = await readArtifact(deps.artifacts, artifactUri, deps.settings.maxUploadBytes).catch(
    (error: unknown) => {
      if (!(error instanceof ProblemError) || error.code !== 'artifact_not_found') throw error;
      throw fieldProblem('/artifact_uri', error.message, error.code);
    },
  );
  const row = await rowOf(deps, { run, specYaml, modelBytes, artifactUri }, choices);
  await requireFreeName(deps, row, choices.force);
  return registerReranker(deps.db, row, choices.force);
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

/** @throws ProblemError validation_failed if it is not JSON */
export function parseRunJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw validationProblem([
      { path: '/run.json', message: `not JSON: ${(cause as Error).message}`, code: 'invalid_json' },
    ]);
  }
}
