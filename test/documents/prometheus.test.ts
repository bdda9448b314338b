import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';

import { guide } from '../support/guide-servers.js';
import { itWith } from '../support/installed.js';
import { brokerAt } from '../support/mqtt/brokers.js';
import { removeFolder, scratchFolder } from '../support/scratch.js';
import { useServer } from '../support/server.js';
import { ALERT_CASES, MINUTES, type Series } from './alert-cases.js';
import { readDocument, ROOT } from './markdown.js';

const RULES = 'src/docs/operate/prometheus-rules.yml';
const DASHBOARD = 'src/docs/operate/grafana-dashboard.json';

const server = useServer({ mqtt: brokerAt(9) });
const PROMTOOL = 'promtool';
const itWithPromtool = itWith(PROMTOOL, '--version');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { groups } = parse(readDocument(RULES)) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(readDocument(DASHBOARD)) as { panels: Panel[] };
const queries = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

/** Metrics that an expression names: what is left without labels, durations, functions and words. */
function metricsOf(expression: string): readonly string[] {
  const names = expression
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .match(/(?<![\w.])[a-z_]\w*\b(?!\s*\()/g);
  return (names ?? []).filter((name) => !['and', 'or', 'unless', 'bool', 'offset'].includes(name));
}

/** Names of the samples of a server, and `up`, which Prometheus makes itself for each of them. */
async function presentMetrics(): Promise<ReadonlySet<string>> {
  const { text } = await server.anonymous.get('/metrics');
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)];
  const names = types.flatMap(([, name = '', type]) =>
    type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
  );
  return new Set(['up', ...names]);
}

function promtool(...args: readonly string[]): string {
  return execFileSync(PROMTOOL, args, { encoding: 'utf8', stdio: 'pipe' });
}

function fileWith(name: string, content: object): string {
  const folder = scratchFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, name);
  writeFileSync(file, stringify(content));
  return file;
}

const withPlace = (metric: string): string => {
  const [name = '', labels = ''] = metric.replace('}', '').split('{');
  return `${name}{${[labels, 'job="terminal-gateway"', 'instance="a"'].filter(Boolean).join()}}`;
};

/** A unit test of promtool: the alert fires near the end of some series, and not of others. */
function unitTest(rule: Rule): object {
  const { alert, labels, annotations } = rule;
  const rulesFile = fileWith('rules.yml', { groups: [{ name: 'one', rules: [rule] }] });
  const { fires, quiet, labels: own } = ALERT_CASES[alert] ?? { fires: {}, quiet: {}, labels: {} };
  const testOf = (series: Series, expected: readonly object[]) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([metric, values]) => ({ series: withPlace(metric), values })),
    alert_rule_test: [{ eval_time: `${MINUTES - 10}m`, alertname: alert, exp_alerts: expected }],
  });
  const fired = { exp_labels: { ...own, ...labels }, exp_annotations: annotations };
  return { rule_files: [rulesFile], tests: [testOf(fires, [fired]), testOf(quiet, [])] };
}

describe('the rules for Prometheus', () => {
  it('each have a case in which they fire', () => {
    expect(rules.map(({ alert }) => alert).toSorted()).toEqual(Object.keys(ALERT_CASES).toSorted());
  });

  it.each(rules)('$alert names metrics that a server has, a severity and what to do', async (rule) => {
    const present = await presentMetrics();
    const named = metricsOf(rule.expr);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !present.has(name))).toEqual([]);
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    for (const text of [rule.annotations.summary, rule.annotations.action])
      expect(text).toMatch(/^[A-Z].*\.$/);
  });

  it('are where the guide says, in a package that is installed as the guide of the service says', () => {
    const { name } = JSON.parse(readDocument('package.json')) as { name: string };
    const [, prefix = ''] = /npm install .*--prefix (\S+)/.exec(guide('operate/service')) ?? [];
    expect(guide('operate/monitoring')).toContain(`  - ${prefix}/lib/node_modules/${name}/${RULES}\n`);
  });

  itWithPromtool('are accepted by promtool', () => {
    expect(promtool('check', 'rules', join(ROOT, RULES))).toContain(`SUCCESS: ${rules.length} rules found`);
    return Promise.resolve();
  });

  itWithPromtool('each fire in their case, and not for a healthy server', () => {
    const files = rules.map((rule) => fileWith(`${rule.alert}.yml`, unitTest(rule)));
    const output = promtool('test', 'rules', ...files);
    const passed = files.filter((file) => output.includes(`Unit Testing:  ${file}\n  SUCCESS\n`));
    expect(passed).toEqual(files);
    return Promise.resolve();
  });
});

describe('the dashboard for Grafana', () => {
  it('shows only metrics that a server has', async () => {
    const present = await presentMetrics();
    expect(queries.length).toBeGreaterThan(20);
    const unknown = queries.flatMap(([title, expression]) => {
      const named = metricsOf(expression);
      return named.length > 0 && named.every((name) => present.has(name)) ? [] : [`${title}: ${expression}`];
    });
    expect(unknown).toEqual([]);
  });

  it('shows each metric that a rule looks at', () => {
    const shown = new Set(queries.flatMap(([, expression]) => metricsOf(expression)));
    const looked = new Set(rules.flatMap(({ expr }) => metricsOf(expr)));
    expect([...looked].filter((name) => !shown.has(name))).toEqual([]);
  });

  itWithPromtool('has expressions that promtool accepts', () => {
    const records = queries.map(([, expr], n) => ({
      record: `panel:${n}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    const file = fileWith('panels.yml', { groups: [{ name: 'panels', rules: records }] });
    expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${queries.length} rules found`);
    return Promise.resolve();
  });
});
