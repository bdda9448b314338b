import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { record, report } from '../../domain/payments/transaction/records.js';
import { fleet } from '../../support/fleet.js';
import { liveTexts, sequencesIn, type LiveTexts } from '../../support/live-texts.js';
import { useServerPerTest, type Fields, type Member } from '../../support/server.js';
import { lastSequence, openStreams } from '../../support/subscribe.js';

const server = useServerPerTest();

const OPERATIONS = 20;
const FOLLOW = `subscription ($after: Int) {
  ledgerAppended(after: $after) { sequence action entityType after actor { name email } company { name } }
}`;

/** A subscription to the ledger, for the sequence and some other fields. */
interface Selection {
  readonly query: string;
  readonly variables: Fields;
}

const FIELDS = [
  '__typename',
  'at',
  'channel',
  'action',
  'entityType',
  'entityId',
  'before',
  'after',
  'id',
  'company { name }',
  'actor { name email }',
  'actor { id memberships: __typename }',
];

interface Drawn {
  readonly field: string;
  readonly alias: boolean;
  readonly way: 'plain' | 'inline' | 'named' | 'included';
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  field: fc.constantFrom(...FIELDS),
  alias: fc.boolean(),
  way: fc.constantFrom('plain', 'inline', 'named', 'included'),
});

/** Selections with aliases, fragments and variables. Each has the variable `$after`, for where it begins. */
const selections: fc.Arbitrary<Selection> = fc
  .tuple(fc.array(drawn, { minLength: 1, maxLength: 8 }), fc.boolean(), fc.boolean())
  .map(([fields, isIncluded, isNamed]) => {
    const fragments: string[] = [];
    const parts = fields.map(({ field, alias, way }, n) => {
      const text = alias || field.includes('{') ? `f${n}: ${field}` : field;
      if (way === 'inline') return `... on LedgerEntry { ${text} }`;
      if (way === 'included') return `... @include(if: $included) { ${text} }`;
      if (way === 'plain') return text;
      fragments.push(`fragment F${n} on LedgerEntry { ${text} }`);
      return `...F${n}`;
    });
    const name = isNamed ? 'Changes' : '';
    const query = `subscription ${name}($after: Int, $included: Boolean! = true) {
      ledgerAppended(after: $after) { ... @include(if: $included) { sequence } ${parts.join(' ')} }
    } ${fragments.join(' ')}`;
    return { query, variables: isIncluded ? {} : { included: false } };
  });

const untilOpen = (count: number): Promise<void> => expect.poll(() => openStreams(server)).toBe(count);

/** Subscribes several times over sockets of a member. */
async function subscribers(member: Member, count: number, query = FOLLOW): Promise<LiveTexts[]> {
  const before = await openStreams(server);
  const sockets: LiveTexts[] = [];
  for (let n = 0; n < count; n += 1) {
    if (n % OPERATIONS === 0) sockets.push(await liveTexts(server, member));
    sockets.at(-1)?.subscribe(`s${n % OPERATIONS}`, query);
    // Hundreds that begin at once may wait too long for the database.
    if (n % OPERATIONS === OPERATIONS - 1 || n === count - 1) await untilOpen(before + n + 1);
  }
  return sockets;
}

const received = (sockets: readonly LiveTexts[]): readonly string[] =>
  sockets.flatMap(({ payloads }) => Array.from({ length: OPERATIONS }, (_, n) => payloads(`s${n}`)).flat());

