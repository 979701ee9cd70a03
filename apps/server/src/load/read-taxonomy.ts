import { createHash } from 'node:crypto';
import { type PayloadOf, ProblemError } from '@kindred/contracts';
import type { ParsedBatch } from '@kindred/kernels/formats';
import {
  readMergedTaxa,
  readTaxonNames,
  readTaxonNodes,
  type Taxonomy,
  TaxonomyBuilder,
} from '@kindred/kernels/taxonomy';
import type { TaxonomyFile } from '../store/ontology/taxonomy.repository.js';
import { loadProblem } from './load-problem.js';
import type { OperationContext } from '../work/operation/operation.js';
import { RejectionLog } from './rejection-log.js';
import { SourceSession } from '../work/operation/source-session.js';
import { tarEntries } from '../predict/banks/tar-entries.js';
import { TaxonNames } from './taxon-names.js';

type Payload = PayloadOf<'load_taxonomy'>;
const fileNames = ['nodes.dmp', 'names.dmp', 'merged.dmp'] as const;
type FileName = (typeof fileNames)[number];

export interface TaxonomyDraft {
  taxonomy: Taxonomy;
  nameOf(index: number): Uint8Array | null;
  files: TaxonomyFile[];
  /** The digest of the digests of nodes, names and merged, in this order, for files and archive alike. */
  contentSha256: string;
  lines: Record<FileName, number>;
  rejectedLines: number;
  /** These lines have names other than the scientific one. */
  otherNames: number;
}

/** Reads and checks the whole dump, either from its files or from its archive. */
export async function readTaxonomy(payload: Payload, context: OperationContext): Promise<TaxonomyDraft> {
  const reading = new Reading(payload, context);
  if (payload.taxdump_url !== undefined) await reading.archive(payload.taxdump_url);
  else {
    await reading.file('nodes.dmp', payload.nodes_url as string);
    await reading.file('names.dmp', payload.names_url as string);
    if (payload.merged_url !== undefined) await reading.file('merged.dmp', payload.merged_url);
  }
  return reading.finish();
}

class Reading {
  readonly #builder = new TaxonomyBuilder();
  readonly #names = new TaxonNames();
  readonly #digests = new Map<FileName, TaxonomyFile>();
  readonly #lines: Record<FileName, number> = { 'nodes.dmp': 0, 'names.dmp': 0, 'merged.dmp': 0 };
  readonly #logs: Record<FileName, RejectionLog>;
  readonly #session: SourceSession;
  readonly #context: OperationContext;
  readonly #timeoutMs: number;
  #otherNames = 0;

  constructor(payload: Payload, context: OperationContext) {
    this.#context = context;
    this.#timeoutMs = 1000 * payload.timeout_seconds;
    this.#session = new SourceSession(context, {
      operation: 'load_taxonomy',
      rowLimit: null,
      headerLines: 0,
      sideUrls: [],
    });
    const log = (file: string) =>
      new RejectionLog(context, `load_taxonomy.rejected_${file}`, payload.on_bad_line);
    this.#logs = { 'nodes.dmp': log('nodes'), 'names.dmp': log('names'), 'merged.dmp': log('merged') };
  }

  async file(name: FileName, url: string): Promise<void> {
    await this.#context.emit('load_taxonomy.download_start', { file: name, url });
    try {
      await this.#read(name, url, await this.#open(url));
    } catch (error) {
      throw loadProblem(error, url);
    }
  }

  async archive(url: string): Promise<void> {
    await this.#context.emit('load_taxonomy.download_start', { file: 'taxdump', url });
    try {
      for await (const entry of tarEntries(await this.#open(url))) {
        const name = fileNames.find((known) => known === entry.name.replace(/^\.\//, ''));
        if (name !== undefined) await this.#read(name, url, entry.bytes);
      }
    } catch (error) {
      throw loadProblem(error, url);
    }
    for (const name of ['nodes.dmp', 'names.dmp'] as const) {
      if (!this.#digests.has(name)) throw new ProblemError('bad_file', `${url} holds no ${name}.`);
    }
  }

  async finish(): Promise<TaxonomyDraft> {
    const { taxonomy, rejectedNodes, rejectedMerged } = this.#build();
    await this.#logs['nodes.dmp'].add(rejectedNodes);
    await this.#logs['merged.dmp'].add(rejectedMerged);
    const files = fileNames.flatMap((name) => this.#digests.get(name) ?? []);
    const content = createHash('sha256');
    for (const { file, sha256 } of files) content.update(`${file} ${sha256}\n`);
    return {
      taxonomy,
      nameOf: this.#names.lookup(taxonomy.size, (id) => taxonomy.indexOf(id)),
      files,
      contentSha256: content.digest('hex'),
      lines: this.#lines,
      rejectedLines: fileNames.reduce((sum, name) => sum + this.#logs[name].total, 0),
      otherNames: this.#otherNames,
    };
  }

  #build() {
    try {
      return this.#builder.finish();
    } catch (error) {
      throw loadProblem(error, this.#digests.get('nodes.dmp')?.url ?? 'nodes.dmp');
    }
  }

  async #open(url: string): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#session.context.openStream(url, { timeoutMs: this.#timeoutMs })).bytes;
  }

  async #read(name: FileName, url: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const hash = createHash('sha256');
    const digested = async function* () {
      for await (const chunk of bytes) {
        hash.update(chunk);
        yield chunk;
      }
    };
    if (name === 'nodes.dmp') {
      await this.#each(name, readTaxonNodes(digested()), (node) => this.#builder.addNode(node));
    } else if (name === 'names.dmp') {
      await this.#each(name, readTaxonNames(digested()), (taxon) => this.#names.add(taxon.id, taxon.name));
    } else {
      await this.#each(name, readMergedTaxa(digested()), (merged) => this.#builder.addMerged(merged));
    }
    this.#digests.set(name, { file: name, url, sha256: hash.digest('hex') });
  }

  async #each<T>(
    name: FileName,
    batches: AsyncIterable<ParsedBatch<T>>,
    keep: (record: T) => void,
  ): Promise<void> {
    const before = fileNames.reduce((sum, file) => sum + this.#lines[file], 0);
    for await (const batch of batches) {
      for (const record of batch.records) keep(record);
      await this.#logs[name].add(batch.rejected);
      this.#otherNames += batch.skipped;
      this.#lines[name] = batch.seen;
      await this.#context.progress(before + batch.seen, null);
    }
  }
}
