import { describe, expect, it } from 'vitest';

import { createPasswords } from '../../../../src/domain/people/user/password.service.js';
import { setPassword, unlockUser } from '../../../../src/domain/people/user/user.service.js';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../src/platform/clock.js';
import { createClient, type RequestOptions } from '../../../support/client.js';
import {
  addPerson,
  failSignIns,
  fromElsewhere,
  signInEvents,
  WRONG,
  PASSWORD,
  signIn,
  tokensIn,
} from '../../../support/people.js';
import { SYSTEM, useServer } from '../../../support/server.js';

const server = useServer({ trustProxy: ['127.0.0.1'] });

const statusOf = async (email: string, password: string, from: RequestOptions): Promise<number> =>
  (await signIn(server, { email, password }, from)).status;

const failTimes = (email: string, times: number, from: RequestOptions): Promise<void> =>
  failSignIns(server, email, times, from);

const networks = (count: number): RequestOptions[] => Array.from({ length: count }, () => fromElsewhere());

const networksOf = (userId: number) =>
  server.place.sql('select * from sign_in_networks where user_id = $1', [userId]);

const unlock = async (user: { readonly id: number }): Promise<void> => {
  await server.app.units.systemWrite(SYSTEM, (work) => unlockUser(work, user));
};

describe('AT-06 ten wrong passwords from a network', () => {
  it('lock the account for this network, and let its tokens live on', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const here = fromElsewhere();
    const [entry] = tokensIn(await signIn(server, { email, password: PASSWORD }, here));
    await failTimes(email, 11, here);
    expect(await statusOf(email, PASSWORD, here)).toBe(401);
    const client = createClient(server.url, entry?.api_token ?? '');
    expect((await client.get('groups')).status).toBe(200);
    expect(await signInEvents(server, user.id)).toEqual([
      'sign_in',
      ...Array<string>(10).fill('sign_in_failed'),
      'sign_in_locked',
      'sign_in_failed',
      'sign_in_refused',
    ]);

    server.clock.advance(30 * MINUTE - 30 * SECOND);
    expect(await statusOf(email, PASSWORD, here)).toBe(401);
    server.clock.advance(31 * SECOND);
    expect(await statusOf(email, PASSWORD, here)).toBe(200);
  });

  it('are counted anew after a lock has passed and after a success', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const here = fromElsewhere();
    await failTimes(email, 10, here);
    server.clock.advance(31 * MINUTE);
    await failTimes(email, 9, here);
    expect(await statusOf(email, PASSWORD, here)).toBe(200);
    server.clock.advance(11 * MINUTE);
    await failTimes(email, 9, here);
    expect(await statusOf(email, PASSWORD, here)).toBe(200);
    expect(
      (await signInEvents(server, user.id)).filter((action) => action === 'sign_in_locked'),
    ).toHaveLength(1);
  });

  it('end by a command, for all networks', async () => {
    const { user, email } = await addPerson(server, { acme: 'viewer' });
    const from = networks(11);
    for (const network of from) await failTimes(email, 10, network);
    for (const network of [...from, fromElsewhere()]) {
      expect(await statusOf(email, PASSWORD, network)).toBe(401);
    }
    await unlock(user);
    for (const network of [...from, fromElsewhere()]) {
      expect(await statusOf(email, PASSWORD, network)).toBe(200);
    }
  });
});