describe('an event for many subscribers', () => {
  /** The statements that read the ledger and the records that an event shows, for one change. */
  async function readsFor(count: number): Promise<readonly string[]> {
    const sockets = await subscribers(server.acme, count);
    const { statements } = await server.statements(async () => {
      await fleet.group(server.acme.client, crypto.randomUUID());
      await expect.poll(() => received(sockets).length).toBe(count);
    });
    for (const { raw } of sockets) raw.socket.terminate();
    await untilOpen(0);
    // Two of them begin together.
    return statements.filter((text) => /^select/i.test(text) && !text.includes('counters')).toSorted();
  }

  it('takes as many statements as for one', async () => {
    await readsFor(1);
    const one = await readsFor(1);
    expect(one.filter((text) => text.includes('from "ledger" as "t"'))).toHaveLength(1);
    // More than are woken in several turns.
    expect(await readsFor(400)).toEqual(one);
  });

  it('is sent in order, with nothing missing or twice', async () => {
    const sockets = await subscribers(server.acme, 60);
    const after = await lastSequence(server.acme);
    for (let n = 0; n < 50; n += 1) await fleet.group(server.acme.client, `n${n}`);
    const expected = Array.from({ length: 50 }, (_, n) => after + 1 + n);
    for (const { until } of sockets) {
      for (let n = 0; n < OPERATIONS; n += 1) expect(sequencesIn(await until(`s${n}`, 50))).toEqual(expected);
    }
    const events = await server.anonymous.get('/metrics');
    expect(events.text).toMatch(/^graphql_stream_events_total\{transport="websocket"\} 3000$/m);
  });

  it('is the same text as for a subscriber that reads for itself', async () => {
    const drawn = fc.sample(selections, { numRuns: 40, seed: 7 });
    const sockets = [await liveTexts(server, server.acme), await liveTexts(server, server.acme)];
    const late = await liveTexts(server, server.acme);
    for (let start = 0; start < drawn.length; start += 10) {
      const part = drawn.slice(start, start + 10);
      const after = await lastSequence(server.acme);
      for (const [n, { query, variables }] of part.entries()) {
        for (const socket of sockets) socket.subscribe(`${start + n}`, query, variables);
      }
      await untilOpen(part.length * 2);
      await fleet.group(server.acme.client, `"ü" \u{1f600} ${start}`);
      await fleet.device(server.acme.client, `D-${start}`);
      for (const [n, { query, variables }] of part.entries()) {
        const id = `${start + n}`;
        const [first, second] = await Promise.all(sockets.map(({ until }) => until(id, 2)));
        late.subscribe(id, query, { ...variables, after });
        const own = await late.until(id, 2);
        expect(first).toEqual(own);
        expect(second).toEqual(own);
        for (const { raw } of [...sockets, late]) raw.say({ type: 'complete', id });
      }
      await untilOpen(0);
    }
  });
});

describe('subscribers with different rights', () => {
  const RECORDED = `subscription {
    transactionRecorded { sequence transaction { device { createdBy { id email } } } }
  }`;

  it('each get what they may see', async () => {
    const members = await Promise.all(
      (['admin', 'operator', 'operator', 'viewer'] as const).map((role) => server.member('acme', role)),
    );
    const [admin, one, other, viewer] = members as [Member, Member, Member, Member];
    await fleet.device(one.client, 'OF-ONE');
    await fleet.device(other.client, 'OF-OTHER');
    const followers = new Map<Member, LiveTexts>();
    for (const member of members) followers.set(member, await liveTexts(server, member));
    for (const socket of followers.values()) socket.subscribe('s', RECORDED);
    await untilOpen(4);
    await record(
      server,
      server.acme,
      ['OF-ONE', 'OF-OTHER'].map((serialNumber) => report({ serialNumber })),
    );
    const shown = new Map<Member, (string | null)[]>();
    for (const [member, socket] of followers) {
      const payloads = (await socket.until('s', 2)).map((text) => JSON.parse(text) as Payload);
      shown.set(
        member,
        payloads.map(({ data, errors }) => {
          const { email } = data.transactionRecorded.transaction.device.createdBy;
          expect(errors?.[0]?.extensions.code).toBe(email === null ? 'FORBIDDEN' : undefined);
          return email;
        }),
      );
    }
    const emails = shown.get(admin) ?? [];
    expect(emails.map((email) => email?.split('@')[1])).toEqual(['acme.example', 'acme.example']);
    expect(new Set(emails).size).toBe(2);
    expect(shown.get(one)).toEqual([emails[0], null]);
    expect(shown.get(other)).toEqual([null, emails[1]]);
    expect(shown.get(viewer)).toEqual([null, null]);
  });

  interface Payload {
    readonly data: {
      readonly transactionRecorded: {
        readonly transaction: { readonly device: { readonly createdBy: { readonly email: string | null } } };
      };
    };
    readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  }
});

