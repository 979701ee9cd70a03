/**
 * The hosts of a database address, `postgresql://user@first:5432,second:5432/name`, each in an address of its own and in their
 * order. An address with one host is returned as it is.
 */
export function databaseAddresses(address: string): string[] {
  const [, before, hosts, after] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  if (hosts === undefined) return [address];
  return hosts.split(',').map((host) => before + host + after);
}

/** Null: not an address of PostgreSQL. A user before an empty host is one, as in libpq; its host, a socket, is a parameter. */
function urlOf(address: string): URL | null {
  const [first] = databaseAddresses(address);
  const withHost = first.replace(/^([^/]*\/\/[^/?#]*@)(?=[/?#]|$)/, '$1socket');
  return /^postgres(ql)?:\/\//i.test(first) && URL.canParse(withHost) ? new URL(withHost) : null;
}

export function isDatabaseAddress(address: string): boolean {
  return databaseAddresses(address).every((one) => urlOf(one) !== null);
}

/** Kinds of servers by libpq's names: one that takes writes, unless the address says `any`. */
export const sessionKinds = ['read-write', 'primary', 'any'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** Kind of session that the address asks for; null for an unknown name. */
export function sessionKindOf(address: string): SessionKind | null {
  const wanted = urlOf(address)?.searchParams.get('target_session_attrs') ?? null;
  return wanted === null ? 'read-write' : (sessionKinds.find((kind) => kind === wanted) ?? null);
}
