import type { AnnotationCheck } from '../../app/api/annotate.js';
import { useNow } from '../../shared/use-now.js';
import { checkSentences } from './check-text.js';

/** Says what the service found out about the sequences. */
export function CheckNotes({ check }: { check: AnnotationCheck }) {
  const now = useNow(60_000);
  return checkSentences(check, now).map((sentence) => <p key={sentence}>{sentence}</p>);
}
