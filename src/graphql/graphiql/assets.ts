import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

import type { Asset } from '../../http/asset.js';
import { SCRIPT } from './client.js';
import { STYLE } from './style.js';

export type AssetName = keyof Awaited<ReturnType<typeof loadAssets>>;

/** Folder of the built files of GraphiQL, relative to `src/` and to `dist/`. */
const FOLDER = new URL('../../../dist/graphiql-page/', import.meta.url);

/** Nine megabytes: loaded for development only. Errors: an `Error` if the program was not built. */
export async function loadAssets() {
  const script = (text: string): Asset => ({ type: 'text/javascript', text });
  const style = (text: string): Asset => ({ type: 'text/css', text });
  return {
    'graphiql.js': script(await built('graphiql.js')),
    'start.js': script(SCRIPT),
    'editor.worker.js': script(await built('editor.worker.js')),
    'json.worker.js': script(await built('json.worker.js')),
    'graphql.worker.js': script(await built('graphql.worker.js')),
    'graphiql.css': style(await built('graphiql.css')),
    'page.css': style(STYLE),
  };
}

async function built(name: string): Promise<string> {
  const file = new URL(`${name}.gz`, FOLDER);
  try {
    return (await promisify(gunzip)(await readFile(file))).toString();
  } catch (error) {
    throw new Error('A file of GraphiQL cannot be read: run npm run build.', { cause: error });
  }
}
