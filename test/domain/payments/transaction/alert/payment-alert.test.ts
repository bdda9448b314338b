import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import type { Condition } from '../../../../../src/database/list/condition.js';
import type { ReadWork } from '../../../../../src/database/work.js';
import type { Figure, Measured } from '../../../../../src/domain/base/alert/alert.model.js';
import type { AlertKind } from '../../../../../src/domain/base/alert/alert.service.js';
import * as kinds from '../../../../../src/domain/payments/transaction/alert/payment-alert.service.js';
import { DAY, HOUR, MINUTE } from '../../../../../src/platform/clock.js';
import { createRandom } from '../../../../../src/platform/random.js';
import { fleet } from '../../../../support/fleet.js';
import { useServer } from '../../../../support/server.js';
import { payment, record, report } from '../records.js';

const server = useServer();
const TERMINALS = Array.from({ length: 12 }, (_, n) => `T-${String(n).padStart(2, '0')}`);
const random = createRandom(50);

interface Payment {
  readonly serialNumber: string;
  readonly at: number;
  readonly outcome: 'approved' | 'denied' | 'cancelled';
  readonly amount: number;
  readonly brand: string;
}
let payments: readonly Payment[] = [];
let now: Date;

beforeAll(async () => {
  server.clock.stop();
  now = new Date(Math.floor(server.clock.now().getTime() / MINUTE) * MINUTE + 17 * MINUTE + 250);
  server.clock.set(now);
  payments = Array.from({ length: 700 }, (_, n) => ({
    serialNumber: TERMINALS[Math.min(random.whole(0, 14), n % TERMINALS.length)] ?? '',
    // Most within hours, some within days, some in the future.
    at: now.getTime() - random.whole(-30, n % 3 === 0 ? 5_000 : 300) * MINUTE - random.whole(0, 59_999),
    outcome: random.pick(['approved', 'approved', 'denied', 'cancelled'] as const),
    amount: random.whole(0, 90_000),
    brand: random.pick(['visa', 'elo']),
  }));
  const rows = payments.map(({ serialNumber, at, outcome, amount, brand }) => ({
    ...payment({
      status: outcome === 'denied' ? 'denied' : 'approved',
      type: outcome === 'cancelled' ? 'cancellation' : 'sale',
      amount,
      card: { brand },
    }),
    serialNumber,
    startedAt: new Date(at),
    finishedAt: new Date(at),
  }));
  for (let first = 0; first < rows.length; first += 100)
    await record(server, server.acme, rows.slice(first, first + 100));
  const downloads = TERMINALS.map((serialNumber) => ({
    ...report(),
    serialNumber,
    startedAt: now,
    finishedAt: now,
  }));
  await record(server, server.acme, downloads);
  await record(server, server.beta, rows.slice(0, 50));
  for (const name of [...TERMINALS.slice(0, 10), 'never']) await fleet.device(server.acme.client, name);
  await fleet.device(server.acme.client, TERMINALS[10] ?? '', { enabled: false });
});
beforeEach(() => server.clock.set(now));

const IS_VISA: Condition = { field: 'brand', operator: 'eq', value: 'visa' };
const FEW: Condition = { field: 'serialNumber', operator: 'in', value: TERMINALS.slice(0, 5) };
/** Conditions by the filters of rules here, and what they mean for a payment. */
const FILTERS: Readonly<Record<string, readonly [Condition, (payment: Payment) => boolean]>> = {
  visa: [IS_VISA, ({ brand }) => brand === 'visa'],
  few: [FEW, ({ serialNumber }) => TERMINALS.indexOf(serialNumber) < 5],
};
const tools = {
  conditionOf: async (_list: string, filter: object) =>
    await Promise.resolve(FILTERS[Object.keys(filter)[0] ?? '']?.[0] ?? { and: [] }),
};

