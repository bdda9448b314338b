import { describe, expect, it } from 'vitest';

import { MINUTE } from '../../../../src/platform/clock.js';
import type { Fields } from '../../../support/client.js';
import { openBrowser, signedIn } from '../../../support/console.js';
import { rowsIn } from '../../../support/fleet.js';
import {
  CONFIRMED,
  type Deviation,
  enter,
  mineOf,
  OPTIONS,
  optionsOf,
  payloadOf,
  personWithPasskey,
  REMOVE,
  RENEW,
  rulesOf,
  SIGN_IN_BY_PASSKEY,
  SIGN_IN_TWICE,
} from '../../../support/passkeys.js';
import { addPerson, fromElsewhere, PASSWORD, signInEvents, WRONG } from '../../../support/people.js';
import { useServer } from '../../../support/server.js';

const server = useServer({ trustProxy: ['loopback'] });

describe('a sign-in by password', () => {
  it('asks for a passkey or a recovery code, and has changed nothing until then', async () => {
    const { user, email, authenticator, codes } = await personWithPasskey(server);
    const before = await signInEvents(server, user.id);
    const asked = await enter(server, email, null);
    expect(asked).toMatchObject({ viewer: null, userErrors: [], isIn: false });
    expect(await signInEvents(server, user.id)).toEqual(before);
    expect(asked.secondFactor?.allowCredentials.map(({ id }) => id)).toEqual([
      authenticator.id.toString('base64url'),
    ]);
    if (!asked.secondFactor) throw new Error('No second factor was asked for');
    // An authenticator that is asked for one passkey need not say whose it is.
    const passkey = authenticator.get(asked.secondFactor, { isVerified: false, userHandle: null });
    expect(await enter(server, email, { passkey }, WRONG)).toMatchObject({
      rules: ['wrong_credentials'],
      isIn: false,
    });
    expect(await enter(server, email, { passkey })).toMatchObject({
      viewer: { user: { email } },
      isIn: true,
    });
    expect(await enter(server, email, { passkey })).toMatchObject({ rules: ['wrong_passkey'], isIn: false });
    const recoveryCode = ` ${codes[3]?.toUpperCase()}`;
    expect(await enter(server, email, { recoveryCode }, WRONG)).toMatchObject({ isIn: false });
    expect(await enter(server, email, { recoveryCode })).toMatchObject({ isIn: true });
    expect(await enter(server, email, { recoveryCode })).toMatchObject({
      rules: ['wrong_passkey'],
      isIn: false,
    });
    expect(await enter(server, email, { recoveryCode: 'x', passkey })).toMatchObject({
      rules: ['one_of'],
      isIn: false,
    });
  });

  it('takes no recovery code of another user, and none from before they were renewed', async () => {
    const { email, browser, codes } = await personWithPasskey(server);
    const other = await personWithPasskey(server);
    expect((await enter(server, email, { recoveryCode: other.codes[0] })).rules).toEqual(['wrong_passkey']);
    const { recoveryCodes } = await payloadOf(browser, RENEW, CONFIRMED);
    expect((await enter(server, email, { recoveryCode: codes[0] })).rules).toEqual(['wrong_passkey']);
    expect((await enter(server, email, { recoveryCode: recoveryCodes?.[0] })).isIn).toBe(true);
    expect((await mineOf(browser)).recoveryCodesLeft).toBe(9);
    const plain = await signedIn(server.url, (await addPerson(server, { acme: 'viewer' })).email);
    expect(await rulesOf(plain, RENEW, CONFIRMED)).toEqual(['no_passkey']);
  });

  it('is locked by wrong second factors as by wrong passwords', async () => {
    const { user, email, codes } = await personWithPasskey(server);
    const { headers } = fromElsewhere();
    const browser = openBrowser(server.url, { 'sec-fetch-site': 'same-origin', ...headers });
    const given = { email, password: PASSWORD, secondFactor: { recoveryCode: '0' } };
    for (let n = 0; n < 10; n += 1) {
      expect(await rulesOf(browser, SIGN_IN_TWICE, given)).toEqual(['wrong_passkey']);
    }
    expect((await signInEvents(server, user.id)).slice(-2)).toEqual(['sign_in_failed', 'sign_in_locked']);
    const right = { ...given, secondFactor: { recoveryCode: codes[0] } };
    expect(await rulesOf(browser, SIGN_IN_TWICE, right)).toEqual(['wrong_credentials']);
    expect((await enter(server, email, { recoveryCode: codes[0] })).isIn).toBe(true);
  });
});

