import { describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { openBrowser, SIGN_IN, signedIn } from '../../../support/console.js';
import { addPerson, PASSWORD, WRONG } from '../../../support/people.js';
import { useServer } from '../../../support/server.js';

const server = useServer({ rateLimitPerHour: 1_000 });
const ME = '{ viewer { user { email } company { name } role scopes session { current } } }';

describe('signIn', () => {
  it('answers every wrong attempt alike, and sets no cookie', async () => {
    const { email } = await addPerson(server, { acme: 'admin' });
    const replies = [];
    for (const given of [
      { email, password: WRONG },
      { email: 'nobody@people.example', password: PASSWORD },
      { email, password: 'x'.repeat(200) },
    ]) {
      replies.push(await openBrowser(server.url).graphql(SIGN_IN, given));
    }
    for (const { status, body, headers } of replies) {
      expect([status, headers.get('set-cookie')]).toEqual([200, null]);
      const message = 'The e-mail address or the password is wrong.';
      const userErrors = [{ code: 'INVALID', rule: 'wrong_credentials', message, path: [] }];
      expect(body).toMatchObject({ data: { signIn: { viewer: null, userErrors } } });
    }
  });

  it('begins a session with the rights of the role', async () => {
    const { email } = await addPerson(server, { acme: 'operator' });
    const browser = openBrowser(server.url);
    const reply = await browser.graphql(SIGN_IN, { email, password: PASSWORD });
    expect(reply.body.data).toMatchObject({
      signIn: {
        viewer: { role: 'OPERATOR', user: { email }, company: { name: 'Acme Pagamentos' } },
        userErrors: [],
      },
    });
    expect(reply.headers.get('set-cookie')).toMatch(
      /^session=[0-9a-f]{40}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    const me = await browser.graphql(ME);
    expect(me.body.data).toMatchObject({
      viewer: { user: { email }, scopes: ['READ', 'WRITE'], session: { current: true } },
    });
    const made = await browser.graphql<{ groupCreate: { group: Fields } }>(
      'mutation { groupCreate(input: { name: "by hand" }) { group { createdVia createdBy { databaseId } } } }',
    );
    expect(made.body.data.groupCreate.group.createdVia).toBe('INTERFACE');
    const forbidden = await browser.graphql('{ users { totalCount } }');
    expect(forbidden.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

it.each([
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['a program', {}],
  ['a form', { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' }],
])('a cookie does not count for %s', async (_name, headers) => {
  const { email } = await addPerson(server, { acme: 'admin' });
  const browser = openBrowser(server.url, headers);
  browser.cookie = (await signedIn(server.url, email)).cookie;
  expect((await browser.graphql(ME)).status).toBeGreaterThanOrEqual(400);
  expect(
    (await openBrowser(server.url, headers).graphql(SIGN_IN, { email, password: PASSWORD })).status,
  ).toBeGreaterThanOrEqual(400);
});
