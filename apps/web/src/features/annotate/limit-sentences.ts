import type { AnnotateLimits } from '../../app/api/annotate.js';
import { formatBytes, formatCount, plural } from '../../shared/format.js';

/** Writes the limits in sentences, which are shown before anything is sent. */
export function limitSentences(limits: AnnotateLimits, signedIn: boolean): string[] {
  const { sequences_today: today, max_sequences, max_residues, max_upload_bytes } = limits;
  const sentences: string[] = [];
  if (today !== null) {
    const left = Math.max(0, today.limit - today.used);
    const who = signedIn ? 'With your account' : 'Without an account';
    const rest = today.used === 0 ? '' : ` (${formatCount(left)} left today)`;
    sentences.push(`${who}: ${plural(today.limit, 'sequence')} a day${rest}.`);
  }
  sentences.push(
    `One upload: at most ${plural(max_sequences, 'sequence')} of ${plural(max_residues, 'residue')} each, ${formatBytes(max_upload_bytes)}.`,
  );
  return sentences;
}
