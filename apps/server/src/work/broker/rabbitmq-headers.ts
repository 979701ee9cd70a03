/** Entry that RabbitMQ adds when a message dies; the first one is the latest death. */
interface Death {
  queue?: string;
  reason?: string;
  time?: unknown;
}

const originHeader = 'x-death-queue';
const timeHeader = 'x-death-time';
const requeuedHeader = 'x-requeued';
/** Headers that the server adds at a death, and quorum queues at each delivery; and those of this file. */
const added = /^x-((death|first-death|last-death)(-.*)?|delivery-count|acquired-count|requeued)$/;

/** Headers of the message itself: small texts, without those that were added on the way. */
export function textHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([key]) => !added.test(key));
  return Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
}

/** Headers of a dead letter: its own, and from where and when. */
export function deathHeaders(
  queue: string,
  headers: Record<string, unknown> | undefined,
  diedAt = new Date().toISOString(),
): Record<string, string> {
  return { ...textHeaders(headers), [originHeader]: queue, [timeHeader]: diedAt };
}

/** Headers of the copy by which a message comes again. */
export function requeuedHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  return { ...textHeaders(headers), [requeuedHeader]: '1' };
}

export function wasRequeued(headers: Record<string, unknown> | undefined): boolean {
  return headers?.[requeuedHeader] !== undefined;
}

/** Queue and time of a message's death: caused by us, or by the server (queue length, time to live, another client's reject). */
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
