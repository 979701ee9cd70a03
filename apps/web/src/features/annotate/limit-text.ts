import type { AnnotateLimits, AnnotateOptions } from '../../app/api/annotate.js';
import { formatCount, plural } from '../../shared/format.js';
import type { SequenceInput } from '../../shared/sequence-input.js';

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
