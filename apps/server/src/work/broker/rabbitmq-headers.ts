/** RabbitMQ adds an entry when a message dies; the first entry is the latest death. */
interface Death {
  queue?: string;
  reason?: string;
  time?: unknown;
}

const originHeader = 'x-death-queue';
const timeHeader = 'x-death-time';
const requeuedHeader = 'x-requeued';
/**
 * The server adds these headers at a death, and in quorum queues at each delivery; this file adds the others.
 */
const added = /^x-((death|first-death|last-death)(-.*)?|delivery-count|acquired-count|requeued)$/;

/** Gives the headers of the message itself: small texts, without those that were added on the way. */
export function textHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([key]) => !added.test(key));
  return Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
}

/** Gives a dead letter its own headers, and its queue and time of death. */
export function deathHeaders(
  queue: string,
  headers: Record<string, unknown> | undefined,
  diedAt = new Date().toISOString(),
): Record<string, string> {
  return { ...textHeaders(headers), [originHeader]: queue, [timeHeader]: diedAt };
}

/** Gives the headers of the copy by which a message comes again. */
export function requeuedHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  return { ...textHeaders(headers), [requeuedHeader]: '1' };
}

export function wasRequeued(headers: Record<string, unknown> | undefined): boolean {
  return headers?.[requeuedHeader] !== undefined;
}

/**
 * Reads queue and time of a message's death, whether we caused it or the server did (queue length, time to
 * live, another client's reject).
 */
export function deathOf(headers: Record<string, unknown> | undefined): { fromQueue: string; diedAt: string } {
  if (headers?.[originHeader])
    return { fromQueue: String(headers[originHeader]), diedAt: String(headers[timeHeader]) };
  const deaths = (headers?.['x-death'] ?? []) as Death[];
  const latest = deaths.find((death) => !String(death.queue).startsWith('svc.delay.'));
  return { fromQueue: String(latest?.queue ?? ''), diedAt: isoTime(latest?.time) };
}

function isoTime(time: unknown): string {
  if (time instanceof Date) return time.toISOString();
  return new Date(Number(time ?? 0) * 1000).toISOString();
}
