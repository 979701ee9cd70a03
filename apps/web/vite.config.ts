import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** `npm run dev -w apps/web` passes API calls on to a service on this address. */
const api = process.env.KINDRED_API ?? 'http://127.0.0.1:8000';
/** The service takes writes from pages of its own address only. */
const proxied = { target: api, headers: { origin: new URL(api).origin } };

/** pages.json: the paths of the router, for the service to answer 404 at all others. */
const pageList: Plugin = {
  name: 'page-list',
  generateBundle() {
    const router = readFileSync(new URL('src/app/router.tsx', import.meta.url), 'utf8');
    const paths = [...router.matchAll(/^\s*path: '([^']+)',$/gm)].map(([, path]) => path);
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(paths) });
  },
};

/** x.js.gz next to x.js: the service sends the compressed file. */
const packed: Plugin = {
  name: 'packed',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        if (!/\.(js|css|svg)$/.test(fileName)) continue;
        const source = gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source });
      }
    },
  },
};

export default defineConfig({
  plugins: [react(), pageList, packed],
  build: {
    // The service's content security policy refuses data: scripts and fonts; everything stays a file.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': proxied, '/docs': proxied } },
});
