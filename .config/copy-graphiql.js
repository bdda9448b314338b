/**
 * A part of the build: puts the files of GraphiQL into dist/, compressed. To run, the program then needs neither the
 * package, which has them twice, nor the GraphQL server that the package asks for.
 */
import * as graphiql from '@graphql-yoga/render-graphiql/graphiql';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

const target = new URL('../dist/graphiql-page/', import.meta.url);
const packageFile = createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/package.json');
const files = {
  'graphiql.js': graphiql.js,
  'editor.worker.js': graphiql.editorWorkerService,
  'json.worker.js': graphiql.jsonWorker,
  'graphql.worker.js': graphiql.graphqlWorker,
  'graphiql.css': graphiql.css,
};

mkdirSync(target, { recursive: true });
for (const [name, text] of Object.entries(files))
  writeFileSync(new URL(`${name}.gz`, target), gzipSync(text));
copyFileSync(packageFile.replace(/package[.]json$/, 'LICENSE'), new URL('LICENSE', target));
