import { useQuery } from '@tanstack/react-query';
import { getProteinStats } from '../../app/api/reference-data.js';
import { formatCount } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import styles from './held-figures.module.css';

/** Counts the proteins that are loaded. */
export function HeldFigures() {
  const stats = useQuery({ queryKey: ['protein-stats'], queryFn: getProteinStats });
  return (
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
