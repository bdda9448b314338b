import { describe, expect, it } from 'vitest';

import type { Fields } from '../../../support/client.js';
import { openBrowser, signedIn } from '../../../support/console.js';
import { changed, nodeId } from '../../../support/dashboard.js';
import { ledgerOf, rowsIn } from '../../../support/fleet.js';
import { codeIn } from '../../../support/mailbox.js';
import {
  ADD,
  addPasskey,
  Authenticator,
  CONFIRMED,
  type Deviation,
  enter,
  MINE,
  mineOf,
  OPTIONS,
  optionsOf,
  payloadOf,
  personWithPasskey,
  REMOVE,
  RENEW,
  rulesOf,
  SIGN_IN_BY_PASSKEY,
} from '../../../support/passkeys.js';
import { addPerson, PASSWORD, signIn, signInEvents, WRONG } from '../../../support/people.js';
import { useServer } from '../../../support/server.js';

const server = useServer({ trustProxy: ['loopback'] });

const RENAME = `mutation ($id: ID!, $name: String!) { passkeyRename(id: $id, name: $name) {
  passkey { name } userErrors { code rule path } } }`;
const RESET = `mutation ($userId: ID!, $removePasskeys: Boolean) {
  passwordReset(userId: $userId, removePasskeys: $removePasskeys) { link userErrors { rule } } }`;
const SET = `mutation ($code: String!, $password: String!) {
  passwordSetByLink(code: $code, password: $password) { viewer { user { email } } userErrors { rule } } }`;

describe('passkeys of an account', () => {
  it('are added, named, renamed and removed; the first one brings ten recovery codes', async () => {
    const { user, browser, authenticator, id, codes } = await personWithPasskey(server);
    expect(new Set(codes).size).toBe(10);
    expect(codes[0]).toMatch(/^[0-9a-f]{5}(-[0-9a-f]{5}){3}$/);
    const second = await addPasskey(browser, server.url, { name: 'Key ring' });
    expect(second.codes).toEqual([]);
    const twice = {
      name: 'Again',
      passkey: authenticator.create((await payloadOf(browser, OPTIONS, CONFIRMED)).options),
    };
    expect(await payloadOf(browser, ADD, twice)).toMatchObject({
      userErrors: [{ code: 'TAKEN', path: ['passkey'] }],
    });
    expect(await payloadOf(browser, RENAME, { id, name: 'Office' })).toMatchObject({
      passkey: { name: 'Office' },
    });
    expect(await rulesOf(browser, RENAME, { id, name: '' })).toEqual(['empty']);
    expect(await mineOf(browser)).toEqual({
      passkeys: [
        { id, name: 'Office', lastUsedAt: null },
        { id: second.id, name: 'Key ring', lastUsedAt: null },
      ],
      recoveryCodesLeft: 10,
    });
    for (const each of [second.id, id])
      expect(await rulesOf(browser, REMOVE, { id: each, ...CONFIRMED })).toEqual([]);
    expect(await mineOf(browser)).toEqual({ passkeys: [], recoveryCodesLeft: 0 });
    const entries = await ledgerOf(server, server.acme, 'passkey', user.id);
    expect(entries.map(({ action }) => action)).toEqual([
      'create',
      'update',
      'create',
      'update',
      'delete',
      'delete',
    ]);
    expect(JSON.stringify(entries)).not.toContain(codes[0]);
    const rows = await server.place.sql('select * from one_time_codes');
    expect(JSON.stringify(rows)).not.toContain(codes[0]?.replaceAll('-', ''));
  });

  it('change only with the password or a passkey of the user', async () => {
    const { email, browser, authenticator, id } = await personWithPasskey(server);
    const other = await personWithPasskey(server);
    const wrong = async (confirmation: Fields) => await payloadOf(browser, REMOVE, { id, confirmation });
    expect(await wrong({ password: WRONG })).toMatchObject({
      userErrors: [{ rule: 'wrong_password', path: ['confirmation', 'password'] }],
    });
    expect(await wrong({})).toMatchObject({ userErrors: [{ rule: 'one_of', path: ['confirmation'] }] });
    for (const passkey of [
      other.authenticator.get(await optionsOf(browser)),
      authenticator.get(await optionsOf(other.browser)),
      authenticator.get(await optionsOf(openBrowser(server.url))),
      authenticator.get(await optionsOf(browser), { isVerified: false }),
    ]) {
      expect(await wrong({ passkey })).toMatchObject({ userErrors: [{ rule: 'wrong_passkey' }] });
    }
    expect(await payloadOf(browser, OPTIONS, { confirmation: { password: WRONG } })).toMatchObject({
      options: null,
    });
    expect(await rulesOf(browser, REMOVE, { id: other.id, ...CONFIRMED })).toEqual(['not_found']);
    const unconfirmed = {
      name: 'New',
      passkey: new Authenticator(server.url).create({
        ...(await optionsOf(browser)),
        rp: { id: '127.0.0.1' },
        user: { id: '' },
      }),
    };
    expect(await rulesOf(browser, ADD, unconfirmed)).toEqual(['wrong_passkey']);
    expect((await mineOf(browser)).passkeys).toHaveLength(1);
    const passkey = authenticator.get(await optionsOf(browser));
    expect(await rulesOf(browser, REMOVE, { id, confirmation: { passkey } })).toEqual([]);
    expect((await enter(server, email, null)).isIn).toBe(true);
  });

  it('are for sessions alone, and change neither tokens nor the token endpoint', async () => {
    const { email, id } = await personWithPasskey(server, { acme: 'admin' });
    expect((await signIn(server, { email, password: PASSWORD })).status).toBe(200);
    for (const [query, variables] of [
      [OPTIONS, {}],
      [ADD, { name: 'x', passkey: {} }],
      [RENAME, { id, name: 'x' }],
      [REMOVE, { id, ...CONFIRMED }],
      [RENEW, CONFIRMED],
      [SIGN_IN_BY_PASSKEY, { passkey: {} }],
    ] as const) {
      const { body } = await server.acme.graphql(query, variables);
      expect(body.errors?.[0]?.extensions.code, query).toBe('FORBIDDEN');
    }
    const { body } = await server.acme.graphql(MINE);
    expect(body.data).toEqual({ viewer: { passkeys: [], recoveryCodesLeft: 0 } });
  });

  it('are at most 20', async () => {
    const { browser } = await personWithPasskey(server);
    for (let count = 1; count < 20; count += 1) await addPasskey(browser, server.url);
    await expect(addPasskey(browser, server.url)).rejects.toThrow('too_many_passkeys');
  });

  it.each<[string, Deviation]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: 'x' }],
    ['of a page in a frame of another site', { crossOrigin: true }],
  ])('refuse a new one %s, which counts as a failed sign-in', async (_name, deviation) => {
    const { user, email } = await addPerson(server, { acme: 'viewer' });
    const browser = await signedIn(server.url, email);
    const { options } = await payloadOf(browser, OPTIONS, CONFIRMED);
    const passkey = new Authenticator(server.url).create(options, deviation);
    expect(await rulesOf(browser, ADD, { name: 'Laptop', passkey })).toEqual(['wrong_passkey']);
    expect((await mineOf(browser)).passkeys).toEqual([]);
    expect((await signInEvents(server, user.id)).at(-1)).toBe('sign_in_failed');
  });
});

