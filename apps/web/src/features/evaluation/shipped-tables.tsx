import { NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { formatCount } from '../../shared/format.js';
import { GlossaryWord } from '../../shared/glossary-word.js';
import table from '../../shared/table.module.css';
import styles from './evaluation.module.css';
import { floors } from './floors.js';
import {
  type Bounded,
  figureColumns,
  resamples,
  type ShippedTest,
  shippedDifferences,
  shippedTests,
} from './shipped-figures.js';
import { signed } from './signed.js';

/** Shows all figures of one cell with their intervals, and a comparison of two methods, for the test with this title. */
export function ShippedTables({ title }: { title: string }) {
  const test = shippedTests.find((one) => one.title === title);
  if (test === undefined) return null;
  return (
    <>
      <CellFigures test={test} />
      <Comparison test={test} />
      <p className={styles.note}>
        Intervals hold the figure in 95 % of {formatCount(resamples)} resamples of the proteins. What was
        measured, on which data, and how to measure it again is in{' '}
        <Link to="/help/$section/$name" params={{ section: 'explanation', name: 'accuracy' }}>
          How accurate it is
        </Link>
        .
      </p>
    </>
  );
}

function CellFigures({ test: { title, cells, methods } }: { test: ShippedTest }) {
  const [at, setAt] = useState(0);
  const best = figureColumns.map(({ isBestLow }, column) => {
    const values = methods.flatMap((method) => method.cells[at]?.[column]?.[0] ?? []);
    return isBestLow ? Math.min(...values) : Math.max(...values);
  });
  return (
    <section className={styles.section}>
      <div className={styles.filters}>
        <NativeSelect
          label="Proteins"
          value={String(at)}
          data={cells.map((label, cell) => ({ value: String(cell), label }))}
          onChange={(event) => setAt(Number(event.currentTarget.value))}
        />
      </div>
      <p className={styles.note}>
        <GlossaryWord entry="Fmax" /> counts all terms the same; weighted Fmax and{' '}
        <GlossaryWord entry="Smin" /> count rare terms more. Coverage is the share of the proteins that have
        any prediction at the best threshold. Bold is the best of its column.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
      <section className={table.scroll} tabIndex={0} aria-label={`Figures with intervals. ${title}`}>
        <table className={table.table}>
          <Head first="Method" />
          <tbody>
            {methods.map(({ name, cells: figures }) => (
              <tr key={name}>
                <td data-label="Method">
                  {name}
                  {floors.has(name) && <span className={styles.tag}>floor</span>}
                </td>
                {figureColumns.map((column, number) => (
                  <FigureCell
                    key={column.key}
                    label={column.title}
                    text={boundedWords(figures[at]?.[number] ?? null)}
                    isBest={figures[at]?.[number]?.[0] === best[number]}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

function Head({ first }: { first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {figureColumns.map(({ key, title }) => (
          <th key={key} scope="col" className={table.number}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function FigureCell({ label, text, isBest }: { label: string; text: string; isBest: boolean }) {
  return (
    <td data-label={label} className={table.number}>
      {isBest ? <strong>{text}</strong> : text}
    </td>
  );
}

function boundedWords(figure: Bounded | null): string {
  if (figure === null) return 'none';
  const [value, low, high] = figure;
  return `${value.toFixed(3)} (${low.toFixed(3)}\u00a0to\u00a0${high.toFixed(3)})`;
}

function Comparison({ test: { title, cells, methods } }: { test: ShippedTest }) {
  const [one, setOne] = useState('combined');
  const [other, setOther] = useState('sequence similarity');
  const differences = shippedDifferences(title, one, other);
  const names = methods.map(({ name }) => name);
  return (
    <section className={styles.section}>
      <h3>Two methods compared</h3>
      <div className={styles.filters}>
        <NativeSelect
          label="Method"
          value={one}
          data={names}
          onChange={(event) => setOne(event.currentTarget.value)}
        />
        <NativeSelect
          label="minus"
          value={other}
          data={names}
          onChange={(event) => setOther(event.currentTarget.value)}
        />
      </div>
      {differences === undefined ? (
        <p>Choose two methods.</p>
      ) : (
        <>
          <p className={styles.note}>
            The difference on the same proteins, with its interval. Bold: the interval does not have 0 in it,
            so chance alone does not explain the difference.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too */}
          <section className={table.scroll} tabIndex={0} aria-label={`Differences of two methods. ${title}`}>
            <table className={table.table}>
              <Head first="Proteins" />
              <tbody>
                {cells.map((cell, at) => (
                  <tr key={cell}>
                    <td data-label="Proteins">{cell}</td>
                    {figureColumns.map((column, number) => {
                      const difference = differences[at]?.[number] ?? null;
                      return (
                        <FigureCell
                          key={column.key}
                          label={column.title}
                          text={difference === null ? 'none' : differenceWords(difference)}
                          isBest={difference !== null && (difference[1] > 0 || difference[2] < 0)}
                        />
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}

const differenceWords = ([value, low, high]: Bounded) =>
  `${signed(value)} (${signed(low)}\u00a0to\u00a0${signed(high)})`;
