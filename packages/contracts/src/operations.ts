import type { z } from 'zod';
import type { OperationRow } from './operation.js';
import { jobOperations } from './resources/jobs.js';
import { proteinOperations } from './resources/proteins.js';
import { snapshotOperations } from './resources/snapshots.js';
import { slimOperations } from './resources/slims.js';
import { annotationSetOperations } from './resources/annotation-sets.js';
import { taxonomyOperations } from './resources/taxonomy.js';
import { taxonConstraintOperations } from './resources/taxon-constraints.js';
import { embeddingConfigOperations } from './resources/embedding-configs.js';
import { predictionSetOperations } from './resources/prediction-sets.js';
import { interproOperations } from './resources/interpro.js';
import { evaluationSetOperations } from './resources/evaluation-sets.js';
import { datasetOperations } from './resources/datasets.js';
import { referenceDownloadOperations } from './resources/reference-downloads.js';
import { referenceOperations } from './resources/references.js';

/**
 * The operations that POST /jobs takes. Their payloads are checked there and again by the worker. Each payload is strict: an unknown key
 * is a fault, never a parameter that is accepted and dropped.
 */
export const operationRows = [
  ...jobOperations,
  ...proteinOperations,
  ...snapshotOperations,
  ...slimOperations,
  ...annotationSetOperations,
  ...taxonomyOperations,
  ...taxonConstraintOperations,
  ...embeddingConfigOperations,
  ...predictionSetOperations,
  ...interproOperations,
  ...evaluationSetOperations,
  ...datasetOperations,
  ...referenceOperations,
  ...referenceDownloadOperations,
] as const satisfies readonly OperationRow[];
export type OperationName = (typeof operationRows)[number]['name'];
export type PayloadOf<Name extends OperationName> = z.infer<
  Extract<(typeof operationRows)[number], { name: Name }>['payload']
>;
