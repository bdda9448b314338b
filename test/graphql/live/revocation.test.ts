import { describe, expect, it } from 'vitest';

import { disableUser } from '../../../src/domain/people/user/user.service.js';
import { HOUR } from '../../../src/platform/clock.js';
import { changed, nodeId } from '../../support/dashboard.js';
import { fleet } from '../../support/fleet.js';
import { openKnown } from '../../support/raw-socket.js';
import { SYSTEM, useServer, type Member } from '../../support/server.js';
import { openStreams } from '../../support/subscribe.js';

const server = useServer({}, { live: { recheckMs: 50 } });

const FOLLOW = 'subscription { ledgerAppended { sequence after } }';
const REMOVE = 'mutation ($id: ID!) { memberRemove(userId: $id) { removedId userErrors { message } } }';
const DISABLE = 'mutation ($id: ID!) { userDisable(id: $id) { user { id } userErrors { message } } }';

/** A subscriber to the ledger, and how its connection ends. */
interface Follower {
  readonly heard: () => string;
  /** Resolves to the way in which it ended. */
  readonly ended: Promise<string>;
}

const overSocket = async (token: string): Promise<Follower> => {
  const raw = await openKnown(server, token);
  raw.say({ type: 'subscribe', id: '1', payload: { query: FOLLOW } });
  const ended = raw.ended.then(({ code, reason }) => `${code} ${reason}`);
  return { heard: () => JSON.stringify(raw.heard), ended };
};

const overStream = async (token: string): Promise<Follower> => {
  const url = `${server.url}/graphql/stream?query=${encodeURIComponent(FOLLOW)}&access_token=${token}`;
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream' } });
  let text = '';
  const ended = (async () => {
    for await (const part of body ?? []) text += Buffer.from(part as Uint8Array).toString();
    return text.slice(text.lastIndexOf('event: next'));
  })();
  return { heard: () => text, ended };
};

const BAD_TOKEN = 'A valid access token is needed';
const ways = [
  ['a socket', overSocket, `4403 ${BAD_TOKEN}`],
  [
    'a stream',
    overStream,
    `event: next\ndata: {"errors":[{"message":"${BAD_TOKEN}.","extensions":{"code":"UNAUTHENTICATED"}}]}\n\nevent: complete\ndata:\n\n`,
  ],
] as const;

/** Changes the token of a member as another process does. */
const setTime = ({ caller }: Member, column: 'revoked_at' | 'expires_at', to: Date): Promise<unknown> =>
  server.place.sql(`update access_tokens set ${column} = $1 where id = $2`, [to, caller.tokenId]);

const byAdministrator = (mutation: string) => (member: Member) =>
  changed(server.acme, mutation, { id: nodeId('User', member.caller.userId) });

const endings: readonly [string, (member: Member) => Promise<unknown>][] = [
  ['its token is revoked', (member) => server.revoke(member)],
  ['another process revokes its token', (member) => setTime(member, 'revoked_at', server.clock.now())],
  [
    'its token expires',
    async (member) => {
      await setTime(member, 'expires_at', new Date(server.clock.now().getTime() + HOUR));
      server.clock.advance(HOUR);
    },
  ],
  [
    'its user is disabled',
    ({ caller }) => server.app.units.systemWrite(SYSTEM, (work) => disableUser(work, { id: caller.userId })),
  ],
  ['its user is no member of the company any more', byAdministrator(REMOVE)],
  ['an administrator disables its user in the company', byAdministrator(DISABLE)],
  [
    'another process ends the membership',
    ({ caller }) => server.place.sql('delete from memberships where user_id = $1', [caller.userId]),
  ],
];

describe('GQ-16 a subscription', () => {
  for (const [way, follow, ending] of ways) {
    it.each(endings)(`over ${way} ends when %s`, async (what, end) => {
      const member = await server.member('acme', 'admin');
      const follower = await follow(member.token);
      await expect.poll(() => openStreams(server)).toBe(1);
      await fleet.group(server.acme.client, `before ${way} ${what}`);
      await expect.poll(() => follower.heard()).toContain(`before ${way} ${what}`);
      await end(member);
      // The server caches tokens for two seconds; changes of other processes appear after that.
      if (what.startsWith('another')) server.clock.advance(2_001);
      else await fleet.group(server.acme.client, `after ${way} ${what}`);
      expect(await follower.ended).toBe(ending);
      expect(follower.heard()).not.toContain(`after ${way} ${what}`);
      await expect.poll(() => openStreams(server)).toBe(0);
    });

    it(`over ${way} ends when its user's role does not give the right any more`, async () => {
      const member = await server.member('acme', 'admin');
      const follower = await follow(member.token);
      await expect.poll(() => openStreams(server)).toBe(1);
      const { userId } = member.caller;
      await server.place.sql(`update memberships set role = 'operator' where user_id = $1`, [userId]);
      server.clock.advance(2_001);
      await expect.poll(() => follower.heard()).toContain('FORBIDDEN');
      expect(await openStreams(server)).toBe(0);
    });
  }
});
