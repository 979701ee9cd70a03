import { TermLink } from '../../shared/term-link.js';
import table from '../../shared/table.module.css';
import styles from './compare-panel.module.css';
import type { ComparedTerm } from './use-other-programs.js';

/** Says what Kindred says of a term. */
function kindredSays({ kindred, kindred_certainty: certainty, contradiction }: ComparedTerm): string {
  if (contradiction === 'not_annotation') return 'known not to be so';
  if (contradiction !== null) return 'predicted, but cannot be in this organism';
  if (kindred === null) return 'no';
  if (kindred === 'known') return 'known';
  return certainty === null ? 'predicted' : `predicted, ${certainty}`;
}

/** Shows by which more specific term a side says the term of the row. */
function Through({ goId, name, of }: { goId: string | null; name: string | null; of: string }) {
  return goId === null || goId === of ? null : (
    <span className={table.muted}>
      {' '}
      by <TermLink goId={goId} name={name ?? goId} />
    </span>
  );
}

/** A cell with what Kindred says of the term. Cells of a card have one child. */
function KindredCell({ term }: { term: ComparedTerm }) {
  return (
    <td data-label="Kindred">
      <span>
        {kindredSays(term)}
        <Through goId={term.kindred_term} name={term.kindred_term_name} of={term.go_id} />
      </span>
    </td>
  );
}

/** A cell with what a program says of the term. */
function ProgramCell({ term, program }: { term: ComparedTerm; program: string }) {
  const said = term.said_by.find((one) => one.program === program);
  return (
    <td data-label={program}>
      <span className={styles.protein}>
        {said === undefined ? 'no' : 'yes'}
        {said?.score != null && `, ${Number(said.score.toPrecision(3))}`}
        {said?.basis != null && <span className={table.muted}> {said.basis}</span>}
        {said !== undefined && <Through goId={said.go_id} name={said.go_name} of={term.go_id} />}
      </span>
    </td>
  );
}

/** The headings of a table of what Kindred and the programs say. */
export function ComparedHeadings({ programs }: { programs: readonly string[] }) {
  return ['Term', 'Kindred', ...programs].map((heading) => (
    <th key={heading} scope="col">
      {heading}
    </th>
  ));
}

/** The cells of a term under these headings. */
export function ComparedCells({ term, programs }: { term: ComparedTerm; programs: readonly string[] }) {
  return (
    <>
      <td data-label="Term">
        <TermLink goId={term.go_id} name={term.go_name ?? term.go_id} />
      </td>
      <KindredCell term={term} />
      {programs.map((program) => (
        <ProgramCell key={program} term={term} program={program} />
      ))}
    </>
  );
}
