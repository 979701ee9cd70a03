import type { EventLevel, JobId, OperationName, PayloadOf, QueueName } from '@kindred/contracts';
import type { z } from 'zod';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import type { ComputePool } from '../../ground/pool/pool.js';
import type { Memory } from '../../ground/memory.js';
import type { PluginRegistry } from '../../ground/plugins/registry.js';
import type { Database, Transaction } from '../../store/postgres/db.js';
import type { SourceOpener } from '../../ground/sources/source-opener.js';

/** Operations may use everything outside through these services, which a worker process composes once. */
export interface OperationServices {
  db: Database;
  compute: ComputePool;
  /** A job leaves values here that the next jobs can use. */
  memory: Memory;
  plugins: PluginRegistry;
  /** Opens files and addresses, if the operator allows them. */
  sources: SourceOpener;
  /** The store has files that outlive a job and that machines share. */
  artifacts: ArtifactStore;
  settings: OperationSettings;
  /**
   * Counts whether a batch found the bank or model that it needs in memory; if absent, this is not counted.
   */
  cacheAsked?: (cache: 'bank' | 'model', kept: boolean) => void;
}
export interface InterproscanSettings {
  /** The command names an executable of this machine; null means none. */
  command: string | null;
  serviceUrl: string;
  /** The service asks for the e-mail address of whoever submits. */
  email: string | null;
}
/** The rules apply to the packs of references that this service installs. */
export interface SignatureRules {
  /**
   * Packs of these public keys are installed, given as base64 of 32 bytes. An empty list allows every signer.
   */
  trustedKeys: readonly string[];
  /** If true, packs without a signature are refused. */
  signatureDemanded: boolean;
}
export interface OperationSettings {
  /** Reference banks and downloads in progress are kept in this folder. */
  cacheDir: string;
  goPredictionJsonbWriteEnabled: boolean;
  /**
   * InterProScan runs with these settings; if absent, the public service is used, which needs an e-mail
   * address.
   */
  interproscan?: InterproscanSettings;
  /** The anc2vec columns need vectors of GO terms from this file; without it, the columns stay null. */
  anc2vecFile?: string | null;
  /** The service writes its version into what it publishes. */
  producerVersion: string;
  /** Packs of references by these signers are installed; if absent, every signer is accepted. */
  packs?: SignatureRules;
}

export interface OperationContext extends OperationServices {
  jobId: JobId;
  /**
   * The signal says that the job is cancelled, its lease is lost, or the worker stops. Operations check it
   * between steps.
   */
  signal: AbortSignal;
  /**
   * Appends to the job's timeline at once, in a separate transaction. `event` gets no prefix, so its full
   * name is `<operation>.<step>`. The promise rejects when the job no longer belongs to this worker, so an
   * operation that emits events ends at its next step.
   */
  emit(event: string, fields?: Record<string, unknown>, level?: EventLevel): Promise<void>;
  /** Progress is written at most about twice a second; the last call always counts. */
  progress(current: number, total: number | null): Promise<void>;
  /**
   * Runs `work` in a transaction during which the job can neither be cancelled nor change hands; rejects when
   * that has happened before. Use it for rows that would otherwise stay behind.
   */
  whileHeld<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
}

/**
 * A batch is one unit of a coordinator's work: a ledger row and a message. Keep the payload small: ids and
 * ranges.
 */
export interface BatchRequest {
  payload: Record<string, unknown>;
}

export type OperationOutcome =
  | { kind: 'done'; result: Record<string, unknown> }
  /**
   * The job stays RUNNING, and the last stored batch closes it. A coordinator without batches uses `done`.
   */
  | {
      kind: 'deferred';
      batch: BatchOperationName;
      batches: BatchRequest[];
      result: Record<string, unknown>;
      /**
       * The flag is true for a single batch of so few sequences that it overtakes those of large jobs: see
       * smallBatchSequences.
       */
      small?: boolean;
    };

/**
 * A small job has at most this many sequences. It is computed where it was claimed, ahead of what waits in
 * the queues of batches.
 */
export const smallBatchSequences = 8;

export interface Operation<Name extends OperationName = OperationName> {
  name: Name;
  run(payload: PayloadOf<Name>, context: OperationContext): Promise<OperationOutcome>;
}

export type BatchOperationName = 'compute_embeddings_batch' | 'predict_go_terms_batch';

/** The product has named binary blocks with a small JSON header, and goes to the write queue as one frame. */
export interface BatchProduct {
  header: Record<string, unknown>;
  blocks: Record<string, ArrayBufferView>;
}

/**
 * A batch is computed on its batch queue (`compute`, no transaction, may run twice). It is written from its
 * write queue (`write`), inside the transaction that marks the ledger row stored and advances the parent, so
 * exactly once.
 */
export interface BatchOperation<P = unknown> {
  name: BatchOperationName;
  queue: QueueName;
  writeQueue: QueueName;
  /** The write step has this name: store_embeddings, store_predictions. */
  writeName: string;
  payload: z.ZodType<P>;
  compute(payload: P, context: OperationContext): Promise<BatchProduct>;
  write(trx: Transaction, product: BatchProduct, context: OperationContext): Promise<Record<string, unknown>>;
  /** Writes results such as totals in the transaction that closes the parent as SUCCEEDED. */
  finish?(trx: Transaction, context: Pick<OperationContext, 'jobId'>): Promise<Record<string, unknown>>;
}

/** The payload of an operation in a catalogue is checked against its schema again before it runs. */
export interface CataloguedOperation {
  name: string;
  /** @throws ProblemError validation_failed */
  parse(payload: unknown): unknown;
  run(payload: unknown, context: OperationContext): Promise<OperationOutcome>;
}

/** A worker looks operations up in a catalogue; tests bring their own. */
export interface OperationCatalogue {
  operation(name: string): Promise<CataloguedOperation | undefined>;
  batch(name: string): Promise<BatchOperation | undefined>;
  /** Finds an operation by the name of its write step: store_embeddings, store_predictions. */
  batchByWriteName(name: string): Promise<BatchOperation | undefined>;
}

/**
 * The error means that a shared resource is busy: the job goes back to QUEUED and is published again later.
 */
export class RetryLater extends Error {
  readonly baseDelayMs: number;
  constructor(reason: string, baseDelayMs: number) {
    super(reason);
    this.name = 'RetryLater';
    this.baseDelayMs = baseDelayMs;
  }
}
