import type { z as zod } from 'zod';
import type { Aspect } from './vocabulary.js';

/** The zod that the server validates with; plugins write their `parameters` with it. */
export { z } from 'zod';

/** Version of the interfaces below; a plugin of another version is listed as unavailable. */
export const pluginContract = 1;

/**
 * A plugin is an npm package whose package.json has
 * `"kindred": {"contract": 1, "kind": "backend" | "source" | "runner", "entry": "./dist/index.js"}`
 * and whose entry exports `plugin`. The entry is imported at every listing: import heavy code in `load()`, which a listing never calls.
 *
 * `Settings` is the type of its `settings` schema.
 */
export interface PluginDescription<Settings extends zod.ZodObject = zod.ZodObject> {
  name: string;
  version: string;
  description: string;
  /** Keys of docs/references.bib. */
  citations: string[];
  /** Parameters that a user can set; drawn as a form and shown by the registry routes. */
  parameters: zod.ZodObject;
  /**
   * Settings that an operator can set. Field `api_key` of plugin `hosted` is read from SVC_PLUGIN_HOSTED_API_KEY, else from
   * `plugins.hosted.api_key` of the settings file. A variable is text: it becomes a number, a truth value or a list where the
   * field's type asks for one. Describe each field with `.meta()`, see PluginSettingMeta.
   */
  settings?: Settings;
  /** Commands for the command line: `kindred <name> <command>`. */
  commands?: PluginCommands<zod.output<Settings>>;
  /** Throws when the plugin cannot work here (missing library, missing setting). Cheap. */
  check?(context: PluginContext<zod.output<Settings>>): void | Promise<void>;
  /** Looks at what the plugin keeps on this machine (files of models), for `kindred doctor`. Changes nothing; may take a while. */
  examine?(context: PluginContext<zod.output<Settings>>): Promise<readonly PluginFinding[]>;
}

/** The finding about one thing. */
export interface PluginFinding {
  state: 'ok' | 'warning' | 'fault';
  text: string;
  /** Advice on what to do about it. */
  advice?: string;
}

/** Facts of a settings field that `.meta()` may give; the reference page is made from them. */
export interface PluginSettingMeta {
  description: string;
  /** Example that error messages show. */
  example: string;
  /** The value is never shown. */
  secret?: boolean;
  /** Describes the default where the schema has none, or one that says too little. */
  whenUnset?: string;
  /** Other names that are read, too. */
  aliases?: { env?: string; yaml?: string };
}

/** The context that a plugin is loaded with. Plain data: the same in the process of the API and in every compute thread of a worker. */
export interface PluginContext<Settings = Record<string, unknown>> {
  /** Folder of everything that must last (SVC_DATA_DIR), an absolute path. */
  dataDir: string;
  /** Settings as the plugin's `settings` schema parsed them; {} where it has none. */
  settings: Settings;
}

export interface PluginCommands<Settings = Record<string, unknown>> {
  /** Name of the command: the word after `kindred`. */
  name: string;
  description: string;
  commands: readonly PluginCommand<Settings>[];
}

/** The terminal of a command, where it shows what it does. */
export interface PluginTerminal {
  /** Writes to standard output: the result. */
  write(text: string): void;
  /** Writes to standard error: remarks. */
  remark(text: string): void;
  /** Moves a progress bar, which is shown on a terminal only; another step starts it again. */
  progress(step: string, done: number, total: number): void;
}

export interface PluginCommand<Settings = Record<string, unknown>> {
  name: string;
  description: string;
  /** Arguments in their order; all are required. */
  arguments?: readonly { name: string; description: string }[];
  /** `flags` as in `--revision <name>`, or `--int8` for a truth value. */
  options?: readonly { flags: string; description: string; default?: string }[];
  /**
   * @param given arguments by name, and options by their long flag without dashes: `true` for a flag without a value
   * @throws ProblemError to end with its message and an exit code
   */
  run(
    given: Readonly<Record<string, string | boolean | undefined>>,
    context: PluginContext<Settings>,
    terminal: PluginTerminal,
  ): Promise<void>;
}

export interface BackendPlugin<Settings extends zod.ZodObject = zod.ZodObject>
  extends PluginDescription<Settings> {
  kind: 'backend';
  load(context: PluginContext<zod.output<Settings>>): Promise<EmbeddingBackend>;
}
export interface SourcePlugin<Settings extends zod.ZodObject = zod.ZodObject>
  extends PluginDescription<Settings> {
  kind: 'source';
  load(context: PluginContext<zod.output<Settings>>): Promise<RecordSource>;
}
export interface RunnerPlugin<Settings extends zod.ZodObject = zod.ZodObject>
  extends PluginDescription<Settings> {
  kind: 'runner';
  /**
   * Seconds that one call of `run` may take (a batch of queries, one aspect); default 600. The job then fails, since a runner that never
   * returns would hold a thread of the worker for ever.
   */
  limitSeconds?: number;
  load(context: PluginContext<zod.output<Settings>>): Promise<Runner>;
}
export type Plugin = BackendPlugin | SourcePlugin | RunnerPlugin;

