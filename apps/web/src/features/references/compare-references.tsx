import { NativeSelect } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { compareReferences, type Difference, type Reference } from '../../app/api/reference-builds.js';
import { aspectNames } from '../../shared/aspect.js';
import { formatCount, plural } from '../../shared/format.js';
import { Loaded } from '../../shared/loading.js';
import table from '../../shared/table.module.css';
import styles from './references.module.css';

/** Says what changed from one reference to another one. */
export function CompareReferences({ from, others }: { from: Reference; others: readonly Reference[] }) {
  const [to, setTo] = useState('');
  const difference = useQuery({
    queryKey: ['difference', from.id, to],
    queryFn: to === '' ? skipToken : () => compareReferences(from, to),
  });
  return (
    <div className={styles.form}>
      <NativeSelect
        label={`What changed from ${from.name}@${from.version} to`}
        value={to}
        data={[
          { value: '', label: 'Choose the other one' },
          ...others.map(({ name, version }) => `${name}@${version}`),
        ]}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      {to !== '' && <Loaded query={difference}>{(found) => <Changes found={found} />}</Loaded>}
    </div>
  );
}

function Changes({ found: { proteins, terms, annotations } }: { found: Difference }) {
  return (
    <>
      <p role="status">
        {plural(proteins.gained, 'protein')} more and {formatCount(proteins.lost)} fewer,{' '}
        {formatCount(proteins.sequence_changed)} with another sequence. {plural(terms.added, 'term')} added,{' '}
        {formatCount(terms.obsolete)} now obsolete, {formatCount(terms.replaced)} replaced.
      </p>
      {annotations.length === 0 ? (
        <p>Both have the same annotations.</p>
      ) : (
        <div className={table.scroll}>
          <table className={table.table} aria-label="Changed annotations">
            <thead>
              <tr>
                <th scope="col">Aspect</th>
                <th scope="col">Evidence</th>
                <th scope="col">Gained</th>
                <th scope="col">Lost</th>
              </tr>
            </thead>
            <tbody>
              {annotations.map(({ aspect, evidence_code, gained, lost }) => (
                <tr key={`${aspect} ${evidence_code}`}>
                  <td data-label="Aspect">{aspectNames[aspect]}</td>
                  <td data-label="Evidence">{evidence_code}</td>
                  <td data-label="Gained">{formatCount(gained)}</td>
                  <td data-label="Lost">{formatCount(lost)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
