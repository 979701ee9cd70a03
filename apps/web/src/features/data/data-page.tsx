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

/** Lists the data of this service: proteins, ontology releases, annotation sets, similarity models. */
export function DataPage() {
  const held = useQuery({
    queryKey: ['data-held'],
    // The tables are fetched together, because each table that comes late would move those below it.
    queryFn: async () => {
      const [stats, snapshots, sets, configs] = await Promise.all([
        getProteinStats(),
        listSnapshots(),
        listAnnotationSets(),
        listEmbeddingConfigs(),
      ]);
      return { stats, snapshots, sets, configs };
    },
  });
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
      <Loaded query={held}>
        {({ stats, snapshots, sets, configs }) => (
          <>
            <dl className={styles.figures}>
              <Figure name="Proteins" value={stats.total} />
              <Figure name="Canonical (isoforms left out)" value={stats.canonical} />
              <Figure name="Reviewed" value={stats.reviewed} />
              <Figure name="Organisms" value={stats.organisms} />
            </dl>
            <section className={styles.section}>
              <h2>Ontology releases</h2>
              <SnapshotTable rows={snapshots} />
            </section>
            <section className={styles.section}>
              <h2>Annotation sets</h2>
              <AnnotationSetTable rows={sets} />
            </section>
            <section className={styles.section}>
              <h2>Similarity models</h2>
              <ConfigTable rows={configs} />
            </section>
          </>
        )}
      </Loaded>
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