describe('AT-40 wrong passwords for a victim', () => {
  /** Wrong passwords from networks, some every minute of an hour, whatever the responses. */
  async function attack(email: string, from: readonly RequestOptions[]): Promise<void> {
    for (let minute = 0; minute < 60; minute += 1) {
      const some = from.length === 1 ? from : from.slice((minute * 5) % 50, ((minute * 5) % 50) + 5);
      for (const network of some) await signIn(server, { email, password: WRONG }, network);
      server.clock.advance(MINUTE);
    }
  }

  it.each([1, 50])(
    'from %i networks for an hour do not keep the victim out of a known network',
    async (count) => {
      const { email, user } = await addPerson(server, { acme: 'viewer' });
      const [home, office] = [fromElsewhere(), fromElsewhere()];
      for (const known of [home, office]) expect(await statusOf(email, PASSWORD, known)).toBe(200);
      const attackers = networks(count);
      await attack(email, attackers);
      for (const known of [home, office]) expect(await statusOf(email, PASSWORD, known)).toBe(200);
      // Neither these sign-ins nor the right password help the attackers.
      const [attacker = home] = attackers;
      await failTimes(email, 10, attacker);
      expect(await statusOf(email, PASSWORD, attacker)).toBe(401);
      expect(await statusOf(email, PASSWORD, home)).toBe(200);
      expect(await signInEvents(server, user.id)).toContain('sign_in_locked');
    },
  );

  it('from any number of networks are a hundred guesses a day, and store no more than those', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const home = fromElsewhere();
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
    for (const network of networks(99)) await failTimes(email, 1, network);
    // The last guess that counts could be right, and the next could not.
    expect(await statusOf(email, PASSWORD, fromElsewhere())).toBe(200);
    await failTimes(email, 1, fromElsewhere());
    for (const network of networks(20)) {
      expect(await statusOf(email, PASSWORD, network)).toBe(401);
      expect(await statusOf(email, WRONG, network)).toBe(401);
    }
    expect(await networksOf(user.id)).toHaveLength(102);
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
    server.clock.advance(DAY - MINUTE);
    expect(await statusOf(email, PASSWORD, fromElsewhere())).toBe(401);
    server.clock.advance(2 * MINUTE);
    expect(await statusOf(email, PASSWORD, fromElsewhere())).toBe(200);
    // The networks of the attackers are forgotten, those of the victim are not.
    expect((await networksOf(user.id)).every((network) => network.signed_in_at !== null)).toBe(true);
  });

  it('from a known network lock this network alone', async () => {
    const { email } = await addPerson(server, { acme: 'viewer' });
    const [home, office] = [fromElsewhere(), fromElsewhere()];
    for (const known of [home, office]) expect(await statusOf(email, PASSWORD, known)).toBe(200);
    await failTimes(email, 10, office);
    expect(await statusOf(email, PASSWORD, office)).toBe(401);
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
  });

  it('show as a lock until the last of them ends, and a lock that ended goes with the next sign-in', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const home = fromElsewhere();
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
    const lockedUntil = async () => {
      const sql = 'select locked_until from users where id = $1';
      const [row] = await server.place.sql<{ locked_until: number | null }>(sql, [user.id]);
      return row?.locked_until ?? null;
    };
    const start = server.clock.now().getTime();
    await failTimes(email, 10, fromElsewhere());
    expect(await lockedUntil()).toBeGreaterThan(start + 29 * MINUTE);
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
    expect(await lockedUntil()).toBeGreaterThan(start + 29 * MINUTE);
    server.clock.advance(HOUR);
    expect(await statusOf(email, PASSWORD, home)).toBe(200);
    expect(await lockedUntil()).toBeNull();
  });

  it('an account knows the networks of its ten latest sign-ins, IPv6 by /64', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const ipv6 = (host: number) => ({ headers: { 'x-forwarded-for': `2001:db8:40:40::${host}` } });
    for (const known of [...networks(12), ipv6(1)]) {
      expect(await statusOf(email, PASSWORD, known)).toBe(200);
      server.clock.advance(SECOND);
    }
    expect(await networksOf(user.id)).toHaveLength(10);
    for (const network of networks(10)) await failTimes(email, 10, network);
    expect(await statusOf(email, PASSWORD, fromElsewhere())).toBe(401);
    expect(await statusOf(email, PASSWORD, ipv6(2))).toBe(200);
  });

  it('count twice where the value and its percent-decoded form are both tried', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const { headers } = fromElsewhere();
    const form = { headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } };
    for (let n = 0; n < 5; n += 1) expect(await statusOf(email, `wrong%2B${n}`, form)).toBe(401);
    expect((await networksOf(user.id)).map((network) => network.failed_sign_ins)).toEqual([10]);
    expect(await statusOf(email, PASSWORD, { headers })).toBe(401);
  });

  it('of a new password count as before', async () => {
    const { email, user } = await addPerson(server, { acme: 'viewer' });
    const here = fromElsewhere();
    await failTimes(email, 10, here);
    const hash = await createPasswords().hash('another good password');
    await server.app.units.systemWrite(SYSTEM, (work) => setPassword(work, user, hash));
    expect(await statusOf(email, 'another good password', here)).toBe(401);
  });
});
