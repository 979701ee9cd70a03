import type { Answer } from '../../app/api/predictions.js';
import { quickGoAddress } from '../../shared/links.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { ScoreBar, SourceLink } from './cells.js';
import styles from './term-table.module.css';

/** The terms of an answer with their certainty and their best support. */
export function AnswerTable({ terms }: { terms: Answer['terms'] }) {
  return (
    <div className={styles.wrap}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th
              scope="col"
              title="By calibrated probability alone: strong from 80 %, likely from 50 %, possible from 10 %"
            >
              Certainty
            </th>
            <th scope="col">Score</th>
            <th scope="col" title="The annotation or protein that supports the term best">
              Best source
            </th>
            <th scope="col" title="What the annotation of the source rests on">
              Source’s evidence
            </th>
          </tr>
        </thead>
        <tbody>
          {terms.map((term) => (
            <tr key={term.go_id} className={styles.term}>
              <td className={styles.name}>
                <span className={styles.termName}>
                  {term.contradiction === null ? term.name : <s>{term.name}</s>}
                </span>
                {term.contradiction !== null && (
                  <span className={styles.against}>Against it: {term.contradiction}</span>
                )}
                <a href={quickGoAddress(term.go_id)} target="_blank" rel="noreferrer" className={styles.goId}>
                  {term.go_id}
                </a>
              </td>
              <td data-label="Certainty">
                <Certainty term={term} />
              </td>
              <td data-label="Score">
                <ScoreBar score={term.score} aspect={term.aspect} />
              </td>
              <td data-label="Best source">
                <SourceLink source={term} />
              </td>
              <td data-label="Source’s evidence">
                {term.evidence_code === null ? (
                  <span title="The source has a more specific term">implied</span>
                ) : (
                  <EvidenceCode code={term.evidence_code} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Certainty({ term }: { term: Answer['terms'][number] }) {
  const { certainty, probability, probability_low, probability_high, calibrated_on } = term;
  if (probability === null)
    return <span title="No probability was measured for proteins like this one">not calibrated</span>;
  const range =
    probability_low === null || probability_high === null
      ? ''
      : ` (95 % interval ${percent(probability_low)} to ${percent(probability_high)})`;
  return (
    <span title={`Measured on ${calibrated_on ?? 'no data'}${range}`}>
      {certainty ?? 'weak'} <span className={styles.number}>{percent(probability)}</span>
    </span>
  );
}

function percent(share: number): string {
  // A no-break space keeps number and sign on one line.
  return `${Math.round(share * 100)}\u00a0%`;
}
