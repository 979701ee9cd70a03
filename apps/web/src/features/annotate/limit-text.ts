import type { AnnotateLimits } from '../../app/api/annotate.js';
import type { FastaGlance } from '../../shared/fasta.js';
import { formatBytes, formatCount, plural } from '../../shared/format.js';

/** The limits in sentences, shown before anything is sent. */
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

/** Why the text will be refused, or null. The service decides; this only spares a round trip. */
export function obstacle(glance: FastaGlance, limits: AnnotateLimits | undefined): string | null {
  if (!glance.startsWithHeader)
    return 'The first line must be a header that starts with ">", such as ">my_protein".';
  if (limits === undefined) return null;
  const today = limits.sequences_today;
  if (today !== null && glance.sequences > today.limit - today.used) {
    const left = Math.max(0, today.limit - today.used);
    return `These are ${plural(glance.sequences, 'sequence')}; ${formatCount(left)} of ${formatCount(today.limit)} are left for today.`;
  }
  if (glance.sequences > limits.max_sequences) {
    return `These are ${plural(glance.sequences, 'sequence')}; one upload takes ${formatCount(limits.max_sequences)}.`;
  }
  if (glance.longest > limits.max_residues) {
    return `One sequence has ${plural(glance.longest, 'residue')}; at most ${formatCount(limits.max_residues)} are taken.`;
  }
  return null;
}
