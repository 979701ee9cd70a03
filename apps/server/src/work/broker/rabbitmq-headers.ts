/** Entry that RabbitMQ adds when a message dies; the first one is the latest death. */
interface Death {
  queue?: string;
  reason?: string;
  time?: unknown;
}

const originHeader = 'x-death-queue';
const timeHeader = 'x-death-time';
/** Headers that the server adds at a death, and quorum queues at each delivery. */
const addedByServer = /^x-((death|first-death|last-death)(-.*)?|delivery-count|acquired-count)$/;

/** Our own headers: small texts. Those that the server added are left out. */
export function textHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([key]) => !addedByServer.test(key));
  return Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
}

/** Headers of a dead letter: its own, and from where and when. */
export function deathHeaders(
  queue: string,
  headers: Record<string, unknown> | undefined,
): Record<string, string> {
  return { ...textHeaders(headers), [originHeader]: queue, [timeHeader]: new Date().toISOString() };
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
