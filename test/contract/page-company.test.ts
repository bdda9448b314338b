import { beforeAll, describe, expect, it } from 'vitest';

import { EXPORTS } from '../../src/app/graphql/export-lists.js';
import { callOf, rootFieldsOf } from '../graphql/root-calls.js';
import { fileForm, type Fields } from '../support/client.js';
import { companyOf, OWN_PAGE, signedIn, type TestBrowser } from '../support/console.js';
import { nodeId } from '../support/dashboard.js';
import { mutated } from '../support/mutations.js';
import { schema } from '../support/parity/rest-spelling.js';
import { addPerson } from '../support/people.js';
import { ask, openRaw } from '../support/raw-socket.js';
import { useServer } from '../support/server.js';

const server = useServer({}, { live: { recheckMs: 50 } });

/** Mutations that a page without a session sends: it shows no company. */
const SIGN_INS =
  'signIn signInByLink signInByPasskey passkeyOptions passwordSetByLink passwordRequest emailConfirm';
const CALLS = rootFieldsOf(schema)
  .filter(({ operation, field }) => operation === 'mutation' && !SIGN_INS.split(' ').includes(field.name))
  .map(callOf);

/** A browser whose session has moved from Acme to Beta, and the headers of pages that were loaded before and after. */
let browser: TestBrowser;
let before: Readonly<Record<string, string>>;
let after: Readonly<Record<string, string>>;
beforeAll(async () => {
  const { email } = await addPerson(server, { acme: 'admin', beta: 'admin' });
  browser = await signedIn(server.url, email);
  const switchTo = (companyId: number) =>
    mutated(browser, 'companySwitch', { companyId: nodeId('Company', companyId) });
  await switchTo(server.acme.caller.companyId);
  before = await companyOf(browser, server.url);
  await switchTo(server.beta.caller.companyId);
  after = await companyOf(browser, server.url);
});

/** Entries of the ledger of both companies. */
const entries = async () =>
  await Promise.all(
    [server.acme, server.beta].map(async ({ graphql }) => (await graphql('{ ledger { totalCount } }')).body),
  );

const codeIn = (text: string) => /"code":"(\w+)"/.exec(text)?.[1];

/** Sends an operation as a page does, and returns the status and the code of the first error. */
async function sent(path: string, query: string, headers: Readonly<Record<string, string>>, hasFile = false) {
  const operations = JSON.stringify({ query, variables: { file: null } });
  const map = '{"0":["variables.file"]}';
  const body = hasFile ? fileForm('x.bin', 'x', { operations, map }, '0') : { query };
  const guard = { 'apollo-require-preflight': '1' };
  const reply = await server.anonymous.post(path, body, {
    headers: { ...browser.headers(), ...guard, ...headers },
  });
  return `${reply.status} ${codeIn(reply.text)}`;
}

const connected = async (payload: Fields) => {
  const raw = await openRaw(server, { headers: { cookie: browser.cookie ?? '', origin: server.url } });
  raw.say({ type: 'connection_init', payload });
  return raw;
};

describe('RU-81 a page of a company that the session has left', () => {
  it('changes nothing with any mutation or upload, in either company', async () => {
    const counts = await entries();
    expect(CALLS.length).toBeGreaterThan(80);
    const refusals = CALLS.flatMap(({ query, hasFile }) => [
      sent('/graphql', query, before, hasFile),
      sent('/graphql/stream', query, before),
    ]);
    expect(new Set(await Promise.all(refusals))).toEqual(new Set(['409 OTHER_COMPANY']));
    expect(await entries()).toEqual(counts);
  });

  it('changes nothing if it does not name its company', async () => {
    const counts = await entries();
    const socket = await connected({});
    for (const { query, hasFile } of CALLS) {
      expect(await sent('/graphql', query, {}, hasFile), query).toBe('400 COMPANY_NEEDED');
      if (hasFile) continue;
      expect(await sent('/graphql/stream', query, {}), query).toBe('200 COMPANY_NEEDED');
      expect(codeIn(JSON.stringify(await ask(socket, query))), query).toBe('COMPANY_NEEDED');
    }
    expect(await entries()).toEqual(counts);
    socket.socket.terminate();
  });

  it.each([...Object.keys(EXPORTS), 'jobs/1/tokens'])('exports no %s', async (list) => {
    const status = async (company?: string) => {
      const query = company === undefined ? '' : `?company=${company}`;
      const reply = await server.anonymous.get(`/export/v1/${list}${query}`, undefined, {
        headers: { ...OWN_PAGE, cookie: browser.cookie ?? '' },
      });
      return `${reply.status} ${codeIn(reply.text)}`;
    };
    expect(await status(before['x-company'])).toBe('409 other_company');
    expect(await status()).toBe('400 malformed');
    expect(await status(after['x-company'])).toMatch(/^200 |^404 not_found/);
  });

  it('opens no socket, and reads nothing', async () => {
    expect((await (await connected({ company: before['x-company'] })).ended).code).toBe(4403);
    expect(await sent('/graphql', '{ viewer { role } }', before)).toBe('409 OTHER_COMPANY');
    expect(await sent('/graphql', '{ viewer { role } }', { 'x-company': 'no id' })).toBe('409 OTHER_COMPANY');
  });

  it('goes on once it names the new one, also over a socket', async () => {
    const query = (name: string) => `mutation { groupCreate(input: { name: "${name}" }) { group { id } } }`;
    expect(await sent('/graphql', query('by page'), after)).toBe('200 undefined');
    const socket = await connected({ company: after['x-company'] });
    await socket.hear({ type: 'connection_ack' });
    expect(await ask(socket, query('by socket'))).toMatchObject({ payload: { data: { groupCreate: {} } } });
    const { body } = await server.beta.graphql('{ groups { nodes { name } } }');
    expect(body.data).toEqual({ groups: { nodes: [{ name: 'by page' }, { name: 'by socket' }] } });
    socket.socket.terminate();
  });
});
