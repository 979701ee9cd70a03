import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JobId, OperationName, PayloadOf, RecordSource, SourcePlugin } from '@kindred/contracts';
import { operationRows } from '@kindred/contracts/operations';
import { plugin as goa } from '@kindred/source-goa';
import { plugin as interpro } from '@kindred/source-interpro';
import { plugin as quickgo } from '@kindred/source-quickgo';
import { plugin as uniprot } from '@kindred/source-uniprot';
import { repositoryRoot, sharedData } from '@kindred/testkit';
import { Memory } from '../ground/memory.js';
import type { InterproscanSettings, Operation, OperationContext } from '../work/operation/operation.js';
import type { SourceOpener } from '../ground/sources/source-opener.js';
import { createSourceOpener } from '../ground/sources/opener.js';
import { type Database, inTransaction, type Transaction } from '../store/postgres/connection.js';

export interface EmittedEvent {
  event: string;
  fields: Record<string, unknown>;
  level: string;
}

/** Runs loading operations as a worker would, with the real opener and the real source plugins. */
export interface LoadingBench {
  events: EmittedEvent[];
  run<Name extends OperationName>(
    operation: Operation<Name>,
    payload: Record<string, unknown>,
    options?: {
      signal?: AbortSignal;
      onEvent?: (event: string) => void | Promise<void>;
      /** A job id runs that job again, as after a crash. */
      jobId?: string;
    },
  ): Promise<Record<string, unknown>>;
}

export interface BenchOptions {
  importDirs?: string[];
  allowedHosts?: string[];
  /** These sources replace installed ones of the same name. */
  sources?: Record<string, RecordSource>;
  opener?: SourceOpener;
  /** Operations put downloads into this cache folder. */
  cacheDir?: string;
  interproscan?: InterproscanSettings;
  /** Operations get more services, for instance artifacts. */
  services?: Partial<OperationContext>;
}

const plugins: Record<string, SourcePlugin> = { goa, interpro, quickgo, uniprot };

export const examplesFolder = join(repositoryRoot(), 'examples');
export const exampleUrl = (name: string) => pathToFileURL(join(examplesFolder, name)).href;
/** Gives the URL of a shared file, or null if the folder is absent. */
export function sharedUrl(...parts: string[]): string | null {
  const path = sharedData('data', ...parts);
  return path === null ? null : pathToFileURL(path).href;
}

export function loadingBench(db: Database, options: BenchOptions = {}): LoadingBench {
  const shared = sharedData('data');
  const folders = [examplesFolder, ...(shared === null ? [] : [shared]), ...(options.importDirs ?? [])];
  const sources =
    options.opener ??
    createSourceOpener({
      importDirs: folders,
      allowedHosts: options.allowedHosts ?? [],
      retry: { retries: 3, pause: { firstSeconds: 0.001, factor: 2, longestSeconds: 0.005 } },
    });
  const memory = new Memory();
  const events: EmittedEvent[] = [];
  const registry = {
    source: async (name: string) =>
      options.sources?.[name] ?? plugins[name].load({ dataDir: '', settings: {} }),
  };
  return {
    events,
    async run(operation, payload, { signal, onEvent, jobId } = {}) {
      events.length = 0;
      const context = {
        db,
        sources,
        plugins: registry,
        settings: {
          cacheDir: options.cacheDir ?? '',
          interproscan: options.interproscan,
          goPredictionJsonbWriteEnabled: false,
          producerVersion: 'test',
        },
        memory,
        jobId: (jobId ?? randomUUID()) as JobId,
        signal: signal ?? new AbortController().signal,
        emit: async (event: string, fields: Record<string, unknown> = {}, level = 'info') => {
          events.push({ event, fields, level });
          await onEvent?.(event);
        },
        progress: async () => {},
        whileHeld: (work: (trx: Transaction) => Promise<unknown>) => inTransaction(db, work),
        ...options.services,
      } as unknown as OperationContext;
      const row = operationRows.find((candidate) => candidate.name === operation.name);
      const parsed = row?.payload.parse(payload) as PayloadOf<typeof operation.name>;
      const outcome = await operation.run(parsed, context);
      if (outcome.kind !== 'done') throw new Error(`${operation.name} was deferred`);
      return outcome.result;
    },
  };
}
