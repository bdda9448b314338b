import type { AssetName } from './assets.js';

/** The path of an asset. */
export type Links = (name: AssetName) => string;

const EXAMPLE = `{
  groups(first: 10) {
    totalCount
    nodes {
      name
      logicalNumbers(first: 5) {
        totalCount
        nodes {
          number
          appVersions(first: 3) {
            nodes {
              number
              app { name }
              files(first: 2) { nodes { name crc size } }
            }
          }
        }
      }
    }
  }
}
`;

/** Empty icon: the icon of GraphiQL is a picture of 150 kB. */
const NO_ICON = 'data:,';

/**
 * HTML of the page. It starts with an example query and, if `token` is not null, with the token in the
 * headers. The page of the package is a text of 9 MB with inline scripts, which the content security policy
 * forbids, and with roles that screen readers cannot use.
 */
export function graphiqlPage(links: Links, token: string | null): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>GraphQL of terminal-gateway</title>
    <link rel="icon" href="${NO_ICON}">
    <link rel="stylesheet" href="${links('graphiql.css')}">
    <link rel="stylesheet" href="${links('page.css')}">
    <script type="application/json" id="settings">${json(settings(links, token))}</script>
    <script src="${links('graphiql.js')}" defer></script>
    <script src="${links('start.js')}" defer></script>
  </head>
  <body>
    <header>
      <h1>GraphQL of terminal-gateway</h1>
      <p>${instructions(token)}</p>
    </header>
    <main id="root"><noscript>This page needs JavaScript.</noscript></main>
  </body>
</html>
`;
}

function instructions(token: string | null): string {
  const first =
    token === null
      ? 'Replace the dots under Headers by an access token. Then the round arrows load the schema, for completion and search.'
      : 'The token of the demo is under Headers: queries run as they are.';
  return `${first} The REST API: <a href="/docs">/docs</a>`;
}

function settings(links: Links, token: string | null): object {
  const headers = JSON.stringify({ Authorization: `Bearer ${token ?? '...'}` }, null, 2);
  return {
    workers: {
      editorWorkerService: links('editor.worker.js'),
      json: links('json.worker.js'),
      graphql: links('graphql.worker.js'),
    },
    options: {
      defaultQuery: EXAMPLE,
      // Headers of new tabs, and of the first tab: without `initialHeaders`, they would be empty after a
      // reload.
      ...{ headers, initialHeaders: headers },
      shouldPersistHeaders: false,
      // By default the page would use a WebSocket, to which it does not pass the headers.
      ...{ subscriptionsProtocol: 'GRAPHQL_SSE', subscriptionsEndpoint: '/graphql/stream' },
    },
  };
}

/** JSON inside a script element, which only `</script>` ends. */
function json(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
