import type { AnnotationCheck } from '../../app/api/annotate.js';
import { formatAbout, formatCount, formatDuration, plural } from '../../shared/format.js';

/** Returns sentences on what the service found out about the sequences. */
export function checkSentences(check: AnnotationCheck, nowMs: number): string[] {
  const { known_exactly: known, sequence_count: count, seconds, unanswerable, left_out } = check;
  const sentences: string[] = [...leftOutSentences(left_out), ...organismSentences(check)];
  if (known > 0)
    sentences.push(
      known === count
        ? `${count === 1 ? 'It is' : 'All are'} known exactly: curated annotations are shown first.`
        : `${formatCount(known)} of ${formatCount(count)} ${known === 1 ? 'is' : 'are'} known exactly.`,
    );
  for (const { sentence, count: affected, accessions } of unanswerable) {
    const more = affected > accessions.length ? ` and ${formatCount(affected - accessions.length)} more` : '';
    sentences.push(`No prediction for ${accessions.join(', ')}${more}: ${lowerFirst(sentence)}`);
  }
  if (seconds !== null) sentences.push(`Takes about ${formatAbout(seconds)}.`);
  const quota = quotaSentence(check, nowMs);
  return quota === null ? sentences : [...sentences, quota];
}

/** Returns sentences on records of the upload from which no protein was made. */
export function leftOutSentences({ count, records }: AnnotationCheck['left_out']): string[] {
  const [first] = records;
  if (first === undefined) return [];
  const named = first.record === null ? '' : ` (${first.record})`;
  return [
    `${plural(count, 'record')} ${count === 1 ? 'has' : 'have'} no protein and will be left out. Line ${first.line}${named}: ${first.reason}.`,
  ];
}

/** Returns sentences on the organism of the sequences, as far as it is known. */
function organismSentences(check: AnnotationCheck): string[] {
  const {
    taxon_id: taxon,
    taxon_name,
    taxon_count: taxa,
    without_taxon: without,
    sequence_count: count,
  } = check;
  if (taxon === null) return [];
  const name = taxon_name ?? `NCBI taxon ${taxon}`;
  const known = taxa === 1 ? `Organism: ${name}` : `Organisms: ${name} and ${plural(taxa - 1, 'other')}`;
  return [
    without === 0 ? `${known}.` : `${known}; ${formatCount(without)} of ${formatCount(count)} name none.`,
  ];
}

/** Returns a sentence on the rest of the daily quota; null without a quota. */
export function quotaSentence(check: AnnotationCheck, nowMs: number): string | null {
  const { quota, sequence_count: count } = check;
  if (quota === null) return null;
  const left = Math.max(0, quota.limit - quota.used);
  if (quota.is_enough)
    return `Leaves ${formatCount(left - count)} of your ${plural(quota.limit, 'sequence')} for today.`;
  const wait = formatDuration(60 * Math.ceil((Date.parse(quota.resets_at) - nowMs) / 60_000));
  return `${formatCount(left)} of ${plural(quota.limit, 'sequence')} are left for today; the next ${formatCount(quota.limit)} are free at 00:00 UTC (in ${wait}).`;
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
