import { describe, expect, it } from 'vitest';
import { detailWords, targetWords } from './audit-words.js';

describe('an entry of the audit log in words', () => {
  it('names what the act was on, and says where the name is gone', () => {
    const words = (target: string | null, target_name: string | null) => targetWords({ target, target_name });
    expect(words('user:1', 'ada')).toBe('ada');
    expect(words('api_key:1', 'laptop (abcdefgh…)')).toBe('key laptop (abcdefgh…)');
    expect(words('webhook:1', null)).toBe('webhook that is gone');
    expect(words(null, null)).toBe('');
  });

  it('has the facts that matter and no id', () => {
    const words = (payload: Record<string, unknown>) => detailWords({ payload });
    expect(words({ from: 'guest', to: 'admin', keys_revoked: 0 })).toBe('from guest to admin');
    expect(words({ sessions_revoked: 1, keys_revoked: 2 })).toBe('1 session revoked, 2 keys revoked');
    expect(words({ reason: 'invalid_credentials', address_hash: '0123456789abcdef' })).toBe(
      'wrong e-mail or password',
    );
    expect(words({ reason: 'another_reason' })).toBe('another reason');
    expect(words({ by: 'bootstrap', role: 'admin' })).toBe('as admin, by the first start');
    expect(words({ owner_user_id: '00000000-0000-4000-8000-000000000000' })).toBe('');
  });
});
