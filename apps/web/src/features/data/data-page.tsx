import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  getProteinStats,
  listAnnotationSets,
  listEmbeddingConfigs,
  listSnapshots,
} from '../../app/api/reference-data.js';
import { formatCount } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import { Page } from '../../shared/page.js';
import styles from './data.module.css';
import { AnnotationSetTable, ConfigTable, SnapshotTable } from './tables.js';

/** What this service holds: proteins, ontology releases, annotation sets, embedding configurations. */
export function DataPage() {
  const stats = useQuery({ queryKey: ['protein-stats'], queryFn: getProteinStats });
  const snapshots = useQuery({ queryKey: ['snapshots'], queryFn: listSnapshots });
  const sets = useQuery({ queryKey: ['annotation-sets'], queryFn: listAnnotationSets });
  const configs = useQuery({ queryKey: ['embedding-configs'], queryFn: listEmbeddingConfigs });
  return (
    <Page
      title="Data"
      lead={
        <>
          Every prediction names the releases it was made from. Operators load new ones{' '}
          <Link to="/workbench/$resource" params={{ resource: 'annotations' }}>
            here
          </Link>
          .
        </>
      }
    >
      <Loaded query={stats}>
        {({ total, canonical, reviewed, organisms }) => (
          <dl className={styles.figures}>
            <Figure name="Proteins" value={total} />
            <Figure name="Canonical (isoforms left out)" value={canonical} />
            <Figure name="Reviewed" value={reviewed} />
            <Figure name="Organisms" value={organisms} />
          </dl>
        )}
      </Loaded>
      <section className={styles.section}>
        <h2>Ontology releases</h2>
        <Loaded query={snapshots}>{(rows) => <SnapshotTable rows={rows} />}</Loaded>
      </section>
      <section className={styles.section}>
        <h2>Annotation sets</h2>
        <Loaded query={sets}>{(rows) => <AnnotationSetTable rows={rows} />}</Loaded>
      </section>
      <section className={styles.section}>
        <h2>Embedding configurations</h2>
        <Loaded query={configs}>{(rows) => <ConfigTable rows={rows} />}</Loaded>
      </section>
    </Page>
  );
}

function Figure({ name, value }: { name: string; value: number }) {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>{formatCount(value)}</dd>
    </div>
  );
}
