/** Plugins for Vite, for the build of the console: lists of GraphQL documents, compressed files, fewer languages. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { createRequest, stringifyDocument } from 'urql';
import { runnerImport, type Plugin } from 'vite';

import { listQuery, recordQuery } from '../src/console/api/documents.ts';

/** Writes the documents that the build uses to `listFile` as urql sends them: the server always runs those. */
export function documents(generated: string, listFile: string): Plugin {
  return {
    name: 'console:documents',
    writeBundle: async (_options, bundle) => {
      const { module } = await runnerImport<Readonly<Record<string, { readonly toString: () => string }>>>(
        join(generated, 'graphql.ts'),
      );
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const used = chunks.flatMap(
        ({ modules }) => modules[join(generated, 'schema.ts')]?.renderedExports ?? [],
      );
      const mutations = used.map((name) => `${name}Document`.toLowerCase());
      const entries = Object.entries(module).map(([name, text]) => [name, text.toString()] as const);
      const texts = entries.flatMap(([name, text]) => {
        if (text.trim().startsWith('mutation') && !mutations.includes(name.toLowerCase())) return [];
        if (name.endsWith('Document')) return [text];
        return /(?:Row|Record)FragmentDoc$/.test(name) ? [listQuery(text), recordQuery(text)] : [];
      });
      const sent = texts.map((text) => stringifyDocument(createRequest(text, {}).query));
      await writeFile(listFile, JSON.stringify(sent));
    },
  };
}

const EMPTY = '\0console:no-language';

/** Leaves out the texts that React Aria has for languages other than these, for example `pt-BR`. */
export function fewerLanguages(kept: readonly string[]): Plugin {
  return {
    name: 'console:fewer-languages',
    enforce: 'pre',
    resolveId: {
      filter: { id: /\/[a-z]{2}-[A-Z]{2}\.m?js$/ },
      handler: (id, importer = '') => {
        const isKept = !/react-(?:aria|stately)/.test(importer) || kept.some((each) => id.includes(each));
        return isKept ? null : EMPTY;
      },
    },
    load: { filter: { id: new RegExp(`^${EMPTY}$`) }, handler: () => 'export default {};' },
  };
}

/** Bytes; below, compression saves no packet. */
const WORTH_COMPRESSING = 1_400;

/** Writes each file of the build a second and third time, compressed: `index.js.br` and `index.js.gz`. */
export function compressed(): Plugin {
  return {
    name: 'console:compressed',
    writeBundle: async ({ dir = '' }, bundle) => {
      const compress = async (name: string, content: string | Uint8Array): Promise<void> => {
        const bytes = Buffer.from(content);
        if (bytes.length < WORTH_COMPRESSING) return;
        const path = join(dir, name);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes));
        await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
      };
      const files = Object.values(bundle).map((file) =>
        compress(file.fileName, file.type === 'chunk' ? file.code : file.source),
      );
      await Promise.all(files);
    },
  };
}
