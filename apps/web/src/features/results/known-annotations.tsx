import type { Answer } from '../../app/api/predictions.js';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { plural } from '../../shared/format.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { PaperLink } from '../../shared/paper-link.js';
import { ObsoleteBadge } from './obsolete-note.js';
import styles from './results.module.css';
import tableStyles from './answer-table.module.css';

type Known = NonNullable<Answer['known']>;

/** Number of terms that are shown at first; a protein may have hundreds. */
const shownAtFirst = 10;

/** Shows what the reference knows of this very protein, apart from what is predicted. */
export function KnownAnnotations({ known }: { known: Known }) {
  const { accession, matched_by, terms, annotation_count } = known;
  return (
    <section aria-label={`Known annotations of ${accession}`}>
      <h3>Known</h3>
      <p className={styles.small}>
        The reference has {matched_by === 'alignment' ? 'another version of this protein' : 'this protein'}
        {matched_by === 'sequence' ? ' by its exact sequence, as ' : ': '}
        <Link to="/proteins/$accession" params={{ accession }}>
          {accession}
        </Link>
        {matched_by === 'alignment' && ` (${likenessOf(known)})`}, with{' '}
        {plural(annotation_count, 'annotation')} of {plural(terms.length, 'term')}. These are not predictions.
      </p>
      <Rows rows={terms.slice(0, shownAtFirst)} />
      {terms.length > shownAtFirst && (
        <details>
          <summary>{plural(terms.length - shownAtFirst, 'more term')}</summary>
          <Rows rows={terms.slice(shownAtFirst)} />
        </details>
      )}
    </section>
  );
}

/** An older version, a fragment or an isoform: how much is equal. */
function likenessOf({ identity, coverage }: Known): string {
  const percent = (share: number | null) => `${Math.round(100 * (share ?? 0))} %`;
  return `${percent(identity)} of the residues are the same over ${percent(coverage)} of the shorter sequence`;
}

/** A name says nothing where the sequence is another. */
export function NamesakeNote({ accession }: { accession: string }) {
  return (
    <p className={styles.small}>
      The reference has another sequence under the name {accession}. The name is ignored, and nothing is known
      by it.
    </p>
  );
}

function Rows({ rows }: { rows: Known['terms'] }) {
  return (
    <div className={tableStyles.wrap}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th scope="col">Evidence</th>
            <th scope="col">References</th>
            <th scope="col">Assigned by</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.go_id} ${row.is_negated}`} className={tableStyles.term}>
              <td className={tableStyles.name}>
                <span className={tableStyles.termName}>
                  {row.is_negated && <strong>not </strong>}
                  {row.name}
                  {row.obsolete !== undefined && <ObsoleteBadge />}
                </span>
                <Link to="/go/$goId" params={{ goId: row.go_id }} className={tableStyles.goId}>
                  {row.go_id}
                </Link>
              </td>
              <td data-label="Evidence">
                <Values of={row.annotations.map((one) => one.evidence_code)}>
                  {(code) => <EvidenceCode code={code} />}
                </Values>
              </td>
              <td data-label="References">
                <Values of={row.annotations.map((one) => one.db_reference)}>
                  {(reference) => <PaperLink reference={reference} />}
                </Values>
              </td>
              <td data-label="Assigned by">
                <Values of={row.annotations.map((one) => one.assigned_by ?? 'unknown')}>
                  {(name) => name}
                </Values>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The different values of the annotations of a term, in their order; null only where none has one. */
function Values<Value extends string | null>({
  of,
  children,
}: {
  of: readonly Value[];
  children: (value: Value) => ReactNode;
}) {
  const different = [...new Set(of)];
  const shown = different.length === 1 ? different : different.filter((value) => value !== null);
  return shown.map((value, at) => (
    <Fragment key={value}>
      {at > 0 && ', '}
      {children(value)}
    </Fragment>
  ));
}
