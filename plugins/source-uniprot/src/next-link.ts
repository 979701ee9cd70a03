/** Returns the address of the `rel="next"` entry of a Link header (RFC 8288), made absolute; null without one. */
export function nextLink(header: string | undefined, base: string): string | null {
  if (header === undefined) return null;
  for (const [, target = '', attributes = ''] of header.matchAll(
    /<([^>]*)>((?:\s*;\s*[\w*]+\s*=\s*(?:"[^"]*"|[^",;\s]*))*)/g,
  )) {
    const parameters = [...attributes.matchAll(/;\s*([\w*]+)\s*=\s*(?:"([^"]*)"|([^",;\s]*))/g)];
    const relation = parameters.find(([, name]) => name?.toLowerCase() === 'rel');
    const names = (relation?.[2] ?? relation?.[3] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return new URL(target, base).href;
  }
  return null;
}
