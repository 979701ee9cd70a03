import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type AnnotateOptions, checkAnnotation, fastaOf, type Source } from '../../app/api/annotate.js';
import { readInput, type SequenceInput } from '../../shared/sequence-input.js';

/** The pause in the typing after which the service checks the text. */
const pauseMs = 400;
/** The length from which on texts are checked only in the browser, because they take long to send. */
const maxCheckedCharacters = 2_000_000;
const maxCheckedBytes = 20 * 2 ** 20;
const maxLookedBytes = 100 * 2 ** 20;

/** Describes the content of the field; null while the part of the page that reads such a text is loading. */
export function useTextLook(text: string): SequenceInput | null {
  const known = useMemo(() => readInput(text), [text]);
  const reader = useQuery({
    queryKey: ['read-unnamed'],
    queryFn: () => import('../../shared/read-unnamed.js'),
    enabled: known === null,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  }).data;
  return useMemo(() => known ?? reader?.readUnnamed(text) ?? null, [known, reader, text]);
}

/** Fetches the FASTA of typed accessions. Accessions that the service does not have are missing from it. */
export function useFetchedSequences(input: SequenceInput) {
  return useQuery({
    queryKey: ['sequences-of', input.accessions],
    queryFn: ({ signal }) => fastaOf(input.accessions, signal),
    enabled: input.kind === 'accessions',
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the accessions that the fetched FASTA does not have. */
export function missingAccessions(accessions: readonly string[], fasta: string): string[] {
  const found = new Set([...fasta.matchAll(/^>(?:(?:sp|tr)\|)?([^\s|]+)/gm)].map((match) => match[1]));
  return accessions.filter((accession) => !found.has(accession));
}

/**
 * Reads the content of a chosen file, a part at a time; null if it is neither FASTA nor accessions, or is larger than an upload may be.
 */
export function useFileLook(file: File | null) {
  return useQuery({
    queryKey: ['file-look', file === null ? 0 : numberOf(file)],
    queryFn: async () => {
      const { lookAtFile } = await import('../../shared/rewrite-records.js');
      return lookAtFile(file as File).catch(() => null);
    },
    enabled: file !== null && file.size <= maxLookedBytes,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Fetches the findings of the service about the sequences before anything is started. */
export function useCheck(source: Source | null, options: AnnotateOptions) {
  const [settled] = useDebouncedValue(source, pauseMs);
  const asked = settled !== null && isSmall(settled) ? settled : null;
  const { annotation_set_id, embedding_config_id, bad_records } = options;
  const [organism] = useDebouncedValue(options.organism, pauseMs);
  return useQuery({
    queryKey: [
      'annotate-check',
      asked === null ? 0 : numberOf(asked),
      annotation_set_id,
      embedding_config_id,
      organism,
      bad_records,
    ],
    queryFn: ({ signal }) => checkAnnotation(asked as Source, { ...options, organism }, signal),
    enabled: asked !== null,
    // The reply is not kept in the cache, because no later request has the same key.
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

const numbers = new WeakMap<object, number>();
let last = 0;

/** Replaces the sequences in the key of a query, because keys are serialised often, and sequences may be long. */
function numberOf(source: object): number {
  const known = numbers.get(source);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(source, last);
  return last;
}
