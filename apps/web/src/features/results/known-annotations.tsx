import type { Answer, PredictionSetDetail } from '../../app/api/predictions.js';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { plural } from '../../shared/format.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { PaperLink } from '../../shared/paper-link.js';
import { ObsoleteBadge } from './obsolete-note.js';
import styles from './results.module.css';
import { onRowClick } from './row-click.js';
import { TermNumbers } from './term-numbers.js';
import { TermEvidencePanel } from './term-evidence.js';
import { knownOpen, useView } from './use-view.js';
import tableStyles from './answer-table.module.css';

type Known = NonNullable<Answer['known']>;

/** The number of terms that are shown at first, because a protein may have hundreds. */
const shownAtFirst = 10;

interface Props {
  set: PredictionSetDetail;
  /** The accession of the query. */
  query: string;
  known: Known;
}

/** Shows what the reference knows of this very protein, apart from what is predicted. */
export function KnownAnnotations({ set, query, known }: Props) {
  const { accession, matched_by, terms, annotation_count } = known;
  const [{ open }] = useView();
  const isOpenAmong = (rows: Known['terms']) => rows.some((row) => knownOpen(row.go_id) === open);
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
      <Rows set={set} query={query} rows={terms.slice(0, shownAtFirst)} />
      {terms.length > shownAtFirst && (
        <details open={isOpenAmong(terms.slice(shownAtFirst))}>
          <summary>{plural(terms.length - shownAtFirst, 'more term')}</summary>
          <Rows set={set} query={query} rows={terms.slice(shownAtFirst)} />
        </details>
      )}
    </section>
  );
}

/** Says how much is equal: the known protein may be an older version, a fragment or an isoform. */
function likenessOf({ identity, coverage }: Known): string {
  const percent = (share: number | null) => `${Math.round(100 * (share ?? 0))} %`;
  return `${percent(identity)} of the residues are the same over ${percent(coverage)} of the shorter sequence`;
}

/** Warns that the name counts for nothing, because the sequence is another one. */
export function NamesakeNote({ accession }: { accession: string }) {
  return (
    <p className={styles.small}>
      The reference has another sequence under the name {accession}. The name is ignored, and nothing is known
      by it.
    </p>
  );
}

const headings = ['Term', 'Evidence', 'References', 'Assigned by'];

/** Lists known terms. Choosing one shows what it rests on. */
function Rows({ set, query, rows }: Omit<Props, 'known'> & { rows: Known['terms'] }) {
  const [{ open }, change] = useView();
  return (
    <div className={tableStyles.wrap}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const isOpen = !row.is_negated && open === knownOpen(row.go_id);
            return (
              <Fragment key={`${row.go_id} ${row.is_negated}`}>
                <Row
                  row={row}
                  isOpen={isOpen}
                  onToggle={() => change({ open: isOpen ? undefined : knownOpen(row.go_id) })}
                />
                {isOpen && (
                  <tr className={tableStyles.more}>
                    <td colSpan={headings.length}>
                      <TermEvidencePanel set={set} accession={query} term={row} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  row: Known['terms'][number];
  isOpen: boolean;
  onToggle: () => void;
}

function Row({ row, isOpen, onToggle }: RowProps) {
  return (
    <tr
      className={tableStyles.term}
      data-open={isOpen || undefined}
      onClick={row.is_negated ? undefined : onRowClick(onToggle)}
    >
      <td className={tableStyles.name}>
        <span className={tableStyles.termName}>
          {row.is_negated ? (
            <>
              <strong>not </strong>
              {row.name}
            </>
          ) : (
            <button type="button" className={tableStyles.opener} aria-expanded={isOpen} onClick={onToggle}>
              {row.name}
            </button>
          )}
          {row.obsolete !== undefined && <ObsoleteBadge />}
        </span>
        <Link to="/go/$goId" params={{ goId: row.go_id }} className={tableStyles.goId}>
          {row.go_id}
        </Link>
        <TermNumbers of={row} />
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
        <Values of={row.annotations.map((one) => one.assigned_by ?? 'unknown')}>{(name) => name}</Values>
      </td>
    </tr>
  );
}

/** Shows the different values of the annotations of a term, in their order; null only if none has one. */
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
