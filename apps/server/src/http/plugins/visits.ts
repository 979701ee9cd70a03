import type { ClientHasher } from '../../accounts/client-hash.js';
import { insertVisits, type Visit } from '../../store/records/visitors.repository.js';
import type { Api, HttpDeps } from '../deps.js';

const flushMs = 1000;
const batch = 500;
/** At most this many visits wait while the database is unreachable; later ones are not counted. */
const maxWaiting = 10_000;

const asset = /^\/(assets|docs\/static)\/|\.(js|mjs|css|map|png|jpe?g|svg|ico|webp|gif|woff2?|webmanifest)$/;

export function isAsset(url: string): boolean {
  return asset.test(url.split('?', 1)[0]);
}

/**
 * Writes one row for each GET of a path that is not an asset: the salted hash of the address and the time, nothing else. Rows wait up
 * to a second and go in together; no answer waits for them.
 */
export function countVisits(api: Api, { db }: HttpDeps, clients: ClientHasher): void {
  let waiting: Visit[] = [];
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(async () => {
      while (waiting.length > 0) {
        const some = waiting.slice(0, batch);
        try {
          await insertVisits(db, some);
        } catch (error) {
          api.log.warn({ err: error }, 'visits could not be written');
          return;
        }
        waiting = waiting.slice(some.length);
      }
    });
    return flushing;
  };
  const hashing = new Set<Promise<void>>();
  const note = (visitorHash: string, occurredAt: string) => {
    waiting.push({ visitorHash, occurredAt });
    if (waiting.length >= batch) void flush();
    else timer ??= setTimeout(() => void flush(), flushMs).unref();
  };
  /** The first ones of a day, until its salt is read. */
  const noteLater = async (address: string, occurredAt: string) => {
    const visitorHash = await clients.hash(address).catch(() => null);
    if (visitorHash !== null) note(visitorHash, occurredAt);
  };
  api.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'GET' && !isAsset(request.url) && waiting.length + hashing.size < maxWaiting) {
      const occurredAt = new Date().toISOString();
      const visitorHash = clients.hashNow(request.ip);
      if (visitorHash !== null) note(visitorHash, occurredAt);
      else {
        const noted = noteLater(request.ip, occurredAt).finally(() => hashing.delete(noted));
        hashing.add(noted);
      }
    }
    done();
  });
  api.addHook('onClose', async () => {
    await Promise.all(hashing);
    await flush();
  });
}
