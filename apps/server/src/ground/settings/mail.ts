import { z } from 'zod';
import { integer, optionalText } from './schemas.js';
import type { SettingRow } from './setting-row.js';

export const mailSettingRows = {
  smtpHost: {
    env: 'SVC_SMTP_HOST',
    yaml: 'mail.smtp_host',
    schema: optionalText,
    whenUnset: 'no mail',
    example: 'smtp.lab.example',
    description:
      'Mail server for login links and new passwords; needs SVC_SMTP_FROM, and SVC_BASE_URL for the links',
  },
  smtpPort: {
    env: 'SVC_SMTP_PORT',
    yaml: 'mail.smtp_port',
    schema: integer(1, 65535, 587),
    example: '465',
    description: 'Port of the mail server',
  },
  smtpUser: {
    env: 'SVC_SMTP_USER',
    yaml: 'mail.smtp_user',
    schema: optionalText,
    example: 'kindred',
    description: 'Account at the mail server',
  },
  smtpPassword: {
    env: 'SVC_SMTP_PASSWORD',
    yaml: 'mail.smtp_password',
    schema: optionalText,
    example: '(its password)',
    description: 'Password of that account',
    secret: true,
  },
  smtpFrom: {
    env: 'SVC_SMTP_FROM',
    yaml: 'mail.smtp_from',
    schema: optionalText,
    example: 'Kindred <kindred@lab.example>',
    description: 'Sender of the mails',
  },
  smtpSecure: {
    env: 'SVC_SMTP_SECURE',
    yaml: 'mail.smtp_secure',
    schema: z.enum(['starttls', 'tls', 'none'], 'must be starttls, tls or none').default('starttls'),
    example: 'tls',
    description: 'Encryption: starttls (required, not just tried), tls from the first byte, or none',
  },
} as const satisfies Record<string, SettingRow>;
