import type { Fields } from './client.js';
import { createGraphql, type Graphql, type GraphqlOptions, type GraphqlReply } from './graphql.js';
import { addPerson, PASSWORD } from './people.js';
import type { TestServer } from './server.js';

type Headers = Readonly<Record<string, string>>;

/** A browser that shows a page of a server: sends its headers, and keeps the cookie. */
export interface TestBrowser {
  readonly graphql: Graphql;
  /** `name=text`; null after signing out. */
  cookie: string | null;
  /** Headers of its requests. */
  readonly headers: () => Headers;
}

export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', 'user-agent': 'Browser/1.0' };

export function openBrowser(url: string, sent: Headers = OWN_PAGE): TestBrowser {
  const send = createGraphql(url, null);
  const browser: TestBrowser = {
    cookie: null,
    headers: () => ({ ...sent, ...(browser.cookie === null ? {} : { cookie: browser.cookie }) }),
    graphql: async <Data = Fields>(
      query: string,
      variables?: Fields,
      { headers: more = {} }: GraphqlOptions = {},
    ): Promise<GraphqlReply<Data>> => {
      const isChange = browser.cookie !== null && query.startsWith('mutation');
      const company = isChange ? await companyOf(browser, url) : {};
      const reply = await send<Data>(query, variables, {
        headers: { ...browser.headers(), ...company, ...more },
      });
      const set = /^([^=]+=([^;]*))/.exec(reply.headers.get('set-cookie') ?? '');
      if (set !== null) browser.cookie = set[2] === '' ? null : (set[1] ?? null);
      return reply;
    },
  };
  return browser;
}

/** The header in which a page names the company that it shows; none without a session. */
export async function companyOf({ headers }: TestBrowser, url: string): Promise<Headers> {
  const send = createGraphql(url, null);
  const { text } = await send('{ viewer { company { id } } }', {}, { headers: headers() });
  const [, id] = /"id":"(\w+)"/.exec(text) ?? [];
  return id === undefined ? {} : { 'x-company': id };
}

export const SIGN_IN = `mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) {
  viewer { role user { email } company { name } } userErrors { code rule message path } } }`;

export const PASSWORD_CHANGE = `mutation ($current: String!, $new: String!) { passwordChange(current: $current, new: $new) {
  viewer { user { email } } userErrors { code rule path } } }`;

/** A browser in which a person has signed in; without a password, with that of `addPerson`. */
export async function signedIn(
  url: string,
  email: string,
  sent: Headers = OWN_PAGE,
  password = PASSWORD,
): Promise<TestBrowser> {
  const browser = openBrowser(url, sent);
  await browser.graphql(SIGN_IN, { email, password });
  if (browser.cookie === null) throw new Error(`${email} could not sign in`);
  return browser;
}

/** A person in the console, and another session of the same person. */
export async function twoBrowsers(
  server: TestServer,
  roles: Parameters<typeof addPerson>[1] = { acme: 'admin' },
) {
  const { user, email } = await addPerson(server, roles);
  return { user, email, first: await signedIn(server.url, email), second: await signedIn(server.url, email) };
}

export const ME = '{ viewer { user { email } company { name } role scopes session { current } } }';

/** Whether a browser has a session. */
export const isIn = async (browser: TestBrowser): Promise<boolean> =>
  (await browser.graphql(ME)).status === 200;
