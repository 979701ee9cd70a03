import { NativeSelect } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { compareResults, type ResultComparison } from '../../app/api/laboratory.js';
import type { Showcase } from '../../app/api/showcase.js';
import { cafaAspectName, categoryName } from '../../shared/cafa.js';
import { ProblemNote } from '../../shared/problem-note.js';
import table from '../../shared/table.module.css';
import styles from './evaluation.module.css';
import { type Method, methodsOf, type Pair, pairsOf } from './method-pairs.js';
import { signed } from './signed.js';

/** The figures that are compared, and what a positive difference means. */
const figures = [
  ['fmax', 'Fmax'],
  ['fmax_w', 'Weighted Fmax'],
  ['smin', 'Smin (less is better)'],
] as const;

/** Compares two methods on the same proteins: the difference of each figure with its paired interval. */
export function CompareMethods({ showcase, setId }: { showcase: Showcase; setId: string }) {
  const methods = methodsOf(showcase);
  const [one, setOne] = useState(methods[0]?.name ?? '');
  const [two, setTwo] = useState(methods[1]?.name ?? '');
  if (methods.length < 2) return null;
  const pairs = pairsOf(showcase, one, two);
  return (
    <section className={styles.section}>
      <h2>Two methods compared</h2>
      <div className={styles.filters}>
        <Choice label="Method" methods={methods} value={one} onValue={setOne} />
        <Choice label="minus" methods={methods} value={two} onValue={setTwo} />
      </div>
      {pairs.length === 0 ? (
        <p>Choose two methods that were evaluated on the same proteins.</p>
      ) : (
        <Differences key={`${one} ${two}`} setId={setId} pairs={pairs} />
      )}
    </section>
  );
}

interface ChoiceProps {
  label: string;
  methods: readonly Method[];
  value: string;
  onValue: (value: string) => void;
}

function Choice({ label, methods, value, onValue }: ChoiceProps) {
  return (
    <NativeSelect
      label={label}
      value={value}
      data={methods.map(({ name, label: words }) => ({ value: name, label: words }))}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

function Differences({ setId, pairs }: { setId: string; pairs: readonly Pair[] }) {
  const asked = [...new Map(pairs.map((pair) => [`${pair.result} ${pair.other}`, pair])).entries()];
  const replies = useQueries({
    queries: asked.map(([key, { result, other }]) => ({
      queryKey: ['result-comparison', setId, key],
      queryFn: () => compareResults(setId, result, other),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  });
  const fault = replies.find(({ error }) => error !== null)?.error;
  if (fault != null) return <ProblemNote error={fault} title="Not compared" />;
  const comparisons = new Map(asked.map(([key], at) => [key, replies[at]?.data]));
  return (
    <>
      <p className={styles.note}>
        The difference with the interval that holds it in 95 % of resamples of the same proteins. Where the
        interval has 0 in it, chance alone may have made the difference.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label="Differences of two methods">
        <table className={table.table}>
          <thead>
            <tr>
              <th scope="col">Proteins</th>
              {figures.map(([key, words]) => (
                <th key={key} scope="col" className={table.number}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {pairs.map((pair) => (
              <tr key={`${pair.category} ${pair.aspect}`}>
                <td data-label="Proteins">
                  {cafaAspectName(pair.aspect)}, {categoryName(pair.category)}
                </td>
                {figures.map(([key, words]) => (
                  <td key={key} data-label={words} className={table.number}>
                    {differenceWords(comparisons.get(`${pair.result} ${pair.other}`), pair, key)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function differenceWords(
  found: ResultComparison | undefined,
  { category, aspect }: Pair,
  key: string,
): string {
  if (found === undefined) return '…';
  const difference = found.differences[category]?.[aspect]?.[key];
  if (difference === undefined) return 'not paired';
  return `${signed(difference.difference)} (${signed(difference.low)} to ${signed(difference.high)})`;
}