describe('a subscriber that resumes', () => {
  it('gets no event twice and misses none while others follow and changes are made', async () => {
    const first = await lastSequence(server.acme);
    const ahead = await liveTexts(server, server.acme);
    ahead.subscribe('s', FOLLOW);
    await untilOpen(1);
    const [CHANGES, RESUMED] = [150, 12];
    const late = await liveTexts(server, server.acme);
    for (let n = 0; n < CHANGES; n += 1) {
      await fleet.group(server.acme.client, `c${n}`);
      if (n % 12 === 11) late.subscribe(`r${(n - 11) / 12}`, FOLLOW, { after: first + Math.floor(n / 2) });
    }
    const all = Array.from({ length: CHANGES }, (_, n) => first + 1 + n);
    expect(sequencesIn(await ahead.until('s', CHANGES))).toEqual(all);
    for (let r = 0; r < RESUMED; r += 1) {
      const skipped = Math.floor((r * 12 + 11) / 2);
      const own = await late.until(`r${r}`, CHANGES - skipped);
      expect(sequencesIn(own)).toEqual(all.slice(skipped));
      expect(own).toEqual(ahead.payloads('s').slice(skipped));
    }
  });

  it('gets what meets its filter alone', async () => {
    const query = `subscription ($after: Int, $serial: String!) {
      transactionRecorded(after: $after, filter: { serialNumber: { eq: $serial } }) {
        sequence transaction { serialNumber }
      }
    }`;
    const socket = await liveTexts(server, server.acme);
    for (const serial of ['A', 'B']) socket.subscribe(serial, query, { serial });
    await untilOpen(2);
    for (let n = 0; n < 40; n += 1) {
      await record(server, server.acme, [report({ serialNumber: n % 2 === 0 ? 'A' : 'B' })]);
      if (n === 20)
        for (const serial of ['A', 'B']) socket.subscribe(`${serial}0`, query, { serial, after: 0 });
    }
    for (const serial of ['A', 'B']) {
      const live = await socket.until(serial, 20);
      expect(await socket.until(`${serial}0`, 20)).toEqual(live);
      expect(live.every((text) => text.includes(`"serialNumber":"${serial}"`))).toBe(true);
    }
  });
});

describe('a client that does not read', () => {
  const LARGE = `subscription { transactionRecorded { sequence transaction { sent } } }`;

  it('holds up no other one, gets everything later, and then shares what is read', async () => {
    const [slow, fast] = [await liveTexts(server, server.acme), await liveTexts(server, server.acme)];
    for (const socket of [slow, fast]) socket.subscribe('s', LARGE);
    await untilOpen(2);
    slow.raw.socket.pause();
    const COUNT = 800;
    for (let n = 0; n < COUNT / 50; n += 1) {
      await record(
        server,
        server.acme,
        Array.from({ length: 50 }, () => report({ sent: 'x'.repeat(20_000) })),
      );
    }
    const all = sequencesIn(await fast.until('s', COUNT));
    expect(slow.payloads('s').length).toBeLessThan(COUNT);
    slow.raw.socket.resume();
    expect(sequencesIn(await slow.until('s', COUNT))).toEqual(all);
    let sent = COUNT;
    const readsOfNext = async (): Promise<number> => {
      sent += 1;
      const { statements } = await server.statements(async () => {
        await record(server, server.acme, [report()]);
        await Promise.all([slow, fast].map(({ until }) => until('s', sent)));
      });
      return statements.filter((text) => text.includes('from "transactions" as "t"')).length;
    };
    await expect.poll(readsOfNext).toBe(1);
  });
});
