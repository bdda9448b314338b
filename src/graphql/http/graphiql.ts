import type { RequestHandler } from 'express';
import { randomBytes } from 'node:crypto';

const EXAMPLE = `# In the headers below, put a token
# in the place of the dots; then ask.
# The arrows at the lower left load the
# schema again, for completion and search.

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

/** The page would ask for them at its own address; it passes the headers on only with events. */
const SUBSCRIPTIONS = {
  subscriptionsProtocol: 'GRAPHQL_SSE',
  subscriptionsEndpoint: '/graphql/stream',
} as const;

/**
 * The page for trying operations, for browsers that ask for /graphql itself; it takes no token, and everything
 * that it loads is in it. For development only.
 */
export async function createGraphiql(): Promise<RequestHandler> {
  // Nine megabytes, which nobody else needs.
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

/** Before and after the one script of the page. */
function split(page: string): [string, string] {
  const at = page.indexOf('<script>');
  if (at === -1) throw new Error('The page has no script');
  return [page.slice(0, at), page.slice(at + '<script>'.length)];
}

/** The editor makes its workers from texts in the page, and its styles as it goes. */
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
