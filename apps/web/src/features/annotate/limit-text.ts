import type { AnnotateLimits, AnnotateOptions } from '../../app/api/annotate.js';
import { formatBytes, formatCount, plural } from '../../shared/format.js';
import type { SequenceInput } from '../../shared/sequence-input.js';

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

/** Says why the text will be refused; null if it will not. The service decides; this check only saves a request. */
export function obstacle(
  input: Pick<SequenceInput, 'fault' | 'sequences' | 'longest' | 'duplicates'>,
  limits: AnnotateLimits | undefined,
  badRecords: AnnotateOptions['bad_records'] = 'refuse',
): string | null {
  if (input.fault !== null) return input.fault;
  const isRefused = badRecords === 'refuse';
  if (isRefused && input.duplicates.length > 0) {
    const shown = input.duplicates.slice(0, 3).join(', ');
    const more = input.duplicates.length > 3 ? ` and ${formatCount(input.duplicates.length - 3)} more` : '';
    return `Several sequences have the same name: ${shown}${more}.`;
  }
  if (limits === undefined) return null;
  const today = limits.sequences_today;
  if (today !== null && input.sequences > today.limit - today.used) {
    const left = Math.max(0, today.limit - today.used);
    return `These are ${plural(input.sequences, 'sequence')}; ${formatCount(left)} of ${formatCount(today.limit)} are left for today.`;
  }
  if (input.sequences > limits.max_sequences) {
    return `These are ${plural(input.sequences, 'sequence')}; one upload takes ${formatCount(limits.max_sequences)}.`;
  }
  if (isRefused && input.longest > limits.max_residues) {
    return `One sequence has ${plural(input.longest, 'residue')}; at most ${formatCount(limits.max_residues)} are taken.`;
  }
  return null;
}
