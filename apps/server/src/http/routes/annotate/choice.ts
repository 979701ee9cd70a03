import { ProblemError } from '@kindred/contracts';
import { listAnnotationSets } from '../../../store/annotations/annotations.repository.js';
import type { AnnotationReference } from '../../../jobs/start-annotation.js';
import type { Queryable } from '../../../store/postgres/db.js';
import { bestEmbeddingConfig } from '../../../store/embeddings/embedding-configs.repository.js';

/**
 * What a one-click annotation works with: the configuration with most vectors, the newest complete annotation set, and the
 * ontology snapshot that set was loaded against.
 * @throws ProblemError nothing_to_annotate_with, saying which step is missing
 */
export async function chooseReference(db: Queryable): Promise<AnnotationReference> {
  const [set] = await listAnnotationSets(db, 1);
  if (set === undefined) {
    throw new ProblemError(
      'nothing_to_annotate_with',
      'No annotation set is loaded. Load an ontology (POST /v1/annotations/snapshots/load), then annotations (POST /v1/annotations/sets/load-goa).',
    );
  }
  const config = await bestEmbeddingConfig(db);
  if (config === undefined || config.embedding_count === 0) {
    throw new ProblemError(
      'nothing_to_annotate_with',
      'No protein has a vector yet. Create a configuration (POST /v1/embeddings/configs) and queue compute_embeddings.',
    );
  }
  return {
    embedding_config_id: config.id,
    annotation_set_id: set.id,
    ontology_snapshot_id: set.ontology_snapshot_id,
  };
}
