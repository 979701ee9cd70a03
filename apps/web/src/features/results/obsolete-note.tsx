import type { Answer } from '../../app/api/predictions.js';
import { formatDay } from '../../shared/format.js';
import { TermLink } from '../../shared/term-link.js';
import styles from './term-evidence.module.css';
import table from './answer-table.module.css';

type Obsolete = NonNullable<Answer['terms'][number]['obsolete']>;

/** The badge after the name of a term; the note says more. */
export function ObsoleteBadge() {
  return (
    <span className={table.broader} title="A newer Gene Ontology no longer has this term">
      obsolete
    </span>
  );
}

/** Says that a newer ontology made a term obsolete, and which terms it suggests instead. */
export function ObsoleteNote({ obsolete }: { obsolete: Obsolete }) {
  const { obo_version, replaced_by, consider } = obsolete;
  return (
    <p className={styles.obsolete}>
      The Gene Ontology of {formatDay(obo_version)} no longer has this term.
      {replaced_by.length > 0 && <Terms words="Its replacement:" ids={replaced_by} />}
      {consider.length > 0 && <Terms words="Terms to consider instead:" ids={consider} />}
      {replaced_by.length + consider.length === 0 && ' It names nothing instead.'}
    </p>
  );
}

function Terms({ words, ids }: { words: string; ids: readonly string[] }) {
  return (
    <>
      {' '}
      {words}{' '}
      {ids.map((id, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <TermLink goId={id} name={id} />
        </span>
      ))}
      .
    </>
  );
}