// --- embedding backends ---------------------------------------------------------------------------------------

/** The immutable recipe of an embedding configuration (see EmbeddingConfig of the specification). */
export interface EmbeddingRecipe {
  model_name: string;
  model_backend: string;
  /** 0 is the last layer, 1 the one before. */
  layer_indices: number[];
  layer_agg: 'mean' | 'last' | 'concat';
  pooling: 'mean' | 'max' | 'cls' | 'mean_max';
  normalize_residues: boolean;
  normalize: boolean;
  /** Residues per sequence that the model may see at once. */
  max_length: number;
  use_chunking: boolean;
  chunk_size: number;
  chunk_overlap: number;
}

export interface EmbeddedSequences {
  /** Row r of `vectors` belongs to sequence `sequenceIndex[r]`; rows ascend by sequence, then by start. */
  sequenceIndex: Int32Array;
  /** First residue of the chunk, 0-based. Without chunking 0. */
  chunkStart: Int32Array;
  /** End (exclusive) of the chunk; -1 means the specification's NULL where chunking is off. */
  chunkEnd: Int32Array;
  /** Row-major float32 [rows x dimension], finite. */
  vectors: Float32Array;
  /** Measurements of the model for the job's result, for instance a loss by rounding. */
  measured?: Record<string, number>;
}

export interface EmbeddingSession {
  readonly dimension: number;
  /** Deterministic, and independent of which sequences share a call. Sequences are upper-case residues. */
  embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences>;
  close(): Promise<void>;
}

export interface EmbeddingBackend {
  /** Sequences of a batch message, where a batch of `defaultSequencesPerBatch` would take much less than a second. */
  readonly sequencesPerBatch?: number;
  /** Model names that `open` takes. */
  models(): Promise<readonly BackendModel[]>;
  /** @throws ProblemError unknown_model, validation_failed (a recipe that the model can't follow) */
  open(recipe: EmbeddingRecipe): Promise<EmbeddingSession>;
  /** Refuses what `open` would refuse, without loading the model: for a backend whose models are large. */
  inspect?(recipe: EmbeddingRecipe): Promise<{ dimension: number }>;
}

export interface BackendModel {
  model_name: string;
  dimension: number;
  description: string;
}

// --- sources ---------------------------------------------------------------------------------------------------

/** The parts of the outside world that a source may use; the server's guard decides which addresses are open. */
export interface SourceContext {
  /** Opens file://, http:// or https:// as a byte stream, unpacked when gzip (by magic bytes). */
  openStream(url: string, options?: FetchOptions): Promise<SourceStream>;
  emit(event: string, fields?: Record<string, unknown>, level?: 'info' | 'warning' | 'error'): Promise<void>;
  signal: AbortSignal;
  /** Accessions that the caller can use. Rows of others may be left out unread and are then counted in `skipped`. */
  keep?(accession: string): boolean;
}
export interface FetchOptions {
  headers?: Record<string, string>;
  timeoutMs?: number;
}
export interface SourceStream {
  /** Response headers in lower case; empty for files. */
  headers: Record<string, string>;
  /** Total packed bytes where known. */
  sizeBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
  /** True where the reply to a conditional request (If-None-Match, If-Modified-Since) says that nothing changed; there are no bytes. */
  notModified?: boolean;
}

/** A protein as a source yields it. */
export interface ProteinRecord {
  accession: string;
  canonicalAccession: string;
  /** null for the canonical sequence. */
  isoformIndex: number | null;
  entryName: string | null;
  reviewed: boolean | null;
  proteinName: string | null;
  geneName: string | null;
  organism: string | null;
  taxonId: number | null;
  sequence: string;
}

