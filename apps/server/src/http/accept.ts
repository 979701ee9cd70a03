import Negotiator from 'negotiator';

/** The types that the header names, best first; those of quality 0 are left out. */
function mediaTypes(accept: string | undefined): string[] {
  return new Negotiator({ headers: { accept: accept?.toLowerCase() } }).mediaTypes();
}

/** Browsers: the header names text/html and ranks nothing above it. `*\/*` alone never counts. */
export function prefersHtml(accept: string | undefined): boolean {
  return mediaTypes(accept)[0] === 'text/html';
}

/** The header asks for exactly this type (not through a wildcard). */
export function asksFor(accept: string | undefined, type: string): boolean {
  return mediaTypes(accept).includes(type);
}

/** The client accepts gzip (Accept-Encoding). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const headers = { 'accept-encoding': String(header ?? '') };
  return new Negotiator({ headers }).encodings(['gzip']).length > 0;
}
