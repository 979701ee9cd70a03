/**
 * The servers of an amqp:// or amqps:// address, which may name several of one cluster, joined by commas: the address of the first, and the
 * hosts with their ports where there are more. Null for another kind of address.
 */
export function rabbitServers(address: string): { url: string; hosts?: string[] } | null {
  const found = /^(amqps?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/i.exec(address);
  if (found === null) return null;
  const [, before, names, after] = found;
  const hosts = names.split(',');
  if (!hosts.every((host) => host !== '' && URL.canParse(before + host + after))) return null;
  return { url: before + hosts[0] + after, ...(hosts.length < 2 ? {} : { hosts }) };
}
