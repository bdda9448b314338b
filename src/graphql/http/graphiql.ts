import type { RequestHandler } from 'express';
import { randomBytes } from 'node:crypto';

const EXAMPLE = `# Replace the dots in the headers below by
# an access token, then run the query.
# The arrows at the lower left reload the
# schema, for completion and search.

{
  groups(first: 10) {
    totalCount
    nodes {
      name
      logicalNumbers(first: 5) {
        totalCount
        nodes { number }
      }
    }
  }
}
`;

/** By default the page would use a WebSocket, to which it does not pass the headers. */
const SUBSCRIPTIONS = {
  subscriptionsProtocol: 'GRAPHQL_SSE',
  subscriptionsEndpoint: '/graphql/stream',
} as const;

/**
 * GraphiQL, for browsers that open /graphql; for development only. The page needs no token and loads nothing from
 * other sites.
 */
export async function createGraphiql(): Promise<RequestHandler> {
  // Nine megabytes: loaded for development only.
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const [head, script] = split(
    renderGraphiQL({
      title: 'GraphQL of terminal-gateway',
      defaultQuery: EXAMPLE,
      headers: JSON.stringify({ Authorization: 'Bearer ...' }, null, 2),
      shouldPersistHeaders: false,
      ...SUBSCRIPTIONS,
    }),
  );
  return (request, response, next) => {
    if (request.method !== 'GET' || request.accepts(['json', 'html']) !== 'html') {
      next();
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    response.setHeader('Content-Security-Policy', policy(nonce));
    response.type('html').send(`${head}<script nonce="${nonce}">${script}`);
  };
}

/** The parts of the page before and after its one script tag. */
function split(page: string): [string, string] {
  const at = page.indexOf('<script>');
  if (at === -1) throw new Error('The page has no script');
  return [page.slice(0, at), page.slice(at + '<script>'.length)];
}

/** The editor starts its workers from blobs and adds inline styles. */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'worker-src blob:',
    'font-src data:',
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
