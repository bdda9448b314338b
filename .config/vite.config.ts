/** Settings of Vite: it builds the console, src/console, into dist/console. */
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

import { compressed, documents, fewerLanguages } from './console-plugins.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

// Tests build the program as users do: with another value, Vite would build what developers of React debug.
process.env.NODE_ENV = 'production';

export default defineConfig({
  root: pathOf('src/console'),
  base: '/console/',
  build: {
    outDir: pathOf('dist/console'),
    emptyOutDir: true,
    target: 'es2023',
    // Every asset is a file of its own, since the content security policy allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  plugins: [
    documents(pathOf('src/console/gql'), pathOf('dist/console-documents.json')),
    react(),
    fewerLanguages(['en-US', 'pt-BR']),
    compressed(),
  ],
});
