import { expect, it } from 'vitest';
import { signedHeaders, webhookSecret } from './secret.js';

it('signs as the example of the Standard Webhooks specification', () => {
  const message = {
    id: 'msg_loFOjxBNrRLzqYUf',
    seconds: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
  };
  expect(signedHeaders(['whsec_plJ3nmyCDGBKInavdOK15jsl'], message)).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  });
});

it('gives each webhook, and each rotation, a secret of 32 bytes of its own', () => {
  const secrets = [
    webhookSecret('server', 'a', 1),
    webhookSecret('server', 'a', 2),
    webhookSecret('server', 'b', 1),
    webhookSecret('other', 'a', 1),
  ];
  expect(new Set(secrets).size).toBe(4);
  for (const secret of secrets) expect(Buffer.from(secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
});
