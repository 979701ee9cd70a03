import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w apps/web` passes API calls on to a service on this address. */
const api = process.env.KINDRED_API ?? 'http://127.0.0.1:8000';
/** The service takes writes from pages of its own address only. */
const proxied = { target: api, headers: { origin: new URL(api).origin } };

export default defineConfig({
  plugins: [react()],
  build: {
    // The service's content security policy refuses data: scripts and fonts; everything stays a file.
    assetsInlineLimit: 0,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': proxied, '/docs': proxied } },
});
