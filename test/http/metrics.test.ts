import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';

import { firstCells, readDocument } from '../documents/markdown.js';
import { brokerAt } from '../support/mqtt/brokers.js';
import { ownServer, useServerPerTest } from '../support/server.js';

const server = useServerPerTest(
  { rateLimitPerHour: 5 },
  { lostLogLines: () => 7, examining: { deadlineMs: 300 } },
);

/** Units and their short forms that the rules of promtool (promlint) refuse. */
const OTHER_UNITS =
  /^(ms|us|ns|sec|s|m|h|d|b|kb|mb|gb|tb|pb|(milli|micro|nano|kilo|centi|deci)(seconds?|bytes?|meters?|grams?)|minutes?|hours?|days?|weeks?|(kilo|mega|giga|tera|kibi|mebi|gibi|tebi)?bits?|(kilo|mega|giga|tera|kibi|mebi|gibi|tebi)bytes?|percent|percentage|celsius|fahrenheit)$/;

describe('/metrics', () => {
  it('counts requests by method, path template and status, and measures their duration', async () => {
    const { client } = server.acme;
    await client.get('groups/nobody');
    await client.get('groups/somebody');
    const labels = 'method="GET",path="/v1/groups/{group_name}"';
    await expect.poll(() => server.metric(`http_requests_total{${labels},status="404"}`)).toBe(2);
    expect(await server.metric(`http_request_duration_seconds_count{${labels}}`)).toBe(2);
    expect(await server.metric(`http_request_duration_seconds_bucket{le="30",${labels}}`)).toBe(2);
    const { text } = await server.anonymous.get('/metrics');
    // A table is named access_tokens.
    expect(text).not.toMatch(/nobody|somebody|access_token(?!s)/);
  });

  it('counts requests refused by the rate limit', async () => {
    expect(await server.metric('http_rate_limited_total')).toBe(0);
    for (let n = 0; n < 8; n += 1) await server.acme.client.get('groups');
    expect(await server.metric('http_rate_limited_total')).toBe(3);
  });

  it('counts masked card data and lost log lines, each once', async () => {
    server.app.metrics.count('cardDataScrubs', 2);
    server.app.metrics.count('cardDataScrubs', 1);
    expect(await server.metric('card_data_scrubs_total')).toBe(3);
    expect([
      await server.metric('log_lines_lost_total'),
      await server.metric('log_lines_lost_total'),
    ]).toEqual([7, 7]);
  });

  it('has metrics of the process and the size of the database', async () => {
    expect(await server.metric('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(await server.metric('database_size_bytes{part="file"}')).toBeGreaterThan(1e4);
    expect(await server.metric('database_size_bytes{part="log"}')).toBeGreaterThanOrEqual(0);
    const reply = await server.anonymous.get('/metrics');
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  });

  it('has names that `promtool check metrics` accepts', async () => {
    const other = await ownServer({ mqtt: brokerAt(9) });
    const { text } = await other.anonymous.get('/metrics');
    const described = new Set(Array.from(text.matchAll(/^# HELP (\w+) \S/gm), ([, name = '']) => name));
    const metrics = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
    expect(metrics.length).toBeGreaterThan(60);
    const problems = metrics.flatMap(([, name = '', type = '']) => {
      const words = name.split('_');
      const samples = text
        .split('\n')
        .filter((line) => new RegExp(`^${name}(_bucket|_count|_sum)?[{ ]`).test(line));
      const labels = samples.flatMap((line) =>
        [...line.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label),
      );
      const found: readonly (readonly [boolean, string])[] = [
        [!described.has(name), 'no help text'],
        [/[^a-z0-9_]/.test(name + labels.join('')), 'not in snake case'],
        [(type === 'counter') !== name.endsWith('_total'), 'counters, and no others, end in _total'],
        [/_(bucket|count|sum)$/.test(name), 'ends like a part of a histogram'],
        [type !== 'histogram' && labels.includes('le'), 'has the label of histograms'],
        [type !== 'summary' && labels.includes('quantile'), 'has the label of summaries'],
        [words.some((word) => /^(counter|gauge|histogram|summary)$/.test(word)), 'names its type'],
        [words.some((word) => OTHER_UNITS.test(word)), 'has another unit than seconds, bytes or ratio'],
      ];
      return found.flatMap(([isFound, problem]) => (isFound ? [`${name}: ${problem}`] : []));
    });
    expect(problems).toEqual([]);
  });

  it('has all metrics of the process that prom-client has, but those of garbage collection', async () => {
    const register = new Registry();
    collectDefaultMetrics({ register });
    const namesIn = (text: string): string[] =>
      [...text.matchAll(/^# TYPE ((?:process|nodejs)_\w+)/gm)].map(([, name = '']) => name);
    const expected = namesIn(await register.metrics());
    expect(expected).toContain('nodejs_gc_duration_seconds');
    const { text } = await server.anonymous.get('/metrics');
    const left = expected.filter((name) => !/^nodejs_(gc_duration_seconds|active_\w+_total)$/.test(name));
    expect(namesIn(text).sort()).toEqual(left.sort());
  });

  it('counts reads that examine many rows, their deadlines and threads', async () => {
    const { app, acme } = server;
    const state = 'database_examining_reads{state="running"}';
    const deadlines = 'database_deadlines_exceeded_total';
    expect([await server.metric('database_reader_threads'), await server.metric(deadlines)]).toEqual([0, 0]);
    const seen = app.units.read(acme.caller, () => server.metric(state), { examines: true });
    expect(await seen).toBe(1);
    // A thread is given back in the background.
    await expect.poll(() => server.metric(state)).toBe(0);
    const endless = app.units.read(acme.caller, () => new Promise(() => undefined), { examines: true });
    await expect(endless).rejects.toMatchObject({ code: 'deadline_exceeded' });
    // A thread stays for a while; a connection does not.
    expect([0, 1]).toContain(await server.metric('database_reader_threads'));
    expect(await server.metric(deadlines)).toBe(1);
    expect(await server.metric('database_examining_reads{state="waiting"}')).toBe(0);
    expect(await server.metric('database_reader_threads_lost_total')).toBe(0);
  });

  it('has the metrics that src/docs/operate/monitoring.md lists, and those of the process', async () => {
    const other = await ownServer({ mqtt: brokerAt(9) });
    const { text } = await other.anonymous.get('/metrics');
    const present = Array.from(text.matchAll(/^# TYPE (\w+)/gm), ([, name = '']) => name);
    const listed = firstCells(readDocument('src/docs/operate/monitoring.md'), 'Metric');
    expect(present.filter((name) => !/^(process|nodejs)_/.test(name)).toSorted()).toEqual(listed.toSorted());
  });
});
