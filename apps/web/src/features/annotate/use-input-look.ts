import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type AnnotateOptions, checkAnnotation, fastaOf, type Source } from '../../app/api/annotate.js';
import type { SequenceInput } from '../../shared/sequence-input.js';

/** After so long without a key the service looks at the text. */
const pauseMs = 400;
/** Longer texts are looked at here alone, as they take long to send. */
const maxCheckedCharacters = 2_000_000;
const maxCheckedBytes = 20 * 2 ** 20;

/** FASTA of accessions that were typed; what the service does not have is missing from it. */
export function useFetchedSequences(input: SequenceInput) {
  return useQuery({
    queryKey: ['sequences-of', input.accessions],
    queryFn: ({ signal }) => fastaOf(input.accessions, signal),
    enabled: input.kind === 'accessions',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Accessions that the fetched FASTA does not have. */
export function missingAccessions(accessions: readonly string[], fasta: string): string[] {
  const found = new Set([...fasta.matchAll(/^>(?:(?:sp|tr)\|)?([^\s|]+)/gm)].map((match) => match[1]));
  return accessions.filter((accession) => !found.has(accession));
}

/** What the service says of the sequences before anything is started. */
export function useCheck(source: Source | null, options: AnnotateOptions) {
  const [settled] = useDebouncedValue(source, pauseMs);
  const asked = settled !== null && isSmall(settled) ? settled : null;
  const { annotation_set_id, embedding_config_id } = options;
  return useQuery({
    queryKey: ['annotate-check', keyOf(asked), annotation_set_id, embedding_config_id],
    queryFn: ({ signal }) => checkAnnotation(asked as Source, options, signal),
    enabled: asked !== null,
    // The text is part of the key: it is not kept longer than it is shown.
    gcTime: 0,
    staleTime: 10_000,
    retry: false,
  });
}

function isSmall(source: Source): boolean {
  return source.kind === 'file'
    ? source.file.size <= maxCheckedBytes
    : source.text.length <= maxCheckedCharacters;
}

function keyOf(source: Source | null): readonly unknown[] {
  if (source === null) return [];
  if (source.kind === 'text') return [source.text];
  return [source.file.name, source.file.size, source.file.lastModified];
}
