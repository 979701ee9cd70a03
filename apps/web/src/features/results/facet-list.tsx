import { formatCount } from '../../shared/format.js';
import type { Facet, OverviewFilter } from './overview-model.js';
import styles from './overview.module.css';

interface Props {
  facets: readonly Facet[];
  filter: OverviewFilter;
  onChoose: (key: Facet['key'], value: string | undefined) => void;
}

/** Offers ways to narrow the table down. A second press takes a choice back. */
export function FacetList({ facets, filter, onChoose }: Props) {
  return (
    <aside className={styles.facets} aria-label="Narrow down">
      {facets
        .filter(({ choices }) => choices.length > 0)
        .map(({ key, title, choices }) => (
          <fieldset key={key} className={styles.facet}>
            <legend>{title}</legend>
            {choices.map(({ value, label, count }) => {
              const isChosen = filter[key] === value;
              return (
                <button
                  key={value}
                  type="button"
                  className={styles.choice}
                  aria-pressed={isChosen}
                  data-standing={key === 'standing' ? value : undefined}
                  onClick={() => onChoose(key, isChosen ? undefined : value)}
                >
                  <span>{label}</span>
                  <span className={styles.number}>{formatCount(count)}</span>
                </button>
              );
            })}
          </fieldset>
        ))}
    </aside>
  );
}
