import type { Aspect } from '@kindred/contracts';
import { Link } from '@tanstack/react-router';
import type { Answer } from '../../app/api/predictions.js';
import { formatReal } from '../../shared/format.js';
import { interproAddress } from '../../shared/links.js';
import styles from './cells.module.css';

/** Shows a score of 0 to 1 as a bar. The bar is striped, because the term is predicted, not curated. */
export function ScoreBar({ score, aspect }: { score: number; aspect: Aspect }) {
  return (
    <span className={styles.score} data-aspect={aspect}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.fill} style={{ width: `${Math.min(1, Math.max(0, score)) * 100}%` }} />
      </span>
      <span className={styles.value}>{formatReal(score)}</span>
    </span>
  );
}

interface SourceLinkProps {
  source: Pick<Answer['terms'][number], 'source_kind' | 'source_id'>;
  /** The tab index, given if the line decides whether the tab key reaches the link. */
  tabIndex?: number;
}

/** Links to the source of a term, here or at InterPro. */
export function SourceLink({ source, tabIndex }: SourceLinkProps) {
  const { source_kind: kind, source_id: id } = source;
  if (id === null) return <span>none</span>;
  if (kind === 'own_annotation') return <span>the protein's own annotation</span>;
  if (kind === 'protein')
    return (
      <Link to="/proteins/$accession" params={{ accession: id }} tabIndex={tabIndex}>
        {id}
      </Link>
    );
  const address = kind === 'interpro_entry' ? interproAddress(id) : null;
  if (address === null) return <span>{id}</span>;
  return (
    <a href={address} target="_blank" rel="noreferrer" tabIndex={tabIndex}>
      {id}
    </a>
  );
}
