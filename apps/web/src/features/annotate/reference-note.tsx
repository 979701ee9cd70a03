import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type AnnotationSet,
  type EmbeddingConfig,
  listAnnotationSets,
  listEmbeddingConfigs,
} from '../../app/api/reference-data.js';
import { plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import styles from './annotate.module.css';

/** What sequences are compared with; the service takes the newest annotation set and the fullest configuration. */
export function ReferenceNote() {
  const query = useQuery({
    queryKey: ['reference'],
    queryFn: async () => {
      const [sets, configs] = await Promise.all([listAnnotationSets(), listEmbeddingConfigs()]);
      return { set: sets.at(0), config: fullest(configs) };
    },
    // A service that has just been started loads its first reference data now.
    refetchInterval: ({ state }) => (state.data !== undefined && !isReady(state.data) ? 5000 : false),
  });
  if (query.data === undefined) return query.error === null ? null : <ProblemNote error={query.error} />;
  const { set, config } = query.data;
  if (set === undefined || config === undefined) {
    return (
      <Alert color="yellow" title="Not ready yet" role="status">
        Reference proteins, their annotations or their vectors are not loaded yet. The{' '}
        <Link to="/jobs">jobs</Link> show whether that is going on; this note goes away by itself.
      </Alert>
    );
  }
  return (
    <Panel title="Compared with">
      <dl className={styles.facts}>
        <dt>Annotations</dt>
        <dd>
          {set.source} {set.source_version}
          <span className={styles.small}>
            {plural(set.annotation_count, 'annotation')}, {plural(set.protein_count, 'protein')}
          </span>
        </dd>
        <dt>Ontology</dt>
        <dd>{set.obo_version}</dd>
        <dt>Vectors</dt>
        <dd>
          {config.display_name ?? config.model_name}
          <span className={styles.small}>
            {plural(config.embedding_count, 'sequence')}, {plural(config.dimension, 'dimension')}
          </span>
        </dd>
      </dl>
    </Panel>
  );
}

interface Reference {
  set: AnnotationSet | undefined;
  config: EmbeddingConfig | undefined;
}

function isReady({ set, config }: Reference): boolean {
  return set !== undefined && config !== undefined;
}

function fullest(configs: readonly EmbeddingConfig[]): EmbeddingConfig | undefined {
  return configs
    .filter((config) => config.embedding_count > 0)
    .sort((a, b) => b.embedding_count - a.embedding_count)
    .at(0);
}
