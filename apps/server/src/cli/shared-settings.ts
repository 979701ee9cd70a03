import { createHmac } from 'node:crypto';
import type { Settings } from '../run/env.js';

/** All processes of a service must share such a setting; `harm` says what goes wrong otherwise. */
export interface SharedSetting {
  name: string;
  value: (settings: Settings) => unknown;
  /** A fault breaks the service; a warning may be on purpose. */
  state: 'warning' | 'fault';
  /** The text ends the sentence "these processes have different values: ...". */
  harm: string;
  advice: string;
}

/**
 * The secret is first: the fingerprints of the others are made with it, so they say nothing if it differs.
 */
export const sharedSettings: readonly SharedSetting[] = [
  {
    name: 'SVC_JWT_SECRET',
    value: ({ accounts }) => accounts.jwtSecret,
    state: 'fault',
    harm: 'a session or token of one is refused by the other, and webhooks are signed with secrets that cannot be read',
    advice: 'Give all API processes and workers the same SVC_JWT_SECRET, and start them again.',
  },
  {
    name: 'SVC_AMQP_URL',
    value: ({ amqpUrl }) => amqpUrl,
    state: 'warning',
    harm: 'a job that one publishes may never reach the other',
    advice: 'Give all of them the same broker; nodes of one cluster are fine.',
  },
  {
    name: 'SVC_ARTIFACT_*',
    value: ({ artifacts }) => artifacts,
    state: 'fault',
    harm: 'a file that one stores is missing for the other',
    advice: 'Give all of them the same artifact store; with several machines, S3 or a shared folder.',
  },
];

/**
 * Computes fingerprints of the shared settings, which are equal if the values are equal. They are keyed with
 * the secret of the sessions, so a reader of the database can neither read a value nor try passwords against
 * it. (The secret itself has at least 32 characters, and every token of a user already is such a hash.)
 */
export function fingerprintsOf(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    sharedSettings.map(({ name, value }) => [
      name,
      createHmac('sha256', settings.accounts.jwtSecret)
        .update(`fingerprint of ${name}\n${JSON.stringify(value(settings))}`)
        .digest('hex')
        .slice(0, 16),
    ]),
  );
}
