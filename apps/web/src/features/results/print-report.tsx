import type { Answer } from '../../app/api/predictions.js';
import { aspectNames, aspectOrder } from '../../shared/aspect.js';
import { cellColumns, cellOf, headingOf } from './answer-table.js';
import { TermNumbers } from './term-numbers.js';
import styles from './print-report.module.css';
import results from './results.module.css';

/** The maximum number of terms of one aspect, so that all aspects fit on a page. */
const mostTerms = 10;

/** Shows the answer on one page of paper with all aspects. It is only printed, and never shown on the screen. */
export function PrintReport({ answer: { known, terms, contradicted } }: { answer: Answer }) {
  return (
    <div className={results.onPaper} aria-hidden="true">
      {aspectOrder.map((aspect) => {
        const own = (known?.terms ?? []).filter((term) => term.aspect === aspect && !term.is_negated);
        const beyond = terms.filter((term) => term.aspect === aspect && term.is_known !== true);
        const specific = beyond.filter((term) => term.folded_under === null);
        return (
          <section key={aspect} className={styles.aspect}>
            <h3>{aspectNames[aspect]}</h3>
            {own.length > 0 && <KnownRows terms={own.slice(0, mostTerms)} />}
            {own.length > mostTerms && (
              <p className={styles.more}>
                and {own.length - mostTerms} more that are known, on the page of this result
              </p>
            )}
            {specific.length === 0 ? (
              <p>{own.length > 0 ? 'Nothing is predicted beyond what is known.' : 'Nothing is predicted.'}</p>
            ) : (
              <Rows terms={specific.slice(0, mostTerms)} />
            )}
            {specific.length > mostTerms && (
              <p className={styles.more}>
                and {specific.length - mostTerms} more, on the page of this result
              </p>
            )}
          </section>
        );
      })}
      {contradicted.length > 0 && (
        <p className={styles.more}>
          Left out, as something speaks against it: {contradicted.map(({ name }) => name).join(', ')}.
        </p>
      )}
    </div>
  );
}

function KnownRows({ terms }: { terms: NonNullable<Answer['known']>['terms'] }) {
  return (
    <table className={styles.rows}>
      <tbody>
        {terms.map((term) => (
          <tr key={term.go_id}>
            <td>{term.name}</td>
            <td>
              {term.go_id}
              <TermNumbers of={term} />
            </td>
            <td>known</td>
            <td>{[...new Set(term.annotations.map((one) => one.evidence_code))].join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Shows the predicted terms with the columns that the page shows. */
function Rows({ terms }: { terms: Answer['terms'] }) {
  return (
    <table className={styles.rows}>
      <thead>
        <tr>
          <th>{headingOf('go_name')}</th>
          <th>GO id</th>
          {cellColumns.map((name) => (
            <th key={name}>{headingOf(name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {terms.map((term) => (
          <tr key={term.go_id}>
            <td>{term.name}</td>
            <td>
              {term.go_id}
              <TermNumbers of={term} />
            </td>
            {cellColumns.map((name) => (
              <td key={name}>{cellOf(term, name, -1)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
