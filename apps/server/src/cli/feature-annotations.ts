import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { exportLine } from '@kindred/contracts/resources/exports';
import {
  type FeatureAnnotation,
  featureAnnotation,
  Gff3Decorator,
  lines,
  utf8Chunks,
} from '@kindred/kernels/formats';
import type { z } from 'zod';
import { endOutput, write } from './output.js';

type Answer = z.infer<typeof exportLine>;

/** The answer of one protein as JSON has at most this many characters. */
export const maxAnswerLength = 1 << 26;

/** Collects the annotations for the features of proteins from the lines of an export as JSON Lines. */
export async function readFeatureAnnotations(
  jsonl: AsyncIterable<Uint8Array>,
  database: string,
): Promise<Map<string, FeatureAnnotation>> {
  const annotations = new Map<string, FeatureAnnotation>();
  for await (const line of lines(jsonl, { maxLineLength: maxAnswerLength })) {
    const answer = JSON.parse(line) as Answer;
    const known = answer.known?.terms ?? [];
    annotations.set(answer.accession, featureAnnotation(known, answer.terms, database));
  }
  return annotations;
}

/**
 * Copies a GFF3 file, plain or gzip, with a feature for each protein that it has, and returns these proteins.
 * UTF-16 becomes UTF-8.
 */
export async function decorate(
  path: string,
  annotations: ReadonlyMap<string, FeatureAnnotation>,
  output: Writable,
): Promise<ReadonlySet<string>> {
  const decorator = new Gff3Decorator((accession) => annotations.get(accession));
  const file = createReadStream(path);
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  let last = '';
  for await (const line of unchangedLines(utf8Chunks(bytes))) {
    await write(output, Buffer.from(decorator.before(line) + line, 'latin1'));
    last = line;
  }
  const features = decorator.end();
  if (features !== '')
    await write(output, Buffer.from(`${last.endsWith('\n') ? '' : '\n'}${features}`, 'latin1'));
  await endOutput(output);
  return decorator.placed;
}

/**
 * Yields lines with their ends, in Latin-1: one character for each byte, so that the bytes come out
 * unchanged.
 */
async function* unchangedLines(bytes: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const complete = (rest + Buffer.from(chunk).toString('latin1')).split(/(?<=\n)/);
    rest = complete.at(-1)?.endsWith('\n') ? '' : (complete.pop() ?? '');
    yield* complete;
  }
  if (rest !== '') yield rest;
}
