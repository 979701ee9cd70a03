import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cursor, Page } from '../../store/postgres/cursor.js';
import {
  closeDatabase,
  type Database,
  inTransaction,
  openDatabase,
} from '../../store/postgres/connection.js';
import { claimJob } from '../../store/jobs/job-transitions.repository.js';
import { followJobEvents, insertJobEvent, type JobRow, listJobs } from '../../store/jobs/jobs.repository.js';
import { testDatabase } from '../../testing/test-database.js';
import { addJobComment, jobComments, jobEvents, queueFeedback, requireJob } from './queries.js';
import { enqueueJob } from './submit.js';

const reader = { seesAll: true, userId: null };

const nobody = '00000000-0000-4000-8000-000000000000';
let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Database;

beforeAll(async () => {
  database = await testDatabase();
  db = openDatabase(database.url);
});
afterAll(async () => {
  await closeDatabase(db);
  await database.close();
});

const enqueue = (operation: string, queueName = 'svc.jobs'): Promise<JobRow> =>
  inTransaction(db, (trx) => enqueueJob(trx, { operation, queueName, payload: {}, tags: ['t'] }));

/** Reads every page of a list, by the cursor of the page's last row. */
async function allPages<Row extends { id: string | number; created_at?: string; ts?: string }>(
  page: (cursor: Cursor | undefined) => Promise<Page<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor: Cursor | undefined; ; ) {
    const { rows: more, total, totalIsExact } = await page(cursor);
    if (more.length === 0) {
      expect([total, totalIsExact]).toEqual([rows.length, true]);
      return rows;
    }
    rows.push(...more);
    const last = more[more.length - 1];
    cursor = { createdAt: (last.created_at ?? last.ts) as string, id: String(last.id) };
  }
}

describe('lists', () => {
  it('lose and double no row, even of the same microsecond', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, async () => (await enqueue('paged')).id));
    await sql`update job set created_at = '2026-01-01T00:00:00.000001Z' where operation = 'paged'`.execute(
      db,
    );
    const rows = await allPages((cursor) => listJobs(db, { reader, operation: 'paged' }, 2, cursor));
    expect(rows.map((row) => row.id)).toEqual([...ids].sort().reverse());
    const strictlyOlder = await listJobs(db, { reader }, 10, {
      createdAt: '2026-01-01T00:00:00.000001Z',
      id: null,
    });
    expect(strictlyOlder).toMatchObject({ rows: [], total: 7 });
  });

  it('filter by status, operation, owner and parent', async () => {
    const owner = '11111111-1111-4111-8111-111111111111';
    const job = await inTransaction(db, (trx) =>
      enqueueJob(trx, { operation: 'mine', queueName: 'svc.jobs', payload: {}, ownerUserId: owner }),
    );
    await claimJob(db, job.id, 'w', 60);
    expect((await listJobs(db, { reader, ownerUserId: owner }, 10)).rows.map((row) => row.id)).toEqual([
      job.id,
    ]);
    expect((await listJobs(db, { reader, ownerUserId: owner, status: 'QUEUED' }, 10)).rows).toEqual([]);
    expect((await listJobs(db, { reader, operation: 'mine', status: 'RUNNING' }, 10)).rows).toHaveLength(1);
    expect((await listJobs(db, { reader, parentJobId: job.id }, 10)).rows).toEqual([]);
  });

  it('events come newest first, and can be followed from the oldest', async () => {
    const job = await enqueue('events');
    for (let n = 0; n < 5; n++) await insertJobEvent(db, { jobId: job.id, event: `events.${n}` });
    const { rows: newest } = await jobEvents(db, job.id, 50);
    expect(newest.map((row) => row.event)).toEqual([
      ...[4, 3, 2, 1, 0].map((n) => `events.${n}`),
      'job.created',
    ]);
    await sql`update job_event set ts = '2026-01-01T00:00:00Z' where job_id = ${job.id}`.execute(db);
    const paged = await allPages((cursor) =>
      jobEvents(db, job.id, 2, { after: cursor ?? { createdAt: '2025-01-01T00:00:00Z', id: null } }),
    );
    expect(paged.map((row) => row.event)).toEqual([
      'job.created',
      ...[0, 1, 2, 3, 4].map((n) => `events.${n}`),
    ]);
    const [first, second] = await followJobEvents(db, job.id, 0, 2);
    expect([first.event, second.event]).toEqual(['job.created', 'events.0']);
    expect((await followJobEvents(db, job.id, second.id, 1))[0].event).toBe('events.1');
    await expect(jobEvents(db, nobody, 10)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('comments come oldest first', async () => {
    const job = await enqueue('comments');
    for (const body of ['a', 'b', 'c'])
      await addJobComment(db, job.id, { body: ` ${body} `, author: 'me', accountId: null });
    await sql`update job_comment set created_at = '2026-01-01T00:00:00Z'`.execute(db);
    const rows = await allPages((cursor) => jobComments(db, job.id, 2, cursor));
    expect(rows.map((row) => row.body).sort()).toEqual(['a', 'b', 'c']);
    expect(rows).toHaveLength(3);
    await expect(addJobComment(db, job.id, { body: ' ', accountId: null })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await expect(addJobComment(db, nobody, { body: 'x', accountId: null })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(jobComments(db, nobody, 10)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the position of a job', () => {
  it('tells position and time from the jobs before it and from past runs', async () => {
    const [first, second, third] = [
      await enqueue('timed', 'svc.ping'),
      await enqueue('timed', 'svc.ping'),
      await enqueue('timed', 'svc.ping'),
    ];
    expect(await queueFeedback(db, third)).toEqual({ queue_position: 3, eta_seconds: null });
    await sql`update job set status = 'SUCCEEDED', started_at = now() - interval '10 s', finished_at = now()
      where id = ${first.id}`.execute(db);
    expect(await queueFeedback(db, third)).toEqual({ queue_position: 2, eta_seconds: 20 });
    await claimJob(db, second.id, 'w', 60);
    await sql`update job set started_at = clock_timestamp() - interval '30 s', progress_current = 3, progress_total = 4
      where id = ${second.id}`.execute(db);
    const running = await queueFeedback(db, await requireJob(db, second.id));
    expect(running.queue_position).toBeNull();
    expect(running.eta_seconds).toBeGreaterThanOrEqual(10);
    expect(running.eta_seconds).toBeLessThan(12);
    // The earlier runs had another size, so the duration is unknown before the first part is done.
    await sql`update job set progress_current = 0, progress_total = 63 where id = ${second.id}`.execute(db);
    expect((await queueFeedback(db, await requireJob(db, second.id))).eta_seconds).toBeNull();
    // The job counts nothing, and has taken longer than earlier ones, so 0 seconds would be wrong.
    await sql`update job set progress_total = null where id = ${second.id}`.execute(db);
    expect((await queueFeedback(db, await requireJob(db, second.id))).eta_seconds).toBeNull();
    const done = await requireJob(db, first.id);
    expect(await queueFeedback(db, done)).toEqual({ queue_position: null, eta_seconds: null });
  });
});
