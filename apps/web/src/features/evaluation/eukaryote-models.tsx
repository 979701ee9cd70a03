import { Link } from '@tanstack/react-router';
import { GlossaryWord } from '../../shared/glossary-word.js';
import table from '../../shared/table.module.css';
import styles from './evaluation.module.css';
import measured from './measured.generated.json';
import { signed } from './signed.js';

type Row = (typeof measured.eukaryotes)[number];

const kinds = [
  {
    kind: 'known',
    title: 'Proteins that the reference knows',
    before: 'the combination of four organisms, which is measured below',
  },
  { kind: 'bare', title: 'Bare sequences', before: 'votes of similar proteins, without training' },
] as const;
const figures = [
  { key: 'fmax', title: 'Fmax' },
  { key: 'f_micro_w', title: 'Weighted F' },
] as const;

/** Compares the models that score proteins of eukaryotes with the scores that these had before. */
export function EukaryoteModels() {
  return (
    <section className={styles.section}>
      <h2>Eukaryotes, by models of eleven organisms</h2>
      <p className={styles.note}>
        Runs score proteins of eukaryotes by these models; all other queries keep the score before. Certainty
        rests on the score before in both cases, and with it the order and end of an answer. A figure is the
        mean of nine cells (three aspects, by what was known before), from a model that learnt neither from
        the protein’s family nor, but for human, from its organism. <GlossaryWord entry="Fmax" /> counts all
        terms the same; weighted F (f_micro_w) counts rare terms more, over all proteins together. Below each
        is the interval of the difference, and in how many cells it is certainly better or worse; bold is
        certainly better.
      </p>
      {kinds.map(({ kind, title, before }) => (
        <section key={kind} className={styles.section}>
          <h3>{title}</h3>
          <p className={styles.note}>Before: {before}.</p>
          <ModelTable title={title} rows={measured.eukaryotes.filter((row) => row.kind === kind)} />
        </section>
      ))}
      <p className={styles.note}>
        The rules by which the models were chosen, what is not shown, and how to measure them again are in{' '}
        <Link to="/help/$section/$name" params={{ section: 'explanation', name: 'accuracy' }}>
          How accurate it is
        </Link>
        .
      </p>
    </section>
  );
}

function ModelTable({ title, rows }: { title: string; rows: readonly Row[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard, too
    <section className={table.scroll} tabIndex={0} aria-label={`${title} of eukaryotes`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">Proteins</th>
            {figures.map((figure) => (
              <th key={figure.key} scope="col" className={table.number}>
                {figure.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.proteins} ${row.hasOwnOrganism}`}>
              <td data-label="Proteins">
                <span>
                  {row.proteins.charAt(0).toUpperCase()}
                  {row.proteins.slice(1)}
                  {!row.hasOwnOrganism && (
                    <span className={`${styles.meaning} ${styles.line}`}>
                      without their organism in the reference
                    </span>
                  )}
                </span>
              </td>
              {figures.map((figure) => (
                <td key={figure.key} data-label={figure.title} className={table.number}>
                  <Figure figure={row[figure.key]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Figure({ figure: { now, before, low, high, above, below } }: { figure: Row['fmax'] }) {
  const means = `${now.toFixed(3)} instead of ${before.toFixed(3)}`;
  return (
    <span>
      {low > 0 ? <strong>{means}</strong> : means}
      <span className={`${styles.meaning} ${styles.line}`}>
        {signed(low)} to {signed(high)}; better in {above}, worse in {below}
      </span>
    </span>
  );
}
