import { Counter, Histogram, type Registry } from 'prom-client';

import { SECOND, type Clock } from '../../platform/clock.js';

const BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const WRITES = /\b(?:insert\s+into|update\s+"?[a-z_]+"?\s+set|delete\s+from)\b/i;

export type StatementKind = 'read' | 'write';
/** To be called at the end of a statement. */
type End = () => void;

/** Measures SQL statements: `started` is called with the text of each. */
export function statementMetrics(register: Registry, clock: Pick<Clock, 'elapsed'>): (sql: string) => End {
  const totals: Record<StatementKind, number> = { read: 0, write: 0 };
  new Counter({
    ...{
      name: 'sql_statements_total',
      help: 'SQL statements (read, write), without those that begin and end transactions.',
    },
    ...{ labelNames: ['kind'], registers: [register] },
    collect() {
      this.reset();
      for (const [kind, total] of Object.entries(totals)) this.inc({ kind }, total);
    },
  });
  const durations = new Histogram({
    ...{ name: 'sql_statement_duration_seconds', help: 'From the call of a statement to its result.' },
    ...{ labelNames: ['kind'], buckets: BUCKETS, registers: [register] },
  });
  return (sql) => {
    const kind = kindOf(sql);
    const started = clock.elapsed();
    return () => {
      totals[kind] += 1;
      durations.observe({ kind }, (clock.elapsed() - started) / SECOND);
    };
  };
}

/** By the first word; that of a statement with `with` comes later. */
export function kindOf(sql: string): StatementKind {
  const word = /[a-z]/i.exec(sql)?.[0]?.toLowerCase() ?? '';
  if (word === 'w') return WRITES.test(sql) ? 'write' : 'read';
  return ['i', 'u', 'd', 'r'].includes(word) ? 'write' : 'read';
}
