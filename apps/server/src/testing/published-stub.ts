import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startStubServer, type StubServer } from './stub-server.js';

/** The servers of UniProt, GOA and GO serve a file like this: with validators, and in ranges. */
export interface ServedFile {
  bytes: Buffer;
  /** The ETag is in quotes; by default, it is a digest of the bytes. */
  etag?: string | null;
}
export interface SearchedProtein {
  accession: string;
  entryName: string;
  name: string;
  sequence: string;
}

export interface PublishedWorld {
  files: Record<string, ServedFile>;
  /** Searches have these results by query, as UniProt answers them. */
  searches?: Record<string, SearchedProtein[]>;
  proteomes?: Record<string, { taxonId: number }>;
  release: string;
  /** The function may answer in place of the server; true means that it did. */
  fault?: (request: IncomingMessage, response: ServerResponse, count: number) => boolean;
}

/**
 * Combines the servers behind a published reference: files by address with ETag, Last-Modified, Range and
 * If-Range (RFC 9110, as Apache does it), UniProt's search in pages with Link, X-Total-Results and
 * X-UniProt-Release, and its proteomes. `world` may change meanwhile.
 */
export async function startPublishedStub(world: PublishedWorld): Promise<StubServer> {
  const stub = await startStubServer((request, response, count) => {
    if (world.fault?.(request, response, count) === true) return;
    const url = new URL(request.url ?? '/', stub.url);
    const file = world.files[url.pathname];
    if (file !== undefined) return serveFile(file, request, response);
    if (url.pathname === '/rest/uniprotkb/search') return serveSearch(world, url, response);
    const proteome = /^\/rest\/proteomes\/(\w+)$/.exec(url.pathname)?.[1];
    const facts = proteome === undefined ? undefined : world.proteomes?.[proteome];
    if (facts === undefined) return void response.writeHead(404).end();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: proteome, taxonomy: { taxonId: facts.taxonId } }));
  });
  return stub;
}

export const etagOf = (bytes: Buffer): string =>
  `"${createHash('sha1').update(bytes).digest('hex').slice(0, 16)}"`;

function serveFile(
  { bytes, etag = etagOf(bytes) }: ServedFile,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const lastModified = new Date(Date.UTC(2024, 0, 24)).toUTCString();
  if (etag !== null) response.setHeader('etag', etag);
  response.setHeader('last-modified', lastModified);
  response.setHeader('accept-ranges', 'bytes');
  const condition = request.headers['if-range'];
  const holds = condition === undefined || condition === etag || condition === lastModified;
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  if (range === null || !holds) {
    response.setHeader('content-length', bytes.length);
    return void response.end(bytes);
  }
  const start = Number(range[1]);
  const end = range[2] === '' ? bytes.length - 1 : Math.min(Number(range[2]), bytes.length - 1);
  if (start >= bytes.length)
    return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
  response.writeHead(206, {
    'content-range': `bytes ${start}-${end}/${bytes.length}`,
    'content-length': end - start + 1,
  });
  response.end(bytes.subarray(start, end + 1));
}

function serveSearch({ searches = {}, release }: PublishedWorld, url: URL, response: ServerResponse): void {
  const query = url.searchParams.get('query') ?? '';
  const found = searches[query] ?? [];
  const size = Number(url.searchParams.get('size') ?? 25);
  const start = Number(url.searchParams.get('cursor') ?? 0);
  response.setHeader('x-total-results', found.length);
  response.setHeader('x-uniprot-release', release);
  if (start + size < found.length) {
    url.searchParams.set('cursor', String(start + size));
    response.setHeader('link', `<${url.href}>; rel="next"`);
  }
  response.end(
    found
      .slice(start, start + size)
      .map(fastaOf)
      .join(''),
  );
}

function fastaOf({ accession, entryName, name, sequence }: SearchedProtein): string {
  return `>sp|${accession}|${entryName} ${name} OS=Escherichia coli (strain K12) OX=83333 GN=x PE=1 SV=1\n${sequence}\n`;
}

/** Writes UniProt's list of the files of a release with their checksums. */
export function metalinkOf(release: string, files: Record<string, Buffer>): Buffer {
  const entries = Object.entries(files).map(
    ([name, bytes]) => `  <file name="${name}">
   <size>${bytes.length}</size>
   <verification>
    <hash type="md5">${createHash('md5').update(bytes).digest('hex')}</hash>
   </verification>
   <resources><url type="ftp" location="gb" preference="100">ftp://ftp.ebi.ac.uk/${name}</url></resources>
  </file>`,
  );
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>
<metalink xmlns="http://www.metalinker.org/" version="3.0" type="static">
 <identity>UniProt</identity>
 <version>${release}</version>
 <files>
${entries.join('\n')}
 </files>
</metalink>
`);
}
