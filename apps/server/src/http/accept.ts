import Negotiator from 'negotiator';

/** Lists the types that the header names, best first, without types of quality 0. */
function mediaTypes(accept: string | undefined): string[] {
  return new Negotiator({ headers: { accept: accept?.toLowerCase() } }).mediaTypes();
}

/** Browsers name text/html in the header and rank nothing above it. `*\/*` alone never counts. */
export function prefersHtml(accept: string | undefined): boolean {
  return mediaTypes(accept)[0] === 'text/html';
}

/** The header asks for exactly this type (not through a wildcard). */
export function asksFor(accept: string | undefined, type: string): boolean {
  return mediaTypes(accept).includes(type);
}

/** The header Accept-Encoding says that the client accepts gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const headers = { 'accept-encoding': String(header ?? '') };
  return new Negotiator({ headers }).encodings(['gzip']).length > 0;
}
