import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemIn, startTestApp, type TestApp, testSettings } from '../../../testing/test-app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ rateLimits: { ...testSettings.rateLimits, support: '1000/hour' } });
});
afterAll(() => test?.close());

const give = (payload?: object | string, more: object = {}) =>
  test.call({ method: 'POST', url: '/v1/support', payload, ...more });
const wall = async (url = '/v1/support') => (await test.call({ url })).body;

describe('support', () => {
  it('counts a thumbs-up of anyone, with and without words, newest words first', async () => {
    expect(await wall()).toEqual({ count: 0, comments: [] });
    const first = await give({ comment: '  It found the function of my orphan. ' });
    expect(first).toMatchObject({ status: 201, headers: { location: '/v1/support' }, body: { count: 1 } });
    for (const payload of [undefined, {}, { comment: null }, { comment: '   ' }])
      expect((await give(payload)).status).toBe(201);
    const account = await test.account('researcher');
    const last = await give({ comment: 'Thanks 👍' }, { headers: account.headers });
    expect(last.body.count).toBe(6);
    const { count, comments } = await wall('/support');
    expect(count).toBe(6);
    expect(comments.map(({ id, comment }: { id: string; comment: string }) => [id, comment])).toEqual([
      [last.body.id, 'Thanks 👍'],
      [first.body.id, 'It found the function of my orphan.'],
    ]);
  });

  it('takes 500 characters, however many bytes they have, and not 501', async () => {
    expect((await give({ comment: '蛋'.repeat(499) + '👍' })).status).toBe(201);
    const refused = problemIn(await give({ comment: 'a'.repeat(501) }));
    expect(refused).toMatchObject({ status: 422, code: 'validation_failed' });
    expect(refused.errors?.[0]).toMatchObject({ path: '/comment', message: 'at most 500 characters' });
  });

  it.each([
    ['an unknown key', { comment: 'a', author: 'me' }, '/author'],
    ['words that are not text', { comment: 5 }, '/comment'],
    ['a list', [], ''],
  ])('refuses %s', async (_name, payload, path) => {
    const { count } = await wall();
    const problem = problemIn(await give(payload));
    expect(problem).toMatchObject({ status: 422, errors: [{ path }] });
    expect((await wall()).count).toBe(count);
  });

  it('shows the newest 20 comments, or the newest 100 when asked', async () => {
    const before = (await wall('/v1/support?all_comments=true')).comments.length;
    for (let i = 0; i < 21; i++) await give({ comment: `comment ${i}` });
    expect((await wall()).comments).toHaveLength(20);
    expect((await wall()).comments[0].comment).toBe('comment 20');
    expect((await wall('/v1/support?all_comments=true')).comments).toHaveLength(before + 21);
  });

  it('is limited for each caller, and no address is kept', async () => {
    const limited = await startTestApp({
      rateLimits: { ...testSettings.rateLimits, support: '2/hour' },
    });
    try {
      const from = (remoteAddress: string) =>
        limited.call({ method: 'POST', url: '/v1/support', payload: {}, remoteAddress });
      const address = '198.51.100.77';
      expect([(await from(address)).status, (await from(address)).status]).toEqual([201, 201]);
      const refused = await from(address);
      expect(problemIn(refused)).toMatchObject({ status: 429, code: 'rate_limited' });
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect((await from('203.0.113.5')).status).toBe(201);
      expect((await limited.call({ url: '/v1/support' })).body.count).toBe(3);
      const { rows } = await sql<{ text: string }>`
        select (select string_agg(s::text, ' ') from support_entry s) || ' ' ||
               (select string_agg(q::text, ' ') from quota q) as text`.execute(limited.db);
      expect(rows[0].text).toContain('rate:support');
      expect(rows[0].text).not.toContain(address);
    } finally {
      await limited.close();
    }
  });
});
