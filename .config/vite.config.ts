import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** Builds the console, src/console, into dist/console. */
export default defineConfig({
  root: fileURLToPath(new URL('../src/console', import.meta.url)),
  base: '/console/',
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // Every asset is a file of its own, since the content security policy allows no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US', 'pt-BR'] }), enforce: 'pre' }],
});
