/**
 * Splits a database address such as `postgresql://user@first:5432,second:5432/name` into one address for each
 * host, in their order. An address with one host is returned unchanged.
 */
export function databaseAddresses(address: string): string[] {
  const [, before, hosts, after] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  if (hosts === undefined) return [address];
  return hosts.split(',').map((host) => before + host + after);
}

/**
 * Parses the address as a URL; null if it does not belong to PostgreSQL. As in libpq, the host may be empty
 * (`//user@/name`): then a parameter names the socket.
 */
function urlOf(address: string): URL | null {
  const [first] = databaseAddresses(address);
  const withHost = first.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?#]|$)/, '$1socket');
  return /^postgres(ql)?:\/\//i.test(first) && URL.canParse(withHost) ? new URL(withHost) : null;
}

export function isDatabaseAddress(address: string): boolean {
  return databaseAddresses(address).every((one) => urlOf(one) !== null);
}

/**
 * A session may ask for these kinds of servers, by libpq's names. Without a choice, it needs a server that
 * takes writes.
 */
export const sessionKinds = ['read-write', 'primary', 'any'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** Reads the kind of session that the address asks for; null means that its name is unknown. */
export function sessionKindOf(address: string): SessionKind | null {
  const wanted = urlOf(address)?.searchParams.get('target_session_attrs') ?? null;
  return wanted === null ? 'read-write' : (sessionKinds.find((kind) => kind === wanted) ?? null);
}
