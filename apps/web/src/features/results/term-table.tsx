import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import type { PredictionSetDetail } from '../../app/api/predictions.js';
import { ChevronIcon } from '../../shared/icons.js';
import { distanceWords } from '../../shared/score.js';
import { EvidenceCode } from '../../shared/evidence-code.js';
import { Distance, ScoreBar, SourceLink } from './cells.js';
import { DonorPanel } from './donor-panel.js';
import type { FoldedCall } from './term-calls.js';
import styles from './term-table.module.css';

interface Props {
  terms: FoldedCall[];
  set: PredictionSetDetail;
  accession: string;
  /** Terms that the protein is annotated with already. */
  known: ReadonlySet<string> | undefined;
}

/** Terms with score and nearest donor; each opens to show all its donors and what it implies. */
export function TermTable({ set, accession, terms, known }: Props) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (goId: string) => {
    const next = new Set(open);
    if (!next.delete(goId)) next.add(goId);
    setOpen(next);
  };
  return (
    <div className={styles.wrap}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th scope="col">Score</th>
            <th scope="col">Source protein</th>
            <th scope="col" title={distanceWords(set.metric)}>
              Distance
            </th>
            <th scope="col">Source’s evidence</th>
            <th scope="col" title="Similar proteins that are annotated with the term">
              Agree
            </th>
          </tr>
        </thead>
        <tbody>
          {terms.map((term) => (
            <Fragment key={term.goId}>
              <TermRow
                term={term}
                isKnown={known?.has(term.goId) ?? false}
                isOpen={open.has(term.goId)}
                onToggle={() => toggle(term.goId)}
              />
              {open.has(term.goId) && (
                <tr className={styles.more}>
                  <td colSpan={6} id={detailId(term.goId)}>
                    <DonorPanel set={set} accession={accession} term={term} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function detailId(goId: string): string {
  return `donors-${goId.replace(':', '-')}`;
}

interface RowProps {
  term: FoldedCall;
  isKnown: boolean;
  isOpen: boolean;
  onToggle: () => void;
}

function TermRow({ term, isKnown, isOpen, onToggle }: RowProps) {
  const nearest = term.donors[0];
  return (
    <tr className={styles.term}>
      <td className={styles.name}>
        <span className={styles.termName}>
          {term.name}
          {isKnown && (
            <span className={styles.known} title="The protein is annotated with this term already">
              known
            </span>
          )}
          {term.isBroader && (
            <span className={styles.broader} title="Implied by a more specific term of this list">
              implied
            </span>
          )}
        </span>
        <Link to="/go/$goId" params={{ goId: term.goId }} className={styles.goId}>
          {term.goId}
        </Link>
      </td>
      <td data-label="Score">
        <ScoreBar score={term.score} aspect={term.aspect} />
      </td>
      <td data-label="Source protein">
        <SourceLink source={nearest} />
      </td>
      <td data-label="Distance" className={styles.number}>
        <Distance value={nearest.distance} />
      </td>
      <td data-label="Source’s evidence">
        <EvidenceCode code={nearest.evidence_code} />
      </td>
      <td data-label="Agree">
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailId(term.goId) : undefined}
          aria-label={`${term.supporters} ${term.supporters === 1 ? 'similar protein' : 'similar proteins'} annotated with ${term.name}: ${isOpen ? 'hide' : 'show'} them`}
          onClick={onToggle}
        >
          {term.supporters}
          <span className={styles.chevron}>
            <ChevronIcon />
          </span>
        </button>
      </td>
    </tr>
  );
}
