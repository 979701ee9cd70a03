import type { EventLevel, JobId, OperationName, PayloadOf, QueueName } from '@kindred/contracts';
import type { z } from 'zod';
import type { ArtifactStore } from '../../ground/artifacts/artifact-store.js';
import type { ComputePool } from '../../ground/pool/pool.js';
import type { Memory } from '../../ground/memory.js';
import type { PluginRegistry } from '../../ground/plugins/registry.js';
import type { Database, Transaction } from '../../store/postgres/db.js';
import type { SourceOpener } from '../../ground/sources/source-opener.js';

/** Everything from outside that operations may use; composed once per worker process. */
export interface OperationServices {
  db: Database;
  compute: ComputePool;
  /** Values that jobs leave to those that follow. */
  memory: Memory;
  plugins: PluginRegistry;
  /** Opens files and addresses, within what the operator allowed. */
  sources: SourceOpener;
  /** Files that outlive a job and are shared by machines. */
  artifacts: ArtifactStore;
  settings: OperationSettings;
  /** Counts whether what a batch needs was in memory; absent: nobody counts. */
  cacheAsked?: (cache: 'bank' | 'model', kept: boolean) => void;
}
export interface InterproscanSettings {
  /** An executable of this machine; null: none. */
  command: string | null;
  serviceUrl: string;
  /** The service asks for an address of whoever submits. */
  email: string | null;
}
/** Rules for the packs of references that this service installs. */
export interface SignatureRules {
  /** Public keys whose packs are installed, as base64 of 32 bytes. Empty: of anybody's. */
  trustedKeys: readonly string[];
  /** Packs without a signature are refused. */
  signatureDemanded: boolean;
}
export interface OperationSettings {
  /** Folder for reference banks and downloads in progress. */
  cacheDir: string;
  goPredictionJsonbWriteEnabled: boolean;
  /** Settings of InterProScan; absent: the public service, which needs an e-mail address. */
  interproscan?: InterproscanSettings;
  /** Vectors of GO terms for the anc2vec columns; absent or null: the columns stay null. */
  anc2vecFile?: string | null;
  /** Version of this service, for what it publishes. */
  producerVersion: string;
  /** Signers whose packs of references are installed; absent: anybody's. */
  packs?: SignatureRules;
}

export interface OperationContext extends OperationServices {
  jobId: JobId;
  /** Signal that the job is cancelled, its lease is lost, or the worker stops. Check it between steps. */
  signal: AbortSignal;
  /**
   * Appends to the job's timeline at once, in a transaction of its own. `event` gets no prefix: give `<operation>.<step>`. Rejects when the
   * job is no longer this worker's, so an operation that emits events ends at its next step.
   */
  emit(event: string, fields?: Record<string, unknown>, level?: EventLevel): Promise<void>;
  /** Written at most about twice a second; the last call always. */
  progress(current: number, total: number | null): Promise<void>;
  /**
   * Runs `work` in a transaction during which the job can neither be cancelled nor change hands; rejects when it has been. For rows that
   * would stay behind otherwise.
   */
  whileHeld<T>(work: (trx: Transaction) => Promise<T>): Promise<T>;
}

/** One unit of a coordinator's work: a ledger row and a message. Keep the payload small: ids and ranges. */
export interface BatchRequest {
  payload: Record<string, unknown>;
}

export type OperationOutcome =
  | { kind: 'done'; result: Record<string, unknown> }
  /** The job stays RUNNING and is closed by the last stored batch. No batch at all: use `done`. */
  | {
      kind: 'deferred';
      batch: BatchOperationName;
      batches: BatchRequest[];
      result: Record<string, unknown>;
      /** True for a single batch of so few sequences that it overtakes those of large jobs: see smallBatchSequences. */
      small?: boolean;
    };

/** Largest number of sequences of a small job, which is computed where it was claimed, ahead of what waits in the queues of batches. */
export const smallBatchSequences = 8;

export interface Operation<Name extends OperationName = OperationName> {
  name: Name;
  run(payload: PayloadOf<Name>, context: OperationContext): Promise<OperationOutcome>;
}

export type BatchOperationName = 'compute_embeddings_batch' | 'predict_go_terms_batch';

/** Named binary blocks with a small JSON header; sent to the write queue as one frame. */
export interface BatchProduct {
  header: Record<string, unknown>;
  blocks: Record<string, ArrayBufferView>;
}

/**
 * A batch is computed on its batch queue (`compute`, no transaction, may run twice) and written from its write queue
 * (`write`, inside the transaction that marks the ledger row stored and advances the parent, so exactly once).
 */
export interface BatchOperation<P = unknown> {
  name: BatchOperationName;
  queue: QueueName;
  writeQueue: QueueName;
  /** Name of the write step: store_embeddings, store_predictions. */
  writeName: string;
  payload: z.ZodType<P>;
  compute(payload: P, context: OperationContext): Promise<BatchProduct>;
  write(trx: Transaction, product: BatchProduct, context: OperationContext): Promise<Record<string, unknown>>;
  /** Writes totals and the like in the transaction that closes the parent as SUCCEEDED. */
  finish?(trx: Transaction, context: Pick<OperationContext, 'jobId'>): Promise<Record<string, unknown>>;
}

/** An operation of a catalogue, with the schema that its payload is checked against again before it runs. */
export interface CataloguedOperation {
  name: string;
  /** @throws ProblemError validation_failed */
  parse(payload: unknown): unknown;
  run(payload: unknown, context: OperationContext): Promise<OperationOutcome>;
}

/** Catalogue in which a worker looks operations up; tests bring their own. */
export interface OperationCatalogue {
  operation(name: string): Promise<CataloguedOperation | undefined>;
  batch(name: string): Promise<BatchOperation | undefined>;
  /** Finds an operation by the name of its write step: store_embeddings, store_predictions. */
  batchByWriteName(name: string): Promise<BatchOperation | undefined>;
}

/** Thrown when a shared resource is busy: the job goes back to QUEUED and is published again later. */
export class RetryLater extends Error {
  readonly baseDelayMs: number;
  constructor(reason: string, baseDelayMs: number) {
    super(reason);
    this.name = 'RetryLater';
    this.baseDelayMs = baseDelayMs;
  }
}
