import type { z as zod } from 'zod';
import type { Aspect } from './vocabulary.js';

/** The zod that the server validates with; plugins write their `parameters` with it. */
export { z } from 'zod';

/** The version of the interfaces below. A plugin of another version is listed as unavailable. */
export const pluginContract = 1;

/**
 * A plugin is an npm package whose package.json has `"kindred": {"contract": 1, "kind": "backend" | "source" | "runner", "entry":
 * "./dist/index.js"}` and whose entry exports `plugin`. The entry is imported at every listing, so import heavy code in `load()`, which a
 * listing never calls.
 *
 * `Settings` is the type of its `settings` schema.
 */
export interface PluginDescription<Settings extends zod.ZodObject = zod.ZodObject> {
  name: string;
  version: string;
  description: string;
  /** The keys of the plugin's papers in docs/references.bib. */
  citations: string[];
  /** The parameters that a user can set. They are drawn as a form and shown by the registry routes. */
  parameters: zod.ZodObject;
  /**
   * The settings that an operator can set. Field `api_key` of plugin `hosted` is read from SVC_PLUGIN_HOSTED_API_KEY, else from
   * `plugins.hosted.api_key` of the settings file. A variable is text: it becomes a number, a truth value or a list where the field's
   * type asks for one. Describe each field with `.meta()`, see PluginSettingMeta.
   */
  settings?: Settings;
  /** Commands for the command line: `kindred <name> <command>`. */
  commands?: PluginCommands<zod.output<Settings>>;
  /** Throws if the plugin cannot work here (missing library, missing setting). The check must be cheap. */
  check?(context: PluginContext<zod.output<Settings>>): void | Promise<void>;
  /** Examines the files that the plugin keeps on this machine (models), for `kindred doctor`. It changes nothing and may take a while. */
  examine?(context: PluginContext<zod.output<Settings>>): Promise<readonly PluginFinding[]>;
}

/** The finding about one thing. */
export interface PluginFinding {
  state: 'ok' | 'warning' | 'fault';
  text: string;
  /** Advice on what the operator can do. */
  advice?: string;
}

/** Facts of a settings field that `.meta()` may give; the reference page is made from them. */
export interface PluginSettingMeta {
  description: string;
  /** An example that error messages show. */
  example: string;
  /** Whether the value is never shown. */
  secret?: boolean;
  /** A description of the default, if the schema has none, or one that says too little. */
  whenUnset?: string;
  /** Other names of the setting that are read, too. */
  aliases?: { env?: string; yaml?: string };
}

/**
 * The context that a plugin is loaded with. It is plain data, and the same in the process of the API and in every compute thread of a
 * worker.
 */
export interface PluginContext<Settings = Record<string, unknown>> {
  /** The folder of everything that must last (SVC_DATA_DIR), as an absolute path. */
  dataDir: string;
  /** The settings as the plugin's `settings` schema parsed them; {} if it has none. */
  settings: Settings;
}

export interface PluginCommands<Settings = Record<string, unknown>> {
  /** The name of the command: the word after `kindred`. */
  name: string;
  description: string;
  commands: readonly PluginCommand<Settings>[];
}

/** The terminal of a command, where it shows what it does. */
export interface PluginTerminal {
  /** Writes the result to standard output. */
  write(text: string): void;
  /** Writes remarks to standard error. */
  remark(text: string): void;
  /** Moves a progress bar, which is shown on a terminal only. Another step starts the bar again. */
  progress(step: string, done: number, total: number): void;
}

export interface PluginCommand<Settings = Record<string, unknown>> {
  name: string;
  description: string;
  /** The arguments in their order; all are required. */
  arguments?: readonly { name: string; description: string }[];
  /** The options; `flags` are written as `--revision <name>`, or as `--int8` for a truth value. */
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
  /**
   * One call of `embed`, with the `open` before it, may take so many seconds: sequences of about 5,000 residues, or one longer sequence.
   * The default is 600. The job then fails, since a backend that never returns would hold a thread of the worker for ever.
   */
  limitSeconds?: number;
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
   * The number of seconds that one call of `run` may take (a batch of queries, one aspect); default 600. The job fails after that,
   * because a runner that never returns would hold a thread of the worker for ever.
   */
  limitSeconds?: number;
  load(context: PluginContext<zod.output<Settings>>): Promise<Runner>;
}
export type Plugin = BackendPlugin | SourcePlugin | RunnerPlugin;

// The interfaces of embedding backends follow.

