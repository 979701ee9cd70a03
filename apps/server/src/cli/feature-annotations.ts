import { createReadStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { exportLine } from '@kindred/contracts/resources/exports';
import { type FeatureAnnotation, Gff3Decorator, sourceReference } from '@kindred/kernels/formats';
import type { z } from 'zod';
import { endOutput, write } from './output.js';
import { textLines } from './text-lines.js';

type Answer = z.infer<typeof exportLine>;

/** What belongs in the features of proteins, from the lines of an export as JSON Lines. */
export async function readFeatureAnnotations(
  jsonl: AsyncIterable<Uint8Array>,
  database: string,
): Promise<Map<string, FeatureAnnotation>> {
  const annotations = new Map<string, FeatureAnnotation>();
  for await (const line of textLines(jsonl)) {
    const answer = JSON.parse(line) as Answer;
    annotations.set(answer.accession, featureOf(answer, database));
  }
  return annotations;
}

function featureOf({ terms }: Answer, database: string): FeatureAnnotation {
  const sources = terms.map((term) =>
    sourceReference({ sourceKind: term.source_kind, sourceId: term.source_id }, database),
  );
  return {
    goIds: terms.map((term) => term.go_id),
    sources: [...new Set(sources.filter((source) => source !== null))],
    best:
      terms.length === 0 ? null : Math.max(...terms.map(({ probability, score }) => probability ?? score)),
  };
}

/** Copies a GFF3 file, plain or gzip, with a feature for each protein that it has. Returns those that it has. */
export async function decorate(
  path: string,
  annotations: ReadonlyMap<string, FeatureAnnotation>,
  output: Writable,
): Promise<ReadonlySet<string>> {
  const decorator = new Gff3Decorator((accession) => annotations.get(accession));
  const file = createReadStream(path);
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  let last = '';
  for await (const line of textLines(bytes, { lineEnds: true, encoding: 'latin1' })) {
    await write(output, Buffer.from(decorator.before(line) + line, 'latin1'));
    last = line;
  }
  const features = decorator.end();
  if (features !== '')
    await write(output, Buffer.from(`${last.endsWith('\n') ? '' : '\n'}${features}`, 'latin1'));
  await endOutput(output);
  return decorator.placed;
}
