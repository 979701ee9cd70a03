import { Alert } from '@mantine/core';
import { atLeast } from '@kindred/contracts/roles';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AnnotateOptions, getReference } from '../../app/api/annotate.js';
import { hasStatus } from '../../app/api/problem.js';
import { listAnnotationSets, listEmbeddingConfigs } from '../../app/api/reference-data.js';
import { formatDay, plural } from '../../shared/format.js';
import { Panel } from '../../shared/page.js';
import { ProblemNote } from '../../shared/problem-note.js';
import { referenceName } from '../../shared/reference-name.js';
import { useAccount } from '../account/use-account.js';
import styles from './annotate.module.css';

/** Returns the references that a run with these settings is compared with; null if none is loaded yet. */
async function chosenReference({ annotation_set_id, embedding_config_id, method }: AnnotateOptions) {
  try {
    const [chosen, sets, configs] = await Promise.all([
      getReference(),
      listAnnotationSets(),
      listEmbeddingConfigs(),
    ]);
    const isOne = annotation_set_id !== undefined || method === 'knn';
    return {
      set: sets.find(({ id }) => id === (annotation_set_id ?? chosen.annotation_set_id)),
      config: configs.find(({ id }) => id === (embedding_config_id ?? chosen.embedding_config_id)),
      more: isOne ? [] : chosen.more_references,
      isFirst: chosen.annotation_set_chosen_by === 'operator',
    };
  } catch (error) {
    if (hasStatus(error, 409)) return null;
    throw error;
  }
}

/** Names the references that sequences are compared with. */
export function ReferenceNote({ options }: { options: AnnotateOptions }) {
  const { annotation_set_id, embedding_config_id, method } = options;
  const isOperator = atLeast(useAccount().data?.role ?? 'viewer', 'operator');
  const query = useQuery({
    queryKey: ['reference', annotation_set_id, embedding_config_id, method],
    queryFn: () => chosenReference(options),
    placeholderData: keepPreviousData,
    // The query repeats, because a service that has just been started is loading its first reference data.
    refetchInterval: ({ state }) => (state.data === null || state.error !== null ? 5000 : false),
  });
  if (query.data === undefined) {
    return query.error === null ? <div className={styles.reference} /> : <ProblemNote error={query.error} />;
  }
  if (query.data === null) {
    return (
      <Alert color="yellow" title="Not ready yet" role="status" className={styles.notReady}>
        The reference is still being loaded; the <Link to="/operation/{-$part}">jobs</Link> show how far that
        is. This note goes away by itself.
      </Alert>
    );
  }
  const { set, config, more, isFirst } = query.data;
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
            {isOperator && annotation_set_id === undefined && (
              <span className={styles.small}>
                {isFirst
                  ? 'The default that an operator chose.'
                  : 'No default is chosen: the newest that is loaded.'}{' '}
                <Link to="/references/{-$part}">Choose another</Link>
              </span>
            )}
            {more.length > 0 && (
              <span className={styles.small}>
                {isFirst ? 'For proteins that it does not answer: ' : 'Where they fit a protein better: '}
                {more
                  .map(
                    ({ name, version, protein_count }) =>
                      `${name}@${version} (${plural(protein_count, 'annotated protein')})`,
                  )
                  .join(', ')}
              </span>
            )}
          </dd>
          <dt>Gene Ontology</dt>
          <dd>{set === undefined ? '' : formatDay(set.obo_version)}</dd>
          <dt>Similarity</dt>
          <dd>{config === undefined ? '' : (config.display_name ?? config.model_name)}</dd>
          <dt>Method</dt>
          <dd>{method === 'knn' ? 'Most similar proteins alone' : 'Combined evidence'}</dd>
        </dl>
      </Panel>
    </div>
  );
}
