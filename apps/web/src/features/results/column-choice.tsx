import { useLocalStorage } from '@mantine/hooks';
import type { FocusEvent } from 'react';
import styles from './protein-table.module.css';
import { columnsOf, type RunColumn, runColumns } from './run-columns.js';

/** Returns the columns that the reader chose in this browser, and a function that shows or hides one. */
export function useColumns(): [RunColumn[], (column: RunColumn) => void] {
  const [stored, store] = useLocalStorage<unknown>({
    key: 'kindred-run-columns',
    getInitialValueInEffect: false,
  });
  const shown = columnsOf(stored);
  return [
    shown,
    (column) => store(shown.includes(column) ? shown.filter((one) => one !== column) : [...shown, column]),
  ];
}

interface Props {
  shown: readonly RunColumn[];
  onToggle: (column: RunColumn) => void;
}

/** Offers the columns of the table. It closes when the focus leaves it. */
export function ColumnChoice({ shown, onToggle }: Props) {
  const close = ({ currentTarget: details, relatedTarget }: FocusEvent<HTMLDetailsElement>) => {
    if (relatedTarget !== null && !details.contains(relatedTarget)) details.open = false;
  };
  return (
    <details className={styles.choice} onBlur={close}>
      <summary>Columns</summary>
      <fieldset>
        <legend className={styles.unseen}>Columns of the table</legend>
        {runColumns
          .filter(({ column }) => column !== 'protein')
          .map(({ column, heading }) => (
            <label key={column}>
              <input type="checkbox" checked={shown.includes(column)} onChange={() => onToggle(column)} />
              {heading}
            </label>
          ))}
      </fieldset>
    </details>
  );
}
