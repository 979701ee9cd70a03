import { context, propagation } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installPropagation, removePropagation } from './propagation.js';
import { currentRequestId, forRequestOf, inRequest, requestIdOf } from './request-id.js';

beforeEach(installPropagation);
afterEach(removePropagation);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('requestIdOf', () => {
  it.each(['a', '7f3.A_b-9', 'x'.repeat(64)])('takes the caller’s %s', (id) => {
    expect(requestIdOf({ 'x-request-id': id })).toBe(id);
  });

  it.each(['', '-a', 'a b', 'a"b', 'a\nb', 'é', '<b>', 'x'.repeat(65), ['a', 'b'], undefined])(
    'makes a new one in place of %j',
    (id) => {
      expect(requestIdOf({ 'x-request-id': id })).toMatch(uuid);
    },
  );
});

describe('the request of a message', () => {
  const headersOf = () => {
    const headers: Record<string, string> = {};
    propagation.inject(context.active(), headers);
    return headers;
  };

  it('goes from the work that sends it to the work that handles it', async () => {
    const sent = context.with(inRequest(context.active(), 'r-1'), headersOf);
    expect(sent).toEqual({ 'x-request-id': 'r-1' });
    const handled = forRequestOf(sent, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return [currentRequestId(), headersOf()];
    });
    expect(currentRequestId()).toBeNull();
    expect(await handled).toEqual(['r-1', sent]);
    expect(currentRequestId(propagation.extract(context.active(), sent))).toBe('r-1');
  });

  it('is none where the message names none or no harmless one, whoever handles it', () => {
    context.with(inRequest(context.active(), 'r-1'), () => {
      expect(forRequestOf({}, currentRequestId)).toBeNull();
      expect(forRequestOf({ 'x-request-id': 'a b' }, headersOf)).toEqual({});
      expect(currentRequestId()).toBe('r-1');
    });
  });
});
