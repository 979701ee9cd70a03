import { createTransport } from 'nodemailer';
import type { MailSettings } from './settings.js';

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** @throws Error of the SMTP conversation */
export type SendMail = (mail: Mail) => Promise<void>;

const timeoutMs = 20_000;

/** Each mail has its own conversation with the mail server; nothing is kept open in between. */
export function createSmtpSender(settings: MailSettings): SendMail {
  const { host, port, security, login, from } = settings;
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text }) => {
    // An address given as an object counts as one address, whatever characters it contains.
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
  };
}
