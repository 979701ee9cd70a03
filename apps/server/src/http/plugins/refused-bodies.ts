import type { IncomingMessage } from 'node:http';
import type { Api } from '../deps.js';

/** A sender that takes longer, or sends more, does not see the answer. */
const patienceMs = 30_000;
const mostBytes = 256 << 20;

/**
 * Takes the rest of a body before an answer that refuses it. Otherwise the connection ends while the body is
 * still sent. The system would then reset it, or a proxy in between would lose the answer: nginx never reads
 * it (502), and a busy Caddy loses its text.
 */
export function takeRefusedBodies(app: Api): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (reply.statusCode < 400 || raw.complete || raw.readableEnded || raw.destroyed)
      return done(null, payload);
    discard(raw, () => done(null, payload));
  });
}

function discard(body: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const count = (part: Buffer) => {
    bytes += part.length;
    if (bytes > mostBytes) end();
  };
  const end = () => {
    clearTimeout(timer);
    body.off('data', count).off('end', end).off('close', end);
    done();
  };
  const timer = setTimeout(end, patienceMs);
  // The reader of the body has given up.
  body.unpipe();
  body.on('data', count).once('end', end).once('close', end).resume();
}
