import { describe, expect, it } from 'vitest';

import { PlanRun, Unplanned } from '../../src/graphql/plan/run.js';

const rows = (bytes: number): object[] => [{ value: 'x'.repeat(bytes) }];
const MIB = 1024 * 1024;

describe('a plan', () => {
  it('is given up at once where its rows have more bytes than a planned response may have', () => {
    const run = new PlanRun(null as never, {});
    const large = { isLarge: true };
    expect(run.counted(large, rows(3 * MIB))).toHaveLength(1);
    expect(() => run.counted(large, rows(2 * MIB))).toThrow(Unplanned);
  });

  it('counts rows of lists only that may be large', () => {
    expect(new PlanRun(null as never, {}).counted({ isLarge: false }, rows(5 * MIB))).toHaveLength(1);
  });
});
