import { ProblemError } from '@kindred/contracts';
import { type InterproMatch, readInterproScan, wholeBytes } from '@kindred/kernels/formats';
import type { OperationContext } from '../../work/operation/operation.js';

export interface ScanService {
  serviceUrl: string;
  email: string;
  applications: readonly string[];
  context: OperationContext;
}
export type RemoteState = 'running' | 'finished' | 'failed' | 'gone';

const timeoutMs = 60_000;
const maxTextLength = 1 << 26;

/**
 * Submits one sequence to the job service and returns its id there. The request is sent only once;
 * `SourceOpener` says why.
 */
export async function submit(
  service: ScanService,
  sequence: { title: string; residues: string },
): Promise<string> {
  const { email, applications } = service;
  const form = {
    email,
    title: sequence.title,
    sequence: sequence.residues,
    stype: 'p',
    goterms: 'false',
    pathways: 'false',
    ...(applications.length > 0 && { appl: applications.join(',') }),
  };
  const id = (await textOf(service, '/run', form)).trim();
  if (!/^[A-Za-z0-9._-]{1,200}$/.test(id))
    throw new ProblemError('scan_failed', `The InterProScan service gave no job id: ${id.slice(0, 200)}`);
  return id;
}

export async function stateOf(service: ScanService, remoteId: string): Promise<RemoteState> {
  const text = (await textOf(service, `/status/${remoteId}`)).trim();
  if (text === 'FINISHED') return 'finished';
  if (text === 'ERROR' || text === 'FAILURE') return 'failed';
  return text === 'NOT_FOUND' ? 'gone' : 'running';
}

/**
 * @throws ProblemError scan_failed on an unreadable line, because a table with lost lines would look complete
 */
export async function matchesOf(service: ScanService, remoteId: string): Promise<InterproMatch[]> {
  const matches: InterproMatch[] = [];
  const text = await textOf(service, `/result/${remoteId}/tsv`);
  for await (const { records, rejected } of readInterproScan(text)) {
    matches.push(...records);
    if (rejected.length > 0) {
      throw new ProblemError(
        'scan_failed',
        `InterProScan job ${remoteId}, line ${rejected[0].line}: ${rejected[0].reason}.`,
      );
    }
  }
  return matches;
}

async function textOf(service: ScanService, path: string, form?: Record<string, string>): Promise<string> {
  const { sources, signal, emit } = service.context;
  const stream = await sources.open(service.serviceUrl.replace(/\/+$/, '') + path, {
    timeoutMs,
    signal,
    ...(form && { form }),
    onRetry: ({ attempt, waitMs, reason }) =>
      emit('http.retry', { attempt, wait_seconds: waitMs / 1000, reason }, 'warning'),
  });
  const message = `The InterProScan service sent an endless reply to ${path}.`;
  const bytes = await wholeBytes(stream.bytes, maxTextLength, () => new ProblemError('scan_failed', message));
  return bytes.toString('utf8');
}
