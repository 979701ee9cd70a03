import { dependentHeadings, dependentSentence } from '@kindred/contracts/dependent-words';
import type { DependentRows, Dependents } from '@kindred/contracts/resources/dependents';
import { jobTitle } from './job-title.js';

const effects = Object.keys(dependentHeadings) as (keyof Dependents)[];

/** Lists the rows that are deleted with a row, those that must be deleted before it, and those that stay without it. */
export function DependentsList({ dependents }: { dependents: Dependents }) {
  const shown = effects.filter((effect) => dependents[effect].length > 0);
  if (shown.length === 0) return <p>Nothing else depends on it.</p>;
  return shown.map((effect) => (
    <div key={effect}>
      <h3>{dependentHeadings[effect]}</h3>
      <ul>
        {dependents[effect].map((rows) => (
          <li key={rows.kind}>{dependentSentence(withTitles(rows))}</li>
        ))}
      </ul>
    </div>
  ));
}

/** Gives jobs the title of their operation as their name. */
function withTitles(rows: DependentRows): DependentRows {
  return /(^|_)job$/.test(rows.kind) ? { ...rows, names: rows.names.map(jobTitle) } : rows;
}
