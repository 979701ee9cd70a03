import { addToTally, emptyTally, leftOutNotes } from '@kindred/contracts/stated-terms-words';
import { Loaded } from '../../shared/loading.js';
import { plural } from '../../shared/format.js';
import type { ComparisonPage } from '../../app/api/other-programs.js';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import table from '../../shared/table.module.css';
import { ComparedCells, ComparedHeadings } from './compared-terms.js';
import styles from './results.module.css';
import { type ComparedTerm, useOtherFiles, useProteinComparison } from './use-other-programs.js';

interface Props {
  set: PredictionSetDetail;
  accession: string;
}

/** Shows what other programs say of the protein, if the run has a file of one. */
export function ProteinOtherPrograms(props: Props) {
  const files = useOtherFiles(props.set);
  return files.data === undefined || files.data.length === 0 ? null : <Compared {...props} />;
}

function Compared({ set, accession }: Props) {
  const compared = useProteinComparison(set, accession);
  return (
    <section aria-label={`Other programs on ${accession}`} className={styles.onScreen}>
      <h3>Other programs</h3>
      <Loaded query={compared}>{(page) => <Rows page={page} />}</Loaded>
    </section>
  );
}

/** The number of terms that are shown at first, because a program may state hundreds. */
const shownAtFirst = 10;

function Rows({ page }: { page: ComparisonPage }) {
  const { programs, proteins } = page;
  // Terms that Kindred alone says stand in the answer above. Contradicted terms go first.
  const rows = proteins
    .flatMap(({ terms }) => terms)
    .filter(({ agreement }) => agreement !== 'only_kindred')
    .sort((a, b) => Number(b.agreement === 'contradicted') - Number(a.agreement === 'contradicted'));
  const tally = emptyTally();
  addToTally(tally, page);
  const names = programs.join(' and ');
  const rest = rows.slice(shownAtFirst);
  return (
    <>
      <p className={styles.small}>
        {rows.length === 0
          ? `${names} ${programs.length === 1 ? 'states' : 'state'} no term of this protein.`
          : `${names}: ${plural(rows.length, 'term')}, beside what Kindred says. A more specific term says the term, too.`}{' '}
        {leftOutNotes(tally).join(' ')}
      </p>
      {rows.length > 0 && <Terms programs={programs} rows={rows.slice(0, shownAtFirst)} />}
      {rest.length > 0 && (
        <details>
          <summary>{plural(rest.length, 'more term')}</summary>
          <Terms programs={programs} rows={rest} />
        </details>
      )}
    </>
  );
}

function Terms({ programs, rows }: { programs: readonly string[]; rows: readonly ComparedTerm[] }) {
  return (
    <div className={table.scroll}>
      <table className={table.table}>
        <thead>
          <tr>
            <ComparedHeadings programs={programs} />
          </tr>
        </thead>
        <tbody>
          {rows.map((term) => (
            <tr key={term.go_id}>
              <ComparedCells term={term} programs={programs} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
