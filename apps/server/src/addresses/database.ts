/**
 * The hosts of a database address, `postgresql://user@first:5432,second:5432/name`, each in an address of its own and in their
 * order. An address with one host is returned as it is.
 */
export function databaseAddresses(address: string): string[] {
  const [, before, hosts, after] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  if (hosts === undefined) return [address];
  return hosts.split(',').map((host) => before + host + after);
}

/** Which server of the address will do, by libpq's names: one that takes writes, unless the address says `any`. */
export const sessionKinds = ['read-write', 'primary', 'any'] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** Null for a name that is none of them. */
export function sessionKindOf(address: string): SessionKind | null {
  const wanted = new URL(databaseAddresses(address)[0]).searchParams.get('target_session_attrs');
  return wanted === null ? 'read-write' : (sessionKinds.find((kind) => kind === wanted) ?? null);
}
