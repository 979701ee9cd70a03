import type { Answer } from '../../app/api/predictions.js';
import styles from './answer-table.module.css';

type Numbered = Pick<Answer['terms'][number], 'ec_numbers' | 'rhea_reactions'>;

const title = 'As the Gene Ontology gives it for the term: it holds for the protein as far as the term does';

/** Shows the EC numbers of a term and its reactions of Rhea; nothing if the Gene Ontology gives none. */
export function TermNumbers({ of: { ec_numbers: ec, rhea_reactions: rhea } }: { of: Numbered }) {
  const texts = [
    ...(ec === null ? [] : [`EC ${ec.replaceAll('|', ', ')}`]),
    ...(rhea === null ? [] : [`Rhea ${rhea.replaceAll('|', ', ')}`]),
  ];
  if (texts.length === 0) return null;
  return (
    <>
      {' '}
      <span className={styles.goId} title={title}>
        {texts.join(' · ')}
      </span>
    </>
  );
}
