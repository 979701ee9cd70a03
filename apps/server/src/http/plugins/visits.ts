import { callerAddress } from '../../accounts/caller-address.js';
import type { ClientHasher } from '../../accounts/client-hash.js';
import { insertVisits, type Visit } from '../../store/records/visitors.repository.js';
import type { Api, HttpDeps } from '../deps.js';

const flushMs = 1000;
const batch = 500;
/** At most this many visits wait while the database is unreachable; later ones are not counted. */
const maxWaiting = 10_000;

/**
 * An hour has at most this many rows of one caller, far more than a person makes, and rows of at most this
 * many callers.
 */
const maxVisits = 1000;
const maxCallers = 20_000;

const asset = /^\/(assets|docs\/static)\/|\.(js|mjs|css|map|png|jpe?g|svg|ico|webp|gif|woff2?|webmanifest)$/;

export function isAsset(url: string): boolean {
  return asset.test(url.split('?', 1)[0]);
}

/**
 * Writes one row for each GET of a path that exists and is not an asset: the salted hash of the address and
 * the time, nothing else. Rows wait up to a second and are written together; no answer waits for them.
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
  /** The first visits of a day wait here until its salt is read. */
  const noteLater = async (address: string, occurredAt: string) => {
    const visitorHash = await clients.visitor(address).catch(() => null);
    if (visitorHash !== null) note(visitorHash, occurredAt);
  };
  const hour = new HourOfVisits();
  api.addHook('onSend', (request, reply, _payload, done) => {
    const isVisit = request.method === 'GET' && reply.statusCode !== 404 && !isAsset(request.url);
    if (isVisit && waiting.length + hashing.size < maxWaiting && hour.takes(request.ip)) {
      const occurredAt = new Date().toISOString();
      const visitorHash = clients.visitorNow(request.ip);
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

/**
 * Counts each caller in the present hour: rows are kept for weeks, and nobody's requests may fill the disk
 * with them.
 */
class HourOfVisits {
  #hour = 0;
  readonly #ofCaller = new Map<string, number>();

  takes(address: string): boolean {
    const hour = Math.floor(Date.now() / 3_600_000);
    if (hour !== this.#hour) this.#ofCaller.clear();
    this.#hour = hour;
    const caller = callerAddress(address);
    const count = this.#ofCaller.get(caller);
    if (count === undefined && this.#ofCaller.size >= maxCallers) return false;
    if (count !== undefined && count >= maxVisits) return false;
    this.#ofCaller.set(caller, (count ?? 0) + 1);
    return true;
  }
}
