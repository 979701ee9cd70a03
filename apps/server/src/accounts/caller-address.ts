import { isIP } from 'node:net';

const groupsOfNetwork = 4;
const allGroups = 8;

/**
 * The address that limits of anonymous callers count: an IPv4 address, or the /64 network of an IPv6 address. A home connection has a whole
 * network of them, so single addresses would be no limit. An IPv4 address that a socket shows as IPv6 counts as IPv4.
 */
export function callerAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head, tail] = address.toLowerCase().split('%')[0].split('::');
  const first = groupsOf(head);
  const last = groupsOf(tail ?? '');
  const groups = [...first, ...Array<number>(allGroups - first.length - last.length).fill(0), ...last];
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return `${groups
    .slice(0, groupsOfNetwork)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Groups of 16 bits; an IPv4 address at the end is two of them. */
function groupsOf(text: string): number[] {
  return text
    .split(':')
    .filter(Boolean)
    .flatMap((group) => {
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a, b, c, d] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
}
