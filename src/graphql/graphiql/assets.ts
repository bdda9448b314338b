import type { Asset } from '../../http/asset.js';
import { SCRIPT } from './client.js';
import { STYLE } from './style.js';

export type AssetName = keyof Awaited<ReturnType<typeof loadAssets>>;

/** Nine megabytes: loaded for development only. */
export async function loadAssets() {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const script = (text: string): Asset => ({ type: 'text/javascript', text });
  return {
    'graphiql.js': script(parts.js),
    'start.js': script(SCRIPT),
    'editor.worker.js': script(parts.editorWorkerService),
    'json.worker.js': script(parts.jsonWorker),
    'graphql.worker.js': script(parts.graphqlWorker),
    'graphiql.css': { type: 'text/css', text: parts.css },
    'page.css': { type: 'text/css', text: STYLE },
  };
}
