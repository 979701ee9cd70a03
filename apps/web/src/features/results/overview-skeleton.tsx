import type { ReactNode } from 'react';
import styles from './overview.module.css';

const facetLines = [70, 88, 60, 76, 92, 64, 80];
const rows = 14;

/** Shows the places of a run's overview before it is there, and what is read so far. */
export function OverviewSkeleton({ children }: { children: ReactNode }) {
  return (
    <div className={styles.waiting}>
      <p role="status" className={styles.summary}>
        {children}
      </p>
      <div className={styles.columns} aria-hidden="true" data-skeleton>
        <div className={styles.facets}>
          {facetLines.map((width) => (
            <span key={width} className={styles.bone} style={{ width: `${width}%` }} />
          ))}
        </div>
        <div>
          {Array.from({ length: rows }, (_, at) => (
            <div key={at} className={styles.boneRow}>
              <span className={styles.bone} />
              <span className={styles.bone} />
              <span className={styles.bone} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
