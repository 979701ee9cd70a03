import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';

const secretKeys = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'password',
  'new_password',
  'token',
  'api_key',
  'apiKey',
  'secret',
  'jwtSecret',
];
/** Secrets are removed at any place, up to three levels deep. */
const redactedPaths = secretKeys.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`]);

/** JSON lines on standard output (or `destination`): one object each, with time, level, role and message. */
export function createLog(level: string, role: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: redactedPaths, censor: '[removed]' },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
