import { Button } from '@mantine/core';
import {
  networkTableHead,
  networkTableRows,
  tabbed,
  withoutTermsSentence,
} from '@kindred/contracts/network-table';
import type { NetworkTermScore } from '@kindred/kernels/network';
import { type Aspect, aspectsAsRead } from '@kindred/kernels/vocabulary';
import { aspectNames } from '../../shared/aspect.js';
import { plural } from '../../shared/format.js';
import { saveFile } from '../../shared/save-file.js';
import table from '../../shared/table.module.css';
import styles from './private.module.css';
import type { PrivateAnswer, PrivateRun } from './use-private-run.js';
import { Warnings } from './warnings.js';

/** The number of terms of an aspect that are shown at once. */
const firstTerms = 3;

/** Shows the proteins that are done, with their terms by aspect, and saves them as a table. */
export function PrivateResult({ run }: { run: PrivateRun }) {
  const { answers, total, state } = run;
  const left = total - answers.length;
  return (
    <section className={styles.stack} aria-label="Result">
      <div className={styles.buttons}>
        <h2>{plural(answers.length, 'protein')}</h2>
        <Button variant="default" disabled={answers.length === 0} onClick={() => save(answers)}>
          Save as TSV
        </Button>
      </div>
      {state === 'stopped' && left > 0 && (
        <p role="status">Stopped: {plural(left, 'protein')} not done, and not in the table.</p>
      )}
      <Warnings />
      <div className={table.scroll}>
        <table className={`${table.table} ${styles.result}`}>
          <thead>
            <tr>
              <th>Protein</th>
              {aspectsAsRead.map((aspect) => (
                <th key={aspect}>
                  {aspectNames[aspect]} <span className={styles.small}>score, not calibrated</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {answers.map((answer) => (
              <ProteinRow key={answer.accession} answer={answer} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ProteinRow({ answer: { accession, residues, result } }: { answer: PrivateAnswer }) {
  const reason = withoutTermsSentence(result);
  return (
    <tr>
      <th scope="row" className={styles.protein}>
        {accession}
        <span className={styles.small}>{plural(residues, 'residue')}</span>
      </th>
      {reason === null && 'terms' in result ? (
        aspectsAsRead.map((aspect) => <TermCell key={aspect} aspect={aspect} terms={result.terms} />)
      ) : (
        <td colSpan={aspectsAsRead.length} className={table.muted}>
          {reason}
        </td>
      )}
    </tr>
  );
}

function TermCell({ aspect, terms }: { aspect: Aspect; terms: readonly NetworkTermScore[] }) {
  const ofAspect = terms.filter((term) => term.aspect === aspect);
  const specific = ofAspect.filter(({ impliedBy }) => impliedBy === null);
  const first = specific.slice(0, firstTerms);
  const rest = ofAspect.slice(first.length);
  return (
    <td className={styles.terms} data-label={aspectNames[aspect]}>
      {first.length === 0 && <span className={table.muted}>none</span>}
      <TermList terms={first} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} more, also broader ones</summary>
          <TermList terms={rest} />
        </details>
      )}
    </td>
  );
}

function TermList({ terms }: { terms: readonly NetworkTermScore[] }) {
  return (
    <ul className={styles.termList}>
      {terms.map(({ goId, name, score }) => (
        <li key={goId} title={goId}>
          {name} <span className={styles.small}>{twoDigits(score)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Writes a score so that it never looks surer than it is: 0.996 is 0.99. */
const twoDigits = (score: number): string => (Math.floor(100 * score) / 100).toFixed(2);

function save(answers: readonly PrivateAnswer[]): void {
  const rows = answers.flatMap(({ accession, result }) => networkTableRows(accession, result));
  const text = [networkTableHead, ...rows].map(tabbed).join('');
  saveFile('terms-of-the-network.tsv', new Blob([text], { type: 'text/tab-separated-values' }));
}