async function found<On extends object>(kind: AlertKind<On>, on: On) {
  return await server.app.units.read(
    server.acme.caller,
    async (work: ReadWork) => ({
      measured: await kind.measure(work, on, tools),
      figures: (await kind.examples(work, on, tools)) as readonly Figure[],
    }),
    { examines: true },
  );
}

/** The payments of a rule by their terminals, and all of them. */
function chosen(on: { filter?: object | null | undefined; within: number }) {
  const meets = FILTERS[Object.keys(on.filter ?? {})[0] ?? '']?.[1] ?? (() => true);
  const from = now.getTime() - on.within;
  const all = payments.filter((each) => each.at >= from && each.at < now.getTime() && meets(each));
  return { all, byTerminal: [...Map.groupBy(all, ({ serialNumber }) => serialNumber)] };
}

const approvedShare = (all: readonly Payment[]): number =>
  (100 * all.filter(({ outcome }) => outcome !== 'denied').length) / all.length;
const amountsOf = (all: readonly Payment[]): readonly number[] =>
  all.map(({ outcome, amount }) => (outcome === 'approved' ? amount : 0));
const sumOf = (all: readonly Payment[]): number => amountsOf(all).reduce((sum, amount) => sum + amount, 0);

/** Compares the names and values of the figures, in any order of equal values. */
function expectFigures(figures: readonly Figure[], expected: readonly (readonly [string, number])[]) {
  const most = Math.min(10, expected.length);
  expect(figures).toHaveLength(most);
  const values = new Map(expected);
  for (const { name, value } of figures) expect(value).toBeCloseTo(values.get(name ?? '') ?? -1, 9);
}

const isReached = (on: { count?: number | null; percent?: number | null }, measured: Measured): boolean =>
  measured.affected > 0 &&
  (on.count
    ? measured.affected >= on.count
    : measured.affected >= ((on.percent ?? 0) / 100) * (measured.total ?? 0));

const WINDOWS = [5 * MINUTE, 47 * MINUTE, 3 * HOUR, DAY];
const ALL = {};
const NAMES = [ALL, { visa: {} }, { few: {} }];
const thresholds = () => random.pick([{ count: random.whole(1, 6) }, { percent: random.whole(1, 100) }]);

