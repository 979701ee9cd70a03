/** What RabbitMQ adds when a message dies; the first entry is the latest death. */
interface Death {
  queue?: string;
  reason?: string;
  time?: unknown;
}

const ofTheServer = /^x-(death|first-death-.*|last-death-.*)$/;

/** Our own headers: small texts. Those that the server adds are left out. */
export function textHeaders(headers: Record<string, unknown> | undefined): Record<string, string> {
  const own = Object.entries(headers ?? {}).filter(([key]) => !ofTheServer.test(key));
  return Object.fromEntries(own.map(([key, value]) => [key, String(value)]));
}

/** Where and when a message was rejected. */
export function deathOf(headers: Record<string, unknown> | undefined): { fromQueue: string; diedAt: string } {
  const deaths = (headers?.['x-death'] ?? []) as Death[];
  const rejected = deaths.find((death) => death.reason === 'rejected') ?? deaths[0] ?? {};
  const time = rejected.time instanceof Date ? rejected.time : new Date(0);
  return { fromQueue: String(rejected.queue ?? ''), diedAt: time.toISOString() };
}
