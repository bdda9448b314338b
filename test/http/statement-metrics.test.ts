import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { kindOf, statementMetrics } from '../../src/http/monitoring/metrics.js';

describe('measured SQL statements', () => {
  it.each([
    ['select 1', 'read'],
    ['  \nselect 1', 'read'],
    ['pragma data_version', 'read'],
    ['with t as (select 1) select * from t', 'read'],
    ['with t as (select 1) insert into groups select * from t', 'write'],
    ['with t as (select 1) update "groups" set name = ?', 'write'],
    ['insert into groups values (?)', 'write'],
    ['UPDATE groups SET name = ?', 'write'],
    ['delete from groups', 'write'],
    ['replace into groups values (?)', 'write'],
    ['', 'read'],
  ])('are of a kind: %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind);
  });

  it('take the time from their call to their end', async () => {
    const register = new Registry();
    let now = 0;
    const started = statementMetrics(register, { elapsed: () => now });
    const end = started('select 1');
    now += 250;
    end();
    expect(await register.metrics()).toContain('sql_statement_duration_seconds_sum{kind="read"} 0.25');
  });
});