describe('rules on payments agree with a plain computation over random payments', () => {
  it('on the share approved of each terminal', async () => {
    for (let round = 0; round < 25; round += 1) {
      const on = {
        within: random.pick(WINDOWS),
        filter: random.pick(NAMES),
        below: random.whole(1, 100),
        minPayments: random.pick([1, 4, 12]),
        ...thresholds(),
      };
      const { measured, figures } = await found(kinds.lowApproval, on);
      const watched = chosen(on).byTerminal.filter(([, own]) => own.length >= on.minPayments);
      const low = watched.filter(([, own]) => approvedShare(own) < on.below);
      expect(measured).toMatchObject({ affected: low.length, total: watched.length });
      expect(measured.isMet).toBe(isReached(on, measured));
      expectFigures(
        figures,
        low.map(([name, own]) => [name, approvedShare(own)]),
      );
      const shares = figures.map(({ value }) => value ?? 0);
      expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    }
  });

  it('on the share approved of all payments together', async () => {
    for (let round = 0; round < 25; round += 1) {
      const on = {
        within: random.pick(WINDOWS),
        filter: random.pick(NAMES),
        below: random.whole(60, 90),
        minPayments: random.pick([1, 40, 200]),
      };
      const { measured, figures } = await found(kinds.lowApproval, on);
      const { all } = chosen(on);
      const isMet = all.length >= on.minPayments && approvedShare(all) < on.below;
      const denied = all.filter(({ outcome }) => outcome === 'denied').length;
      expect(measured).toMatchObject({ affected: denied, total: all.length, isMet });
      if (all.length === 0) continue;
      expect(figures).toMatchObject([{ name: null, payments: all.length, to: now.toISOString() }]);
      expect(figures[0]?.value).toBeCloseTo(approvedShare(all), 9);
    }
  });

  it('on sums and single amounts', async () => {
    for (let round = 0; round < 25; round += 1) {
      const on = {
        within: random.pick(WINDOWS),
        filter: random.pick(NAMES),
        above: random.whole(50_000, 900_000),
      };
      const { all, byTerminal } = chosen(on);
      const together = await found(kinds.highSales, on);
      expect(together.measured.isMet).toBe(sumOf(all) >= on.above);
      if (all.length > 0)
        expect(together.figures).toMatchObject([{ value: sumOf(all), payments: all.length }]);
      const each = await found(kinds.highSales, { ...on, count: 1 });
      const high = byTerminal.filter(([, own]) => sumOf(own) >= on.above);
      expect(each.measured).toMatchObject({ affected: high.length, total: byTerminal.length });
      expectFigures(
        each.figures,
        high.map(([name, own]) => [name, sumOf(own)]),
      );
      const one = { ...on, above: random.whole(40_000, 95_000), percent: random.whole(1, 100) };
      const single = await found(kinds.largePayments, one);
      const large = byTerminal.filter(([, own]) => Math.max(...amountsOf(own)) >= one.above);
      expect(single.measured).toMatchObject({ affected: large.length, total: byTerminal.length });
      expect(single.measured.isMet).toBe(isReached(one, single.measured));
      expectFigures(
        single.figures,
        large.map(([name, own]) => [name, Math.max(...amountsOf(own))]),
      );
    }
  });

  it('on terminals without payments', async () => {
    const last = new Map(
      TERMINALS.map((name) => [
        name,
        Math.max(...payments.filter((each) => each.serialNumber === name).map(({ at }) => at)),
      ]),
    );
    const enabled = TERMINALS.slice(0, 10);
    for (let round = 0; round < 25; round += 1) {
      const on = {
        lasting: random.whole(5, 4_000) * MINUTE,
        ...thresholds(),
        filter: random.pick([ALL, { few: {} }]),
      };
      const { measured, figures } = await found(kinds.noPayments, on);
      const watched = on.filter !== ALL ? enabled.slice(0, 5) : enabled;
      const without = watched.filter((name) => (last.get(name) ?? 0) < now.getTime() - on.lasting);
      expect(measured).toMatchObject({ affected: without.length, total: watched.length, isQuiet: false });
      expect(measured.isMet).toBe(isReached(on, measured));
      const earliest = without.toSorted((a, b) => (last.get(a) ?? 0) - (last.get(b) ?? 0));
      expect(figures.map(({ name }) => name)).toEqual(earliest.slice(0, 10));
      for (const { name, from } of figures) expect(Date.parse(from ?? '')).toBe(last.get(name ?? ''));
    }
  });

  it('counts a terminal that had no payment for 30 days no more', async () => {
    server.clock.set(new Date(now.getTime() + 35 * DAY));
    const { measured } = await found(kinds.noPayments, { lasting: DAY, count: 1 });
    expect(measured).toMatchObject({ affected: 0, total: 0, isMet: false });
  });
});

it.each<[string, AlertKind<never>, object]>([
  ['lowApproval of each', kinds.lowApproval as never, { within: DAY, below: 99, minPayments: 1, count: 1 }],
  ['lowApproval of all', kinds.lowApproval as never, { within: DAY, below: 99, minPayments: 1 }],
  ['highSales of each', kinds.highSales as never, { within: HOUR, above: 1, count: 1 }],
  ['highSales of all', kinds.highSales as never, { within: HOUR, above: 1 }],
  ['largePayments', kinds.largePayments as never, { within: HOUR, above: 1, percent: 1 }],
  ['noPayments', kinds.noPayments as never, { lasting: HOUR, count: 1 }],
])('%s takes one statement to measure', async (_name, kind, on) => {
  const read = () =>
    server.app.units.read(server.acme.caller, (work) => kind.measure(work, on as never, tools));
  await read();
  const { statements } = await server.statements(read);
  expect(statements.filter((text) => /^\s*select/.test(text))).toHaveLength(1);
});
