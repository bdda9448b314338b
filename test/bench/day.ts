/**
 * Measures a day's work on a SQLite file and on PostgreSQL with the same records, beside others who read and write: searches,
 * exports of all transactions as CSV and NDJSON, and the import of a fleet with a change of its group. Not a test.
 *
 *   npm run bench:day -- [--devices N] [--transactions N] [--fleet N] [--searches N]
 *
 * Each device has a logical number, so twice as many records are searched. 0 leaves a part out.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { killPrograms } from '../support/program.js';
import { at, beside, ofOthers, PAUSE_MS, timed } from './beside.js';
import { onBoth } from './both-databases.js';
import { buildDatabase, serialOf, type BenchData } from './data.js';
import { numbersOf, print, printTable, startServer, withDatabaseFile } from './servers.js';

const { devices, transactions, fleet, searches } = numbersOf({
  devices: 500_000,
  transactions: 1_000_000,
  fleet: 10_000,
  searches: 300,
});

type Rows = string[][];
const HEADINGS = ['', 'records', 'seconds', 'MB', 'p50 ms', 'p95 ms', 'others', 'p95 ms', 'most ms'];

const random = (below: number): number => Math.floor(Math.random() * below);

class Day {
  readonly rows: Rows = [];

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async send(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<string> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    if (body instanceof FormData) headers['apollo-require-preflight'] = '1';
    else if (body !== undefined) headers['content-type'] = 'application/json';
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
    const response = await fetch(`${this.url}${path}`, { method, headers, body: sent ?? null });
    const text = await response.text();
    if (!response.ok || text.startsWith('{"errors"')) throw new Error(`${path}: ${text.slice(0, 500)}`);
    return text;
  }

  readonly readDevice = (): Promise<string> => this.send(`/v1/devices/${1 + random(devices)}`);

  readonly writeDevice = (): Promise<string> => {
    const enabled = Math.random() < 0.5;
    return this.send(`/v1/devices/${serialOf(random(devices))}`, { enabled }, 'PUT');
  };

  async search(): Promise<void> {
    const query = 'query ($text: String!) { search(text: $text, first: 20) { nodes { name } } }';
    const own: number[] = [];
    const { seconds, times } = await beside(async () => {
      for (let n = 0; n < searches; n += 1) {
        // Ends and parts of serial numbers and logical numbers, and beginnings of both.
        const digits = String(random(devices) + 100_000);
        const text = [digits, digits.slice(1, 5), digits.slice(-3), `IM5000${digits.slice(0, 3)}`][n % 4];
        own.push(await timed(() => this.send('/graphql', { query, variables: { text } })));
      }
    }, this.writeDevice);
    const figures = [`${2 * devices}`, seconds, '', at(own, 0.5), at(own, 0.95)];
    this.rows.push([`${searches} searches, others write`, ...figures, ...ofOthers(times)]);
  }

  async export(format: 'csv' | 'ndjson'): Promise<void> {
    const path = `/export/v1/transactions?format=${format}&totals=1`;
    const { result, seconds, times } = await beside(() => this.fetched(path), this.readDevice);
    const { totals } = JSON.parse(result.last.replace(/^# /, '')) as { readonly totals: { count: number } };
    const figures = [`${totals.count}`, seconds, (result.bytes / 1e6).toFixed(0), '', ''];
    this.rows.push([`export as ${format}, others read`, ...figures, ...ofOthers(times)]);
  }

  /** Length and last line of a response, which is not kept. */
  private async fetched(path: string) {
    const { body, ok } = await fetch(`${this.url}${path}`, {
      headers: { authorization: `Bearer ${this.token}` },
    });
    if (!ok || body === null) throw new Error(`${path} was refused.`);
    let [bytes, end] = [0, ''];
    for await (const piece of body as ReadableStream<Uint8Array>) {
      bytes += piece.length;
      end = (end + Buffer.from(piece).toString()).slice(-2_000);
    }
    return { bytes, last: end.trimEnd().split('\n').at(-1) ?? '' };
  }

  async enrol(): Promise<void> {
    const lines = Array.from({ length: fleet }, (_, n) => `NEW-${n},new ${n},Group ${n % 50},yes`);
    const form = new FormData();
    const query = 'mutation ($file: Upload!) { fleetImport(input: { file: $file }) { job { id } } }';
    form.set('operations', JSON.stringify({ query, variables: { file: null } }));
    form.set('map', '{"0":["variables.file"]}');
    form.append(
      '0',
      new Blob([['serial_number,logical_number,group,enabled', ...lines].join('\n')]),
      'fleet.csv',
    );
    await this.job('import of a fleet, others read', () => this.send('/graphql', form));
    const filter = { serialNumber: { startsWith: 'NEW-' } };
    const variables = { filter, groupId: Buffer.from('Group:1').toString('base64url') };
    const move = `mutation ($filter: DeviceFilter!, $groupId: ID!) {
      deviceBulkChange(target: { filter: $filter }, change: { groupId: $groupId, force: true }) { job { id } } }`;
    await this.job('its move to a group, others read', () =>
      this.send('/graphql', { query: move, variables }),
    );
  }

  /** Sends a request that starts a job, and waits for its end. */
  private async job(name: string, start: () => Promise<string>): Promise<void> {
    const { result, seconds, times } = await beside(async () => {
      const [, id = ''] = /"id":"([^"]+)"/.exec(await start()) ?? [];
      const query = 'query ($id: ID!) { job(id: $id) { state done } }';
      for (;;) {
        const { data } = JSON.parse(await this.send('/graphql', { query, variables: { id } })) as JobReply;
        if (data.job.state === 'DONE') return data.job.done;
        if (data.job.state === 'FAILED') throw new Error(`${name}: the job has failed.`);
        await sleep(PAUSE_MS);
      }
    }, this.readDevice);
    this.rows.push([name, `${result}`, seconds, '', '', '', ...ofOthers(times)]);
  }
}

interface JobReply {
  readonly data: { readonly job: { readonly state: string; readonly done: number } };
}

async function measure(databaseUrl: string, { token }: BenchData): Promise<void> {
  const { url } = await startServer(databaseUrl);
  const day = new Day(url, token);
  await day.readDevice();
  if (searches > 0) await day.search();
  if (transactions > 0) for (const format of ['csv', 'ndjson'] as const) await day.export(format);
  if (fleet > 0) await day.enrol();
  await killPrograms();
  printTable([HEADINGS, ...day.rows]);
}

await withDatabaseFile(async (file) => {
  print(`Building a database of ${devices} devices and ${transactions} transactions ...`);
  const data = await buildDatabase(file, { devices, transactions, wide: 0, others: 1 });
  await onBoth(file, (url) => measure(url, data));
});