/** A GO annotation as a source yields it; texts verbatim. */
export interface AnnotationRecord {
  /** 1-based line in the file or page, for messages. */
  line: number;
  accession: string;
  goId: string;
  qualifier: string | null;
  evidenceCode: string;
  assignedBy: string | null;
  dbReference: string | null;
  withFrom: string | null;
  /** Date as YYYYMMDD. */
  annotationDate: string | null;
  aspect: Aspect | null;
  /** Symbol of the gene and name of the protein, of which a protein that has none takes the first (GAF columns 3 and 10). */
  symbol?: string | null;
  name?: string | null;
}
/** The facts of a protein besides its sequence that a source has; texts unchanged, null where the source has no text. */
export interface MetadataRecord {
  /** 1-based line in the file or page, for messages. */
  line: number;
  /** Canonical accession: isoforms share what is known. */
  accession: string;
  reviewed: boolean | null;
  entryName: string | null;
  proteinName: string | null;
  geneName: string | null;
  organism: string | null;
  /** Texts by column of `protein_metadata`: function_cc, ec_number, pathway, ... */
  texts: Record<string, string | null>;
}
/** A signature of a protein-domain database in a protein, as a source yields it. */
export interface DomainMatchRecord {
  line: number;
  accession: string;
  /** MD5 of the residues, lower case; null where the source gives none. */
  sequenceMd5: string | null;
  /** Member database in upper case; INTERPRO where only the entry is known. */
  sourceDb: string;
  signatureAccession: string | null;
  interproAccession: string | null;
  /** First residue, from 1; both ends are included. */
  start: number | null;
  end: number | null;
  score: string | null;
}
/** A line that could not be read: what was wrong with it, in words. */
export interface RejectedLine {
  line: number;
  reason: string;
}

export type SourceBatch<T> = {
  records: T[];
  rejected: RejectedLine[];
  /** Rows of this batch that `keep` left out. */
  skipped: number;
  /** Lines or records seen so far, for progress. */
  seen: number;
  /** null where the source does not say. */
  total: number | null;
  /** Metadata of the file or the response (gaf-version, go-version, release). Filled from the first batch on. */
  header: Record<string, string>;
  /** Pass it as parameter `resume` to continue after this batch, if the source can; null at the end. */
  checkpoint?: string | null;
  /** The source started again (its release changed meanwhile): the counts start again, and earlier batches are superseded. */
  restarted?: boolean;
};

export interface RecordSource {
  /**
   * Names the source's current release, in one small request; null if the source does not name it. A load asks before and
   * after reading and starts again if the answers differ, so that it never mixes two releases.
   */
  release?(parameters: Record<string, unknown>, context: SourceContext): Promise<string | null>;
  proteins?(
    parameters: Record<string, unknown>,
    context: SourceContext,
  ): AsyncIterable<SourceBatch<ProteinRecord>>;
  annotations?(
    parameters: Record<string, unknown>,
    context: SourceContext,
  ): AsyncIterable<SourceBatch<AnnotationRecord>>;
  metadata?(
    parameters: Record<string, unknown>,
    context: SourceContext,
  ): AsyncIterable<SourceBatch<MetadataRecord>>;
  domainMatches?(
    parameters: Record<string, unknown>,
    context: SourceContext,
  ): AsyncIterable<SourceBatch<DomainMatchRecord>>;
}

// --- runners ---------------------------------------------------------------------------------------------------

/**
 * A runner turns neighbours into GO terms with scores: `predict_go_terms` and annotate call it by its name for each batch of queries.
 * The same input gives the same output, whatever other queries are in the call.
 */
export interface Runner {
  run(input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput>;
}
/**
 * All arrays are row-major. nQuery x k neighbour lists; -1 pads a list that is shorter than k. The arrays of references and terms are the
 * same objects from call to call while the references are the same, so a WeakMap can keep what a runner counts over them.
 */
export interface RunnerInput {
  /** Parameters that the user chose, as the plugin's `parameters` parsed them. */
  parameters?: Record<string, unknown>;
  nQuery: number;
  k: number;
  neighbours: Int32Array;
  distances: Float32Array;
  /** Annotations of reference r: terms[termStart[r] .. termStart[r+1]). */
  termStart: Int32Array;
  terms: Int32Array;
  metric: 'cosine' | 'l2';
  /** Uint8: 1 where an annotation is qualified NOT, in the order of `terms`: such a term is never transferred. */
  negated?: Uint8Array;
  /** Candidates of this aspect number only, by the aspect number of each term. */
  aspect?: number;
  termAspect?: Uint8Array;
  /** Among equal scores and votes, terms of this aspect come first. */
  firstAspect?: number;
  /** Place of each term in the order of GO ids; the term's number where left out. */
  termOrder?: Int32Array;
  /** Number of references that carry each term, without NOT annotations. */
  termFrequency?: Int32Array;
  /** References of one sequence donate together: sequence of each reference, and members[start[s] .. start[s+1]). */
  sharing?: { sequence: Int32Array; groups: { start: Int32Array; members: Int32Array } };
}
/** Output that `runnerOutputFault` checks before anything is stored. */
export interface RunnerOutput {
  /** One row per candidate (query, term), ordered by query and falling score; equal scores as the runner ranks them. */
  query: Int32Array;
  term: Int32Array;
  /** 0 to 1. */
  score: Float64Array;
  /** Reference that gave the term: a neighbour that carries it, or -1 where no neighbour gave it. */
  donor: Int32Array;
  /** Distance of the donor; NaN without one. */
  distance: Float32Array;
}
