import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { AnnotationCheck } from '../../app/api/annotate.js';
import { plural } from '../../shared/format.js';
import type { SequenceInput } from '../../shared/sequence-input.js';
import type { Rewriting } from '../../shared/rewrite-records.js';
import styles from './annotate.module.css';

/** This part is loaded with the first sequences. */
const CheckNotes = lazy(async () => ({ default: (await import('./check-notes.js')).CheckNotes }));

const shownMissing = 20;

interface Props {
  input: SequenceInput;
  check: AnnotationCheck | undefined;
  missing: readonly string[];
  onRewrite: (change: Rewriting) => Promise<void>;
}

/** Shows what the page and the service found in the field, and offers remedies. */
export function InputLook({ input, check, missing, onRewrite }: Props) {
  const rewrite = useMutation({ mutationFn: onRewrite });
  const hasDna = check?.unanswerable.some(({ reason }) => reason === 'looks_like_dna') === true;
  const act = { variant: 'light', size: 'compact-sm', loading: rewrite.isPending };
  return (
    <div className={styles.look} role="status" aria-live="polite">
      <p>{[summaryOf(input, check), input.note].filter(Boolean).join(' ')}</p>
      {missing.length > 0 && (
        <p>
          Not in this catalogue: {missing.slice(0, shownMissing).join(', ')}
          {missing.length > shownMissing && ` and ${missing.length - shownMissing} more`}. Paste their
          sequences instead.
        </p>
      )}
      {input.duplicates.length > 0 && (
        <Button {...act} onClick={() => rewrite.mutate({ number: true })}>
          Number the sequences of the same name
        </Button>
      )}
      <Suspense>{check !== undefined && <CheckNotes check={check} />}</Suspense>
      {hasDna && input.kind !== 'empty' && (
        <Button {...act} onClick={() => rewrite.mutate({ translate: true })}>
          Translate the longest reading frame
        </Button>
      )}
    </div>
  );
}

function summaryOf(input: SequenceInput, check: AnnotationCheck | undefined): string {
  if (check !== undefined)
    return `${plural(check.sequence_count, 'protein')}, ${plural(check.residue_count, 'residue')}`;
  if (input.kind === 'empty') return 'A sequence, FASTA records, or UniProt accessions such as P05108.';
  if (input.kind === 'other') return 'The service looks at this text.';
  if (input.kind === 'accessions') return plural(input.sequences, 'accession');
  return `${plural(input.sequences, 'protein')}, ${plural(input.residues, 'residue')}`;
}
