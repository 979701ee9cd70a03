import { Tooltip } from '@mantine/core';
import type { Aspect } from '@kindred/contracts';
import { evidenceKindWords, evidenceOf } from '../../shared/evidence.js';
import { formatReal } from '../../shared/format.js';
import { uniprotAddress } from '../../shared/links.js';
import styles from './cells.module.css';

/** A score of 0 to 1 as a bar. Striped: predicted, not curated. */
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

/** The protein a term comes from, at UniProt where it has an entry. */
export function DonorLink({ accession }: { accession: string | null }) {
  if (accession === null) return <span>none, frequent term</span>;
  const address = uniprotAddress(accession);
  if (address === null) return <span>{accession}</span>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {accession}
    </a>
  );
}

/** An evidence code; what it means is shown on hover and focus, and read out. */
export function EvidenceCode({ code }: { code: string | null }) {
  const { meaning, kind } = evidenceOf(code);
  const words = `${meaning} (${evidenceKindWords[kind]})`;
  return (
    <Tooltip label={words} multiline maw={260} withArrow events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the meaning must be reachable by keyboard */}
      <abbr
        className={styles.evidence}
        data-kind={kind}
        tabIndex={0}
        aria-label={`${code ?? 'none'}: ${words}`}
      >
        {code ?? 'none'}
      </abbr>
    </Tooltip>
  );
}
