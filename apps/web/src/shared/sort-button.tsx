import type { ReactNode } from 'react';
import type { ariaSort } from './sorting.js';
import styles from './sort-button.module.css';

const marks = { ascending: ' ▲', descending: ' ▼', none: '' } as const;

/** The heading of a column, which sorts by the column. */
export function SortButton({
  sort,
  onSort,
  children,
}: {
  sort: ReturnType<typeof ariaSort>;
  onSort: () => void;
  children: ReactNode;
}) {
  return (
    <button type="button" className={styles.sort} onClick={onSort}>
      {children}
      <span aria-hidden="true">{marks[sort]}</span>
    </button>
  );
}
