import { setTimeout as sleep } from 'node:timers/promises';
import { finalStatuses, type JobStatus } from '@kindred/contracts';
import type { Queryable } from '../../../store/postgres/db.js';
import { findJob, followJobEvents, type JobRow } from '../../../store/jobs/jobs.repository.js';
import type { Principal } from '../../../accounts/principal.js';
import { jsonShownTo } from '../../server-paths.js';
import { presentEvent } from './present.js';

const pollMs = 1000;
const heartbeatPolls = 15;
const page = 500;

/**
 * Streams the timeline as server-sent events, oldest first: one message per event with its number as id, a
 * `job` message whenever status or progress changed, and the end when the job has ended. `afterId` resumes
 * after the last number seen; `said` is called before each news.
 */
export async function* eventStream(
  db: Queryable,
  job: JobRow,
  {
    principal,
    afterId,
    signal,
    said,
  }: { principal: Principal; afterId: number; signal: AbortSignal; said: () => void },
): AsyncGenerator<string> {
  let last = afterId;
  let shown = '';
  yield 'retry: 2000\n\n';
  for (let polls = 1; !signal.aborted; polls++) {
    // The state is read before the events, so that the events of an ended job are complete.
    const now = await findJob(db, job.id);
    const { text, lastId } = await newEvents(db, principal, job.id, last);
    last = lastId;
    const state = now === undefined ? null : stateOf(now);
    const changed = state !== null && state !== shown;
    if (changed) shown = state;
    const beat = polls % heartbeatPolls === 0 ? ': still here\n\n' : '';
    const chunk = text + (changed ? `event: job\ndata: ${state}\n\n` : '') + beat;
    if (text !== '' || changed) said();
    if (chunk !== '') yield chunk;
    if (now === undefined || finalStatuses.includes(now.status as JobStatus)) return;
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

async function newEvents(
  db: Queryable,
  principal: Principal,
  jobId: string,
  afterId: number,
): Promise<{ text: string; lastId: number }> {
  let lastId = afterId;
  let text = '';
  for (;;) {
    const rows = await followJobEvents(db, jobId, lastId, page);
    for (const row of rows) {
      const event = jsonShownTo(principal, JSON.stringify(presentEvent(row)));
      text += `id: ${row.id}\ndata: ${event}\n\n`;
    }
    lastId = rows.at(-1)?.id ?? lastId;
    if (rows.length < page) return { text, lastId };
  }
}

function stateOf(job: JobRow): string {
  const { id, status, progress_current, progress_total } = job;
  return JSON.stringify({ id, status, progress_current, progress_total });
}
