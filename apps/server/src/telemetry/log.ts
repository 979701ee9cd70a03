import { writeSync } from 'node:fs';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { currentRequestId } from './request-id.js';

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

/** The request's id stands in this field of a log line. */
export const requestIdField = 'request_id';

/**
 * Writes JSON lines to standard output (or `destination`): one object each, with time, level, role, message,
 * and the id of the request if there is one.
 */
export function createLog(level: string, role: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { role, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    formatters: { level: (label) => ({ level: label }) },
    mixin: (_fields, _level, log) => requestOf(log as Logger),
    redact: { paths: redactedPaths, censor: '[removed]' },
  };
  return pino(options, destination ?? lineWriter(1));
}

/** The log of a request has the id already, and a key must not come twice. */
function requestOf(log: Logger): object {
  const id = currentRequestId();
  return id === null || requestIdField in log.bindings() ? {} : { [requestIdField]: id };
}

const crowdedPauseMs = 10;
const crowdedPatience = 100;

/**
 * Writes each line at once. When the reader is gone (its supervisor was killed), later lines are dropped:
 * pino's own destination would always try again, and its process would never end. If the reader takes nothing
 * for a second, the line is dropped.
 */
export function lineWriter(fd: number): DestinationStream {
  let readerGone = false;
  return {
    write(line) {
      let rest = Buffer.from(line);
      for (let tries = 0; !readerGone && rest.length > 0 && tries < crowdedPatience; ) {
        try {
          rest = rest.subarray(writeSync(fd, rest));
        } catch (error) {
          readerGone = (error as NodeJS.ErrnoException).code !== 'EAGAIN';
          tries++;
          if (!readerGone) Atomics.wait(sleeper, 0, 0, crowdedPauseMs);
        }
      }
    },
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));
