/**
 * Splits an amqp:// or amqps:// address, which may name several servers of one cluster, joined by commas. The
 * result has the address of the first server, and all hosts with their ports if there are several. Null means
 * that the address is of another kind.
 */
export function rabbitServers(address: string): { url: string; hosts?: string[] } | null {
  const found = /^(amqps?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/i.exec(address);
  if (found === null) return null;
  const [, before, names, after] = found;
  const hosts = names.split(',');
  if (!hosts.every((host) => host !== '' && URL.canParse(before + host + after))) return null;
  return { url: before + hosts[0] + after, ...(hosts.length < 2 ? {} : { hosts }) };
}
