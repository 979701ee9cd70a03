import { join } from 'node:path';
import { generateEvaluationSet } from '../evaluate/generate-evaluation-set.js';
import type { ArtifactStore } from '../ground/artifacts/artifact-store.js';
import { createLocalArtifacts } from '../ground/artifacts/local.js';
import { type EvaluationWorld, fillEvaluationWorld } from './evaluation-world.js';
import { inlineCompute } from './inline-compute.js';
import { loadingBench } from './loading-context.js';
import { type LoadingWorld, startLoadingWorld } from './loading-world.js';

/** The tests of evaluations have the small world with its evaluation set, and a bench that keeps artifacts. */
export interface EvaluationBench extends LoadingWorld {
  /** The artifacts are in the folder `artifacts` of `folder`. */
  artifacts: ArtifactStore;
  world: EvaluationWorld;
  setId: string;
}

export async function startEvaluationBench(): Promise<EvaluationBench> {
  const loading = await startLoadingWorld();
  const { db, folder } = loading;
  const artifacts = createLocalArtifacts(join(folder, 'artifacts'));
  const bench = loadingBench(db, { importDirs: [folder], services: { compute: inlineCompute(), artifacts } });
  const world = await fillEvaluationWorld(db);
  const made = await bench.run(generateEvaluationSet, {
    old_annotation_set_id: world.oldSetId,
    new_annotation_set_id: world.newSetId,
  });
  return { ...loading, bench, artifacts, world, setId: made.evaluation_set_id as string };
}
