import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { examplesFolder } from '../../ground/folders.js';

/** A query of the example set must be explained by this protein, and get this term. */
export interface KnownAnswer {
  query: string;
  source: string;
  goId: string;
}

/**
 * Each query has a clear relative in human, with an experimental annotation, so the answers do not depend on
 * the models.
 */
export const knownAnswers: readonly KnownAnswer[] = [
  { query: 'Q9NAE2', source: 'Q96N76', goId: 'GO:0016153' },
  { query: 'Q5ZJ17', source: 'Q5R372', goId: 'GO:0031267' },
];

/** One of this many proteins of the example set is kept. */
const keptOf = 20;
const unpack = promisify(gunzip);
const packed = promisify(gzip);

/**
 * Writes a twentieth of the example set under the names of its files, and the queries of `knownAnswers`.
 * Loading it takes seconds. The result has the number of proteins.
 */
export async function writeSmallExamples(folder: string): Promise<{ proteins: number; queries: string }> {
  await mkdir(folder, { recursive: true });
  const text = async (name: string) =>
    (await unpack(await readFile(join(examplesFolder, name)))).toString('utf8');
  const write = async (name: string, content: string) =>
    writeFile(join(folder, name), await packed(content, { level: 1 }));
  const sources = new Set(knownAnswers.map(({ source }) => source));
  const records = (await text('reference.fasta.gz')).slice(1).split('\n>');
  const kept = records.filter((record, i) => i % keptOf === 0 || sources.has(accessionOf(record)));
  const accessions = new Set(kept.map(accessionOf));
  const rows = (await text('reference.gaf.gz'))
    .split('\n')
    .filter((line) => line.startsWith('!') || accessions.has(line.split('\t', 2)[1]));
  const terms = new Set(rows.flatMap((line) => line.match(/GO:\d{7}/g) ?? []));
  await write('reference.fasta.gz', `>${kept.join('\n>')}\n`);
  await write('reference.gaf.gz', `${rows.join('\n')}\n`);
  const ontology = 'go-basic-2022-07-01.obo.gz';
  await write(ontology, withAncestors(await text(ontology), terms));
  for (const name of ['nodes.dmp.gz', 'names.dmp.gz'])
    await writeFile(join(folder, name), await readFile(join(examplesFolder, name)));
  const queries = join(folder, 'queries.fasta');
  await writeFile(queries, await queriesOf(new Set(knownAnswers.map(({ query }) => query))));
  return { proteins: kept.length, queries };
}

const accessionOf = (record: string) => record.split(/\s/, 1)[0];

async function queriesOf(accessions: ReadonlySet<string>): Promise<string> {
  const records = (await readFile(join(examplesFolder, 'queries.fasta'), 'utf8')).slice(1).split('\n>');
  // Headers have the form of UniProt: >sp|P12345|NAME_HUMAN
  const chosen = records.filter((record) => accessions.has(record.split('|', 2)[1]));
  return chosen.map((record) => `>${record.trimEnd()}\n`).join('');
}

/** Reduces the ontology to these terms and everything above them. */
function withAncestors(obo: string, terms: ReadonlySet<string>): string {
  const [head, ...stanzas] = obo.split('\n\n[');
  const termOf = (stanza: string) => /^Term\]\nid: (GO:\d{7})/.exec(stanza)?.[1];
  const parents = new Map<string, string[]>();
  for (const stanza of stanzas) {
    const id = termOf(stanza);
    if (id !== undefined)
      parents.set(
        id,
        [...stanza.matchAll(/^(?:is_a|relationship): (?:\w+ )?(GO:\d{7})/gm)].map((match) => match[1]),
      );
  }
  const kept = new Set(terms);
  // A set that grows while it is walked also gives its new members.
  for (const id of kept) for (const parent of parents.get(id) ?? []) kept.add(parent);
  const left = stanzas.filter((stanza) => kept.has(termOf(stanza) ?? '') || !stanza.startsWith('Term]'));
  return [head, ...left].join('\n\n[');
}
