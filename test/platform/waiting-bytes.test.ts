import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { HeldBytes, WaitingBytes, waitingLimits } from '../../src/platform/limits/waiting-bytes.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const LIMITS = { all: 16 * MIB, ofCompany: 4 * MIB };
const LARGE_OF_COMPANY = 3 * MIB;
const LARGE_OF_ALL = 12 * MIB;

const busy = expect.objectContaining({ code: 'busy', details: { retryAfter: 5 } }) as unknown;

describe('the budget of bytes that wait for clients', () => {
  const step = fc.record({
    response: fc.nat(11),
    company: fc.nat(3),
    bytes: fc.oneof(fc.nat(64 * KIB), fc.nat(6 * MIB)),
    what: fc.constantFrom('add', 'add', 'resize', 'taken', 'release'),
  });

  it('LS-10 never exceeds a limit and is empty when every response is released', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const budget = new WaitingBytes(LIMITS);
        const open = new Map<number, HeldBytes>();
        const sum = (): number => [...open.values()].reduce((bytes, held) => bytes + held.bytes, 0);
        for (const { response, company, bytes, what } of steps) {
          const held = open.get(response) ?? new HeldBytes(budget, company === 3 ? null : company);
          open.set(response, held);
          const before = held.bytes;
          try {
            if (what === 'release') held.release();
            else held[what](bytes);
          } catch {
            expect(held.bytes).toBe(before);
          }
          if (what === 'release') open.delete(response);
          expect(budget.bytes).toBe(sum());
          expect(budget.bytes).toBeLessThanOrEqual(LIMITS.all);
          for (const id of [0, 1, 2, null]) {
            expect(budget.bytesOf(id)).toBeGreaterThanOrEqual(0);
            expect(budget.bytesOf(id)).toBeLessThanOrEqual(LIMITS.ofCompany);
          }
        }
        for (const held of open.values()) held.release();
        expect([budget.bytes, ...[0, 1, 2, null].map((id) => budget.bytesOf(id))]).toEqual([0, 0, 0, 0, 0]);
        // Nothing of the past counts against the largest response there can be.
        budget.hold(1, LARGE_OF_ALL).release();
      }),
    );
  });

  it('has room for one large response of a company beyond its limit, and for small ones besides', () => {
    const budget = new WaitingBytes(LIMITS);
    const large = budget.hold(1, 5 * MIB);
    expect(() => budget.hold(1, 5 * MIB)).toThrow(busy);
    budget.hold(1, LARGE_OF_COMPANY);
    expect(() => budget.hold(1, 100 * KIB)).toThrow(busy);
    budget.hold(1, 64 * KIB);
    budget.hold(2, 2 * MIB);
    large.release();
    budget.hold(1, 5 * MIB);
  });

  it('keeps a quarter of each limit for small responses', () => {
    const budget = new WaitingBytes(LIMITS);
    for (const company of [1, 2, 3]) budget.hold(company, 4 * MIB);
    expect(() => budget.hold(4, 100 * KIB)).toThrow(busy);
    const count = { held: 0 };
    const fill = (): void => {
      for (;;) {
        budget.hold(4, 64 * KIB);
        count.held += 1;
      }
    };
    expect(fill).toThrow(busy);
    expect(count.held).toBe(LIMITS.ofCompany / (64 * KIB));
    expect(() => budget.demandRoom(4)).toThrow(busy);
  });

  it('refuses beforehand what was too large when it was asked for the last time', () => {
    const budget = new WaitingBytes(LIMITS);
    const list = () => 'GET /v1/metacontents';
    budget.expect(1, list, 5 * MIB);
    budget.demandRoom(1, list);
    const held = budget.hold(1, 5 * MIB);
    expect(() => budget.demandRoom(1, list)).toThrow(busy);
    expect(budget.refused).toBe(1);
    budget.demandRoom(1, () => 'GET /v1/groups');
    budget.demandRoom(2, list);
    budget.expect(1, list, 100);
    budget.demandRoom(1, list);
    held.release();
  });

  it('knows nothing of a request that is nested too deeply to become text', () => {
    const budget = new WaitingBytes(LIMITS);
    budget.expect(1, () => 'GET /v1/groups', 5 * MIB);
    const nested = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    expect(() => JSON.stringify(nested)).toThrow(RangeError);
    budget.demandRoom(1, () => JSON.stringify(nested));
    budget.expect(1, () => JSON.stringify(nested), 5 * MIB);
  });

  it('says of a response that could never be sent that it is too large', () => {
    expect(() => new WaitingBytes(LIMITS).hold(1, LARGE_OF_ALL + 1)).toThrow(
      expect.objectContaining({ code: 'malformed' }) as Error,
    );
  });

  it.each([
    [128 * MIB, 64 * MIB],
    [512 * MIB, 256 * MIB],
    [4_096 * MIB, 256 * MIB],
  ])('follows the heap: of %i bytes', (heap, all) => {
    expect(waitingLimits(heap)).toEqual({ all, ofCompany: all / 4 });
  });
});