/** The immutable recipe of an embedding configuration (see EmbeddingConfig of the specification). */
export interface EmbeddingRecipe {
  model_name: string;
  model_backend: string;
  /** The layers of the model: 0 is the last one, 1 the one before. */
  layer_indices: number[];
  layer_agg: 'mean' | 'last' | 'concat';
  pooling: 'mean' | 'max' | 'cls' | 'mean_max';
  normalize_residues: boolean;
  normalize: boolean;
  /** The number of residues of a sequence that the model may see at once. */
  max_length: number;
  use_chunking: boolean;
  chunk_size: number;
  chunk_overlap: number;
}

export interface EmbeddedSequences {
  /** The sequence of each row of `vectors`: row r belongs to sequence `sequenceIndex[r]`. Rows ascend by sequence, then by start. */
  sequenceIndex: Int32Array;
  /** The first residue of the chunk, counted from 0; 0 without chunking. */
  chunkStart: Int32Array;
  /** The end (exclusive) of the chunk; -1 stands for the specification's NULL if chunking is off. */
  chunkEnd: Int32Array;
  /** The vectors, row-major float32 [rows x dimension], finite. */
  vectors: Float32Array;
  /** Measurements of the model for the job's result, for instance a loss by rounding. */
  measured?: Record<string, number>;
}

export interface EmbeddingSession {
  readonly dimension: number;
  /** Embeds sequences of upper-case residues. The result is deterministic, and independent of which sequences share a call. */
  embed(sequences: readonly string[], signal?: AbortSignal): Promise<EmbeddedSequences>;
  close(): Promise<void>;
}

export interface EmbeddingBackend {
  /** The number of sequences of a batch message, if a batch of `defaultSequencesPerBatch` would take much less than a second. */
  readonly sequencesPerBatch?: number;
  /** Returns the names of the models that `open` takes. */
  models(): Promise<readonly BackendModel[]>;
  /** @throws ProblemError unknown_model, or validation_failed for a recipe that the model can't follow */
  open(recipe: EmbeddingRecipe): Promise<EmbeddingSession>;
  /** Refuses what `open` would refuse, without loading the model, for a backend whose models are large. */
  inspect?(recipe: EmbeddingRecipe): Promise<{ dimension: number }>;
}

export interface BackendModel {
  model_name: string;
  dimension: number;
  description: string;
}

// The interfaces of sources follow.

/** The parts of the outside world that a source may use; the server's guard decides which addresses are open. */
export interface SourceContext {
  /** Opens file://, http:// or https:// as a byte stream, which is unpacked if it is gzip (by its first bytes). */
  openStream(url: string, options?: FetchOptions): Promise<SourceStream>;
  emit(event: string, fields?: Record<string, unknown>, level?: 'info' | 'warning' | 'error'): Promise<void>;
  signal: AbortSignal;
  /** Says whether the caller can use an accession. Rows of others may be left out unread and are then counted in `skipped`. */
  keep?(accession: string): boolean;
}
export interface FetchOptions {
  headers?: Record<string, string>;
  timeoutMs?: number;
}
export interface SourceStream {
  /** The response headers in lower case; empty for files. */
  headers: Record<string, string>;
  /** The total number of packed bytes, if it is known. */
  sizeBytes: number | null;
  bytes: AsyncIterable<Uint8Array>;
  /** Whether the reply to a conditional request (If-None-Match, If-Modified-Since) says that nothing changed; there are no bytes then. */
  notModified?: boolean;
}

/** A protein as a source yields it. */
export interface ProteinRecord {
  accession: string;
  canonicalAccession: string;
  /** The number of the isoform; null for the canonical sequence. */
  isoformIndex: number | null;
  entryName: string | null;
  reviewed: boolean | null;
  proteinName: string | null;
  geneName: string | null;
  organism: string | null;
  taxonId: number | null;
  sequence: string;
}

