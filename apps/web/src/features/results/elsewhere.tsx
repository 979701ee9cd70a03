import type { Answer } from '../../app/api/predictions.js';
import { proteinPages } from '../../shared/links.js';
import { ProteinLinks } from '../../shared/protein-links.js';
import styles from './results.module.css';

/** Links the protein, if the reference knows it, and the nearest source of its first term to other databases. */
export function Elsewhere({ answer }: { answer: Answer }) {
  const matched = matchedOf(answer).filter(({ accession }) => proteinPages(accession).length > 0);
  return matched.map(({ accession, words }) => (
    <p key={accession} className={`${styles.small} ${styles.onScreen}`} data-elsewhere={accession}>
      {words} {accession}: <ProteinLinks accession={accession} />
    </p>
  ));
}

function matchedOf({ known, terms }: Answer): { accession: string; words: string }[] {
  const source = terms.find(
    ({ source_kind, source_id }) => source_kind === 'protein' && source_id !== known?.accession,
  )?.source_id;
  return [
    ...(known === null ? [] : [{ accession: known.accession, words: 'This protein,' }]),
    ...(source == null ? [] : [{ accession: source, words: 'The nearest source of its first term,' }]),
  ];
}
