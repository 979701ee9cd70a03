import { z } from 'zod';
import type { AnnotationSetId, EmbeddingConfigId, OntologySnapshotId, QuerySetId } from './ids.js';
import { uuidOf } from './ids.js';
import { type Aspect, aspectOfCafa, aspects, visibilities } from './vocabulary.js';

/** This file has the fields that several payloads share. */
export const url = z.string().min(1).max(2048).meta({
  description:
    'file:// under SVC_IMPORT_DIR, http://, https://, or upload: and the SHA-256 of a file sent to /references/files',
});

/** Returns the names of the fields of an object that hold an address, in the order of the schema. */
export function addressFields(schema: z.ZodType): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const isAddress = (field: unknown): boolean => {
    if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault)
      return isAddress(field.unwrap());
    return field === url;
  };
  return Object.entries(schema.shape).flatMap(([name, field]) => (isAddress(field) ? [name] : []));
}

export const embeddingConfigId = uuidOf<EmbeddingConfigId>();
export const annotationSetId = uuidOf<AnnotationSetId>();
export const ontologySnapshotId = uuidOf<OntologySnapshotId>();
export const querySetId = uuidOf<QuerySetId>();
export const timeoutSeconds = (fallback: number) =>
  z.int().min(1).max(86_400).default(fallback).meta({ description: 'Longest silence of the remote server' });
export const accession = z.string().min(1).max(100);

/** The largest NCBI taxon id: the ids are positive and fit into 31 bits. */
export const maxTaxon = 2 ** 31 - 1;

export const onBadLine = z.enum(['skip', 'fail']).default('skip').meta({
  description: 'A line that cannot be read is reported with its number and skipped, or fails the load',
});

export const afterQuery = z
  .string()
  .max(200)
  .optional()
  .meta({
    description:
      'A created_at value, or the cursor of the Link header, which loses no row of the same microsecond',
    examples: ['2026-01-31T09:30:00.000001Z'],
  });

const numberWritten = (form: RegExp) => (text: unknown) =>
  typeof text === 'string' && form.test(text) ? Number(text) : text;
/** A whole number in digits. `Number` alone would also accept 1.0, +5, 0x10, 1e2 and blanks. */
export const wholeNumber = <T extends z.ZodType<number>>(schema: T) =>
  z.preprocess(numberWritten(/^-?\d{1,16}$/), schema);
/** A number in any form that programs write in data, without the forms of source code such as 0x10. */
export const decimalNumber = <T extends z.ZodType<number>>(schema: T) =>
  z.preprocess(numberWritten(/^-?\d{1,30}(\.\d{1,30})?(e[+-]?\d{1,3})?$/i), schema);

export const limitQuery = (maximum: number, fallback = 50) =>
  wholeNumber(z.int().min(1).max(maximum).default(fallback)).meta({ description: 'Rows per answer' });
export const offsetQuery = wholeNumber(
  z
    .int()
    .min(0)
    .max(2 ** 31)
    .default(0),
);
export const booleanQuery = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ description: 'true or false' });
/** A code of an aspect of either kind, in any case: F, f, MFO. */
export const aspectQuery = z
  .string()
  .toUpperCase()
  .transform((text) => (aspectOfCafa as Record<string, Aspect>)[text] ?? text)
  .pipe(z.enum(aspects, 'expected P, F or C'))
  .optional()
  .meta({ description: 'P, F or C, or BPO, MFO, CCO' });
/** A parameter with several values, joined by commas. */
export const listQuery = <Item extends z.ZodType>(item: Item, maximum: number) =>
  z
    .string()
    .max(20_000)
    .transform((text) => text.split(',').map((part) => part.trim()))
    // The item decides which texts it accepts.
    .pipe(z.array(item).min(1).max(maximum) as unknown as z.ZodType<z.output<Item>[], string[]>);
export const noQuery = z.strictObject({});
/** The body of routes that need none: nothing, or an empty object. */
export const noBody = z.strictObject({}).nullish();
export const visibility = z.enum(visibilities).meta({
  description:
    'Who finds it, with its jobs and predictions, in lists. link: only you, operators and administrators, though anyone who has the id can read it; listed: everyone',
});
/** The visibility of a new row; SVC_DEFAULT_VISIBILITY if it is omitted. */
export const newVisibility = visibility.optional();
/** A table that is streamed. */
export const tsvReply = {
  description: 'Streamed, gzip where accepted',
  content: { 'text/tab-separated-values': { schema: z.string() } },
};