/** A GO annotation as a source yields it, with texts unchanged. */
export interface AnnotationRecord {
  /** The line in the file or page, from 1, for messages. */
  line: number;
  accession: string;
  goId: string;
  qualifier: string | null;
  evidenceCode: string;
  assignedBy: string | null;
  dbReference: string | null;
  withFrom: string | null;
  /** The date as YYYYMMDD. */
  annotationDate: string | null;
  aspect: Aspect | null;
  /** The symbol of the gene and the name of the protein (GAF columns 3 and 10). A protein without them takes the first ones. */
  symbol?: string | null;
  name?: string | null;
}
/** The facts of a protein besides its sequence that a source has. Texts are unchanged; null means that the source has no text. */
export interface MetadataRecord {
  /** The line in the file or page, from 1, for messages. */
  line: number;
  /** The canonical accession, because isoforms share what is known. */
  accession: string;
  reviewed: boolean | null;
  entryName: string | null;
  proteinName: string | null;
  geneName: string | null;
  organism: string | null;
  /** The texts by column of `protein_metadata`: function_cc, ec_number, pathway, ... */
  texts: Record<string, string | null>;
}
/** A signature of a protein-domain database in a protein, as a source yields it. */
export interface DomainMatchRecord {
  line: number;
  accession: string;
  /** The MD5 of the residues in lower case; null if the source gives none. */
  sequenceMd5: string | null;
  /** The member database in upper case; INTERPRO if only the entry is known. */
  sourceDb: string;
  signatureAccession: string | null;
  interproAccession: string | null;
  /** The first residue, from 1. Both ends belong to the match. */
  start: number | null;
  end: number | null;
  score: string | null;
}
/** A line that could not be read, with what was wrong in words. */
export interface RejectedLine {
  line: number;
  reason: string;
}

export type SourceBatch<T> = {
  records: T[];
  rejected: RejectedLine[];
  /** The number of rows of this batch that `keep` left out. */
  skipped: number;
  /** The number of lines or records seen so far, for progress. */
  seen: number;
  /** The total number; null if the source does not say. */
  total: number | null;
  /** The metadata of the file or the response (gaf-version, go-version, release), filled from the first batch on. */
  header: Record<string, string>;
  /** A mark to pass as parameter `resume` to continue after this batch, if the source can; null at the end. */
  checkpoint?: string | null;
  /**
   * Whether the source started again because its release changed meanwhile: the counts start again, and earlier batches are superseded.
   */
  restarted?: boolean;
};

export interface RecordSource {
  /**
   * Names the source's current release, in one small request; null if the source does not name it. A load asks before and after reading
   * and starts again if the answers differ, so that a load never mixes two releases.
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

// The interfaces of runners follow.

/**
 * A runner turns neighbours into GO terms with scores: `predict_go_terms` and annotate call it by its name for each batch of queries.
 * The same input gives the same output, whatever other queries are in the call.
 */
export interface Runner {
  run(input: RunnerInput, signal?: AbortSignal): Promise<RunnerOutput>;
}
/**
 * The input of a runner. All arrays are row-major. The nQuery x k neighbour lists are padded by -1 if they are shorter than k. The arrays
 * of references and terms are the same objects from call to call while the references are the same, so a WeakMap can keep counts over
 * them.
 */
export interface RunnerInput {
  /** The parameters that the user chose, as the plugin's `parameters` parsed them. */
  parameters?: Record<string, unknown>;
  nQuery: number;
  k: number;
  neighbours: Int32Array;
  distances: Float32Array;
  /** The start of each reference's annotations: those of reference r are terms[termStart[r] .. termStart[r+1]). */
  termStart: Int32Array;
  terms: Int32Array;
  metric: 'cosine' | 'l2';
  /** The value is 1 where an annotation is qualified NOT, in the order of `terms`: Uint8. Terms with NOT are never transferred. */
  negated?: Uint8Array;
  /** The aspect number to which candidates are limited, and the aspect number of each term. */
  aspect?: number;
  termAspect?: Uint8Array;
  /** The aspect whose terms come first among equal scores and votes. */
  firstAspect?: number;
  /** The place of each term in the order of GO ids; the term's number by default. */
  termOrder?: Int32Array;
  /** The number of references that carry each term, without NOT annotations. */
  termFrequency?: Int32Array;
  /** The references of each sequence, which donate together: the sequence of each reference, and members[start[s] .. start[s+1]). */
  sharing?: { sequence: Int32Array; groups: { start: Int32Array; members: Int32Array } };
}
/** The output of a runner, which `runnerOutputFault` checks before anything is stored. */
export interface RunnerOutput {
  /**
   * The query of each candidate (query, term). Candidates are ordered by query and falling score, with equal scores as the runner ranks
   * them.
   */
  query: Int32Array;
  term: Int32Array;
  /** The score, 0 to 1. */
  score: Float64Array;
  /** The reference that gave the term: a neighbour that carries it, or -1 if no neighbour gave it. */
  source: Int32Array;
  /** The distance of the source; NaN without a source. */
  distance: Float32Array;
}
