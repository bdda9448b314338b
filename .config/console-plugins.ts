import { createRequest, formatDocument, stringifyDocument } from '@urql/core';
import { print, stripIgnoredCharacters, type DocumentNode } from 'graphql';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { runnerImport, type Plugin } from 'vite';

/** A call such as `graphql(...)`, with the keyword and the name of the operation or fragment. */
const CALL = /\bgraphql\(\s*`\s*(?:query|mutation|subscription|fragment)\s+(\w+)[^`]*`,?\s*\)/g;

/**
 * Replaces each call of `graphql(...)` by the text of its document, so that a page loads its own documents only, and
 * writes the documents to `listFile` as urql sends them: the server always runs those.
 */
export function documents(generated: string, listFile: string): Plugin {
  const texts = new Map<string, string>();
  return {
    name: 'console:documents',
    enforce: 'pre',
    buildStart: async () => {
      const { module } = await runnerImport<Readonly<Record<string, DocumentNode>>>(generated);
      for (const [name, document] of Object.entries(module))
        texts.set(name, stripIgnoredCharacters(print(document)));
    },
    transform: {
      filter: { id: { include: /\/src\/console\/.*\.tsx?$/, exclude: /\/gql\// }, code: 'graphql(' },
      handler: (code, id) => {
        const replaced = code.replaceAll(CALL, (_call, name: string) => {
          const text = texts.get(`${name}Document`) ?? texts.get(`${name}FragmentDoc`);
          if (text === undefined)
            throw new Error(`${id}: ${name} is not generated: npm run codegen:console.`);
          return JSON.stringify(text);
        });
        return { code: replaced, map: null };
      },
    },
    writeBundle: async () => {
      const operations = [...texts].filter(([name]) => name.endsWith('Document'));
      await writeFile(listFile, JSON.stringify(operations.flatMap(([, text]) => sentAs(text))));
    },
  };
}

/** The texts that urql can send for a document: with the names of types, which its cache asks for, and without. */
function sentAs(text: string): readonly string[] {
  const { query } = createRequest(text, {});
  return [text, stringifyDocument(query), stringifyDocument(formatDocument(query) as DocumentNode)];
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
