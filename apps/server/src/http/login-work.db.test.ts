import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { passwordMatches } from '../accounts/passwords.js';
import { startTestApp, type TestApp } from '../testing/test-app.js';

vi.mock('../accounts/passwords.js', { spy: true });

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test?.close());

async function refusal(email: string) {
  vi.mocked(passwordMatches).mockClear();
  const payload = { email, password: 'not the password' };
  const { status, body } = await test.call({ method: 'POST', url: '/v1/auth/login', payload });
  return { status, code: body.code, verifications: vi.mocked(passwordMatches).mock.calls.length };
}

// The test in passwords.test.ts proves that both verifications cost the same.
it('refuses an unknown e-mail as it refuses a known one, after one verification each', async () => {
  const { user } = await test.account('researcher');
  const known = await refusal(user.email);
  expect(known).toEqual({ status: 401, code: 'invalid_credentials', verifications: 1 });
  expect(await refusal('nobody@example.org')).toEqual(known);
});
