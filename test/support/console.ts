import type { Fields } from './client.js';
import { createGraphql, type Graphql, type GraphqlReply } from './graphql.js';
import { PASSWORD } from './people.js';

/** A browser at a server: sends the headers of a page of this server, and keeps its cookie. */
export interface TestBrowser {
  readonly graphql: Graphql;
  cookie: string | null;
}

export function openBrowser(
  url: string,
  headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
): TestBrowser {
  const send = createGraphql(url, null);
  const browser: TestBrowser = {
    cookie: null,
    graphql: async <Data = Fields>(query: string, variables?: Fields): Promise<GraphqlReply<Data>> => {
      const cookies: Record<string, string> = browser.cookie === null ? {} : { cookie: browser.cookie };
      const reply = await send<Data>(query, variables, { headers: { ...cookies, ...headers } });
      const set = /^([^=]+=([^;]*))/.exec(reply.headers.get('set-cookie') ?? '');
      if (set !== null) browser.cookie = set[2] === '' ? null : (set[1] ?? null);
      return reply;
    },
  };
  return browser;
}

export const SIGN_IN = `mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) {
  viewer { role user { email } company { name } } userErrors { code rule message path } } }`;

/** A browser in which a person has signed in with the password of `addPerson`. */
export async function signedIn(url: string, email: string): Promise<TestBrowser> {
  const browser = openBrowser(url);
  await browser.graphql(SIGN_IN, { email, password: PASSWORD });
  if (browser.cookie === null) throw new Error(`${email} could not sign in`);
  return browser;
}
