interface Range {
  type: string;
  quality: number;
  position: number;
}

function ranges(accept: string): Range[] {
  return accept.split(',').map((part, position) => {
    const [type, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    return { type, quality: Number.isFinite(quality) ? quality : 0, position };
  });
}

/** Browsers: the header names text/html and ranks nothing above it. `*\/*` alone never counts. */
export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const all = ranges(accept);
  const html = all.find((range) => range.type === 'text/html');
  if (html === undefined || html.quality === 0) return false;
  return all.every(
    (range) =>
      range.quality < html.quality || (range.quality === html.quality && range.position >= html.position),
  );
}

/** The header asks for exactly this type (not through a wildcard). */
export function asksFor(accept: string | undefined, type: string): boolean {
  return accept !== undefined && ranges(accept).some((range) => range.type === type && range.quality > 0);
}

/** A gzip answer is welcome (Accept-Encoding). */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const all = ranges(String(header ?? ''));
  const named = all.find((range) => range.type === 'gzip') ?? all.find((range) => range.type === '*');
  return named !== undefined && named.quality > 0;
}