describe('a sign-in by passkey alone', () => {
  it('needs a response that is not older than five minutes and that was not used', async () => {
    const { email, authenticator, browser } = await personWithPasskey(server);
    const fresh = openBrowser(server.url);
    const late = authenticator.get(await optionsOf(fresh));
    server.clock.advance(5 * MINUTE);
    expect(await rulesOf(fresh, SIGN_IN_BY_PASSKEY, { passkey: late })).toEqual(['wrong_passkey']);
    const passkey = authenticator.get(await optionsOf(fresh));
    expect(await payloadOf(fresh, SIGN_IN_BY_PASSKEY, { passkey })).toMatchObject({
      viewer: { user: { email } },
      userErrors: [],
    });
    expect(fresh.cookie).not.toBeNull();
    expect(await rulesOf(openBrowser(server.url), SIGN_IN_BY_PASSKEY, { passkey })).toEqual([
      'wrong_passkey',
    ]);
    expect((await mineOf(browser)).passkeys[0]?.lastUsedAt).not.toBeNull();
    await server.app.housekeeping.run();
    const left = await server.place.sql<{ kind: string }>('select kind from one_time_codes');
    expect(left.filter(({ kind }) => kind !== 'recovery')).toEqual([]);
  });

  it.each<[string, Deviation]>([
    ['of a page of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['to a challenge that the server did not make', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['to a challenge that is no text', { challenge: 5 as unknown as string }],
    ['without verification of the user', { isVerified: false }],
    ['with a counter that went back', { counter: 4 }],
    ['with a counter that stands still', { counter: 5 }],
    ['of a page in a frame of another site', { crossOrigin: true }],
    ['that names another user', { userHandle: Buffer.from('1').toString('base64url') }],
    ['with another signature', { signature: Buffer.alloc(70) }],
  ])('refuses a response %s, and counts it as a failed sign-in', async (_name, deviation) => {
    const { user, authenticator, browser } = await personWithPasskey(server);
    authenticator.counter = 4;
    const used = { passkey: authenticator.get(await optionsOf(openBrowser(server.url))) };
    expect(await rulesOf(openBrowser(server.url), SIGN_IN_BY_PASSKEY, used)).toEqual([]);
    const before = await mineOf(browser);
    const fresh = openBrowser(server.url);
    const passkey = authenticator.get(await optionsOf(fresh), deviation);
    expect(await rulesOf(fresh, SIGN_IN_BY_PASSKEY, { passkey })).toEqual(['wrong_passkey']);
    expect(fresh.cookie).toBeNull();
    expect((await signInEvents(server, user.id)).at(-1)).toBe('sign_in_failed');
    expect(await mineOf(browser)).toEqual(before);
  });

  it('refuses unknown and removed passkeys, and nonsense; a network may fail 30 times', async () => {
    const { authenticator, browser, id } = await personWithPasskey(server);
    await payloadOf(browser, REMOVE, { id, ...CONFIRMED });
    const { headers } = fromElsewhere();
    const fresh = openBrowser(server.url, { 'sec-fetch-site': 'same-origin', ...headers });
    const before = await rowsIn(server, 'sessions');
    const options = await optionsOf(fresh);
    const given: readonly Fields[] = [
      authenticator.get(options),
      {},
      { id: { x: 1 } },
      { id: authenticator.id.toString('base64url'), response: [] },
    ];
    for (let n = 0; n < 30; n += 1) {
      const passkey = given[n % given.length];
      expect(await rulesOf(fresh, SIGN_IN_BY_PASSKEY, { passkey })).toEqual(['wrong_passkey']);
    }
    for (const [query, variables] of [
      [SIGN_IN_BY_PASSKEY, { passkey: {} }],
      [OPTIONS, {}],
    ] as const) {
      const { body } = await fresh.graphql(query, variables);
      expect(body.errors?.[0]?.extensions.code).toBe('RATE_LIMITED');
    }
    expect(await rowsIn(server, 'sessions')).toBe(before);
  });
});
