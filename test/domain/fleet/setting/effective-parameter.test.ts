import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { effectiveParameters } from '../../../../src/domain/fleet/setting/parameter.service.js';
import type { Parameter } from '../../../../src/domain/fleet/setting/setting.model.js';

const AT = new Date('2026-11-21T00:00:00Z');
const audit = { revision: 1, createdAt: AT, updatedAt: AT, createdBy: 1, createdVia: 'api' } as const;

/** Parameters of one owner: each key once, in any order. */
const ownedBy = (owner: Pick<Parameter, 'groupId' | 'logicalNumberId'>): fc.Arbitrary<Parameter[]> =>
  fc.uniqueArray(
    fc.record({
      id: fc.nat(),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'A', 'á', 'ab'),
      value: fc.string(),
      description: fc.option(fc.string()),
      groupId: fc.constant(owner.groupId),
      logicalNumberId: fc.constant(owner.logicalNumberId),
      revision: fc.constant(audit.revision),
      createdBy: fc.constant(audit.createdBy),
      createdAt: fc.constant(AT),
      updatedAt: fc.constant(AT),
      createdVia: fc.constant('api' as const),
    }),
    { selector: ({ key }) => key },
  );

const own = ownedBy({ groupId: null, logicalNumberId: 1 });
const ofGroup = ownedBy({ groupId: 2, logicalNumberId: null });

describe('the effective parameters of a logical number', () => {
  it('are each key of either owner once, in order', () => {
    fc.assert(
      fc.property(own, ofGroup, (mine, inherited) => {
        const keys = [...new Set([...mine, ...inherited].map(({ key }) => key))].sort();
        expect(effectiveParameters(mine, inherited).map(({ key }) => key)).toEqual(keys);
      }),
    );
  });

  it("are the number's own where it has one, else the group's, and say which", () => {
    fc.assert(
      fc.property(own, ofGroup, (mine, inherited) => {
        const find = (all: readonly Parameter[], key: string) => all.find((one) => one.key === key);
        for (const { key, value, description, source, overridden } of effectiveParameters(mine, inherited)) {
          const first = find(mine, key);
          const winner = first ?? find(inherited, key);
          expect({ value, description }).toEqual({ value: winner?.value, description: winner?.description });
          expect(source).toBe(first === undefined ? 'GROUP' : 'LOGICAL_NUMBER');
          expect(overridden).toBe(first === undefined ? null : (find(inherited, key) ?? null));
        }
      }),
    );
  });

  it('leave what they were made from as it was', () => {
    fc.assert(
      fc.property(own, ofGroup, (mine, inherited) => {
        const before = structuredClone([mine, inherited]);
        effectiveParameters(mine, inherited);
        expect([mine, inherited]).toEqual(before);
      }),
    );
  });
});
