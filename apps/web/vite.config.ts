import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The address of a service to which `npm run dev -w apps/web` passes API calls. */
const api = process.env.KINDRED_API ?? 'http://127.0.0.1:8000';
/** The origin is changed, because the service takes writes from pages of its own address only. */
const proxied = { target: api, headers: { origin: new URL(api).origin } };

/** Writes pages.json: the paths of the router, so that the service answers 404 at all others. */
const pageList: Plugin = {
  name: 'page-list',
  generateBundle() {
    const router = readFileSync(new URL('src/app/router.tsx', import.meta.url), 'utf8');
    const routes = [...router.matchAll(/^\s*path: '([^']+)',$/gm)].map(([, path = '']) => path);
    // A path such as /a/{-$part} stands for /a and for /a/$part.
    const paths = routes.flatMap((path) => {
      const optional = /^(.*)\/\{-(\$\w+)\}$/.exec(path);
      return optional === null ? [path] : [optional[1], `${optional[1]}/${optional[2]}`];
    });
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) });
  },
};

/** The size below which files gain nothing by packing. */
const leastPackedBytes = 1000;

/** Writes a packed copy beside each file, which the service sends to browsers that take it. */
const packed: Plugin = {
  name: 'packed',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(js|css|svg|wasm|tsv)$/.test(name)) continue;
      const content = readFileSync(join(dir, name));
      if (content.byteLength < leastPackedBytes) continue;
      writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content));
    }
  },
};

export default defineConfig({
  plugins: [react(), pageList, packed],
  // Files are found from the document and from each other, so one build works below any path.
  base: './',
  worker: { format: 'es' },
  build: {
    // The manifest is needed for the check of the first load (tools/first-load.mjs).
    manifest: true,
    // Everything stays a file, because the service's content security policy refuses data: scripts and fonts.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
    // The parts that every page loads at first are one file: many small files pack worse and are asked for one by one.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
  },
  server: { proxy: { '/v1': proxied, '/docs': proxied } },
});
