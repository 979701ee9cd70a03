import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/**
 * Derives the secret of a webhook from that of the server, so that no table, backup or log has it.
 * @param number another number gives another secret
 */
export function webhookSecret(serverSecret: string, id: string, number: number): string {
  return `${prefix}${createHmac('sha256', serverSecret).update(`webhook:${id}:${number}`).digest('base64')}`;
}

/**
 * Makes headers by the Standard Webhooks convention, signed with each secret, so that receivers can change
 * from one to the next.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