describe('a link to set a password', () => {
  const CHOSEN = 'a password that I chose';
  const linkFor = (userId: number, removePasskeys?: boolean) =>
    changed<{ readonly link: string | null; readonly userErrors: readonly { readonly rule: string }[] }>(
      server.acme,
      RESET,
      { userId: nodeId('User', userId), removePasskeys },
    );

  it('keeps the passkeys, without which it signs nobody in', async () => {
    const { user, email, codes } = await personWithPasskey(server);
    const browser = openBrowser(server.url);
    const { link } = await linkFor(user.id);
    expect(await payloadOf(browser, SET, { code: codeIn(link ?? ''), password: CHOSEN })).toMatchObject({
      viewer: null,
      userErrors: [],
    });
    expect(browser.cookie).toBeNull();
    expect(await enter(server, email, null, CHOSEN)).toMatchObject({ userErrors: [], isIn: false });
    expect((await enter(server, email, { recoveryCode: codes[0] }, CHOSEN)).isIn).toBe(true);
  });

  it('removes the passkeys where the administrator asked for it, of members of that company alone', async () => {
    const { user, email } = await personWithPasskey(server);
    const { link } = await linkFor(user.id, true);
    expect((await enter(server, email, null)).isIn).toBe(false);
    await payloadOf(openBrowser(server.url), SET, { code: codeIn(link ?? ''), password: CHOSEN });
    expect((await enter(server, email, null, CHOSEN)).isIn).toBe(true);
    expect(await rowsIn(server, 'one_time_codes', `kind = 'recovery' and user_id = ${user.id}`)).toBe(0);
    const shared = await personWithPasskey(server, { acme: 'viewer', beta: 'viewer' });
    expect(await linkFor(shared.user.id, true)).toMatchObject({
      link: null,
      userErrors: [{ rule: 'several_companies' }],
    });
  });
});

describe('PUBLIC_URL', () => {
  const proxied = useServer({ publicUrl: 'https://gateway.example' });

  it('says for which host passkeys are, and which origin pages have', async () => {
    const { email } = await addPerson(proxied, { acme: 'viewer' });
    const browser = await signedIn(proxied.url, email);
    await expect(addPasskey(browser, proxied.url)).rejects.toThrow('wrong_passkey');
    const { authenticator } = await addPasskey(browser, 'https://gateway.example');
    const options = await optionsOf(openBrowser(proxied.url));
    expect(options.rpId).toBe('gateway.example');
    const passkey = authenticator.get(options);
    expect(await rulesOf(openBrowser(proxied.url), SIGN_IN_BY_PASSKEY, { passkey })).toEqual([]);
  });
});
