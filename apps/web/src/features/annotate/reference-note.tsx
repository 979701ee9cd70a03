import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { getReference } from '../../app/api/annotate.js';
import { hasStatus } from '../../app/api/problem.js';
import { listAnnotationSets, listEmbeddingConfigs } from '../../app/api/reference-data.js';
import { formatDay, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { referenceName } from '../../shared/reference-name.js';
import styles from './annotate.module.css';

/** Returns the reference that the service compares with if nobody chooses; null if none is loaded yet. */
async function chosenReference() {
  try {
    const [chosen, sets, configs] = await Promise.all([
      getReference(),
      listAnnotationSets(),
      listEmbeddingConfigs(),
    ]);
    return {
      set: sets.find(({ id }) => id === chosen.annotation_set_id),
      config: configs.find(({ id }) => id === chosen.embedding_config_id),
    };
  } catch (error) {
    if (hasStatus(error, 409)) return null;
    throw error;
  }
}

/** Names the reference that sequences are compared with. */
export function ReferenceNote() {
  const query = useQuery({
    queryKey: ['reference'],
    queryFn: chosenReference,
    // The query repeats, because a service that has just been started is loading its first reference data.
    refetchInterval: ({ state }) => (state.data === null || state.error !== null ? 5000 : false),
  });
  if (query.data === undefined) {
    return query.error === null ? <div className={styles.reference} /> : <ProblemNote error={query.error} />;
  }
  if (query.data === null) {
    return (
      <Alert color="yellow" title="Not ready yet" role="status" className={styles.notReady}>
        The reference proteins and their annotations are still being loaded; the <Link to="/jobs">runs</Link>{' '}
        show how far that is. This note goes away by itself.
      </Alert>
    );
  }
  const { set, config } = query.data;
  return (
    <div className={styles.reference}>
      <Panel title="Compared with">
        <dl className={styles.facts}>
          <dt>Annotations</dt>
          <dd>
            {set === undefined ? 'the newest release' : referenceName(set)}
            {set !== undefined && (
              <span className={styles.small}>
                {plural(set.protein_count, 'annotated protein')}, {plural(set.annotation_count, 'annotation')}
              </span>
            )}
          </dd>
          <dt>Gene Ontology</dt>
          <dd>{set === undefined ? '' : formatDay(set.obo_version)}</dd>
          <dt>Similarity</dt>
          <dd>{config === undefined ? '' : (config.display_name ?? config.model_name)}</dd>
        </dl>
      </Panel>
    </div>
  );
}
