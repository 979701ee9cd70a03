import type { ReactNode } from 'react';
import styles from './track.module.css';

/** A part of a track: its first and last residue, counted from 1. A faint part may be there by chance. */
export interface TrackPart {
  start: number;
  end: number;
  isFaint?: boolean;
}

interface Props {
  label: ReactNode;
  /** The residues of the protein of the track. */
  length: number;
  /** The residues that the whole width stands for. */
  longest: number;
  parts: readonly TrackPart[];
  children: ReactNode;
}

/** Draws a bar for a whole protein with its parts filled; the children say the same in words. */
export function Track({ label, length, longest, parts, children }: Props) {
  return (
    <div className={styles.track}>
      <span className={styles.name}>{label}</span>
      <span className={styles.rail}>
        <span className={styles.whole} style={{ width: `${(100 * length) / longest}%` }}>
          {parts.map(({ start, end, isFaint = false }) => (
            <span
              key={`${start} ${end}`}
              className={isFaint ? `${styles.part} ${styles.faint}` : styles.part}
              style={{
                left: `${(100 * (start - 1)) / length}%`,
                width: `${(100 * (end - start + 1)) / length}%`,
              }}
            />
          ))}
        </span>
      </span>
      <span className={styles.words}>{children}</span>
    </div>
  );
}
