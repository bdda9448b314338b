/**
 * Transactions in bulk: rows a second that `POST /ingest/v1/transactions` stores durably, and what another company
 * notices of it. Not a test.
 *
 *   npm run bench:ingest -- [--rows N] [--streams N]
 */
import { readGauges } from '../support/gauges.js';
import { ingestRows, ndjson, openLines } from '../support/line-stream.js';
import { printNoticed, startBystanders, type Bystanders } from './bystanders.js';
import { buildDatabase } from './data.js';
import { numbersOf, print, processorTime, startServer, withDatabaseFile } from './servers.js';
import type { BenchServer } from './servers.js';

const { rows: ROWS, streams: STREAMS } = numbersOf({ rows: 40_000, streams: 1 });
/** Rows that are made and given to the connection at once. */
const PART = 500;

/** Sends the rows of a stream; resolves to the totals of the answer. */
async function send(url: string, token: string, first: number): Promise<unknown> {
  const stream = openLines(url, token);
  for (let sent = 0; sent < ROWS; sent += PART) {
    await stream.write(ndjson(ingestRows(Math.min(PART, ROWS - sent), first + sent)));
  }
  return (await stream.end()).lines.at(-1);
}

async function measure({ url, pid }: BenchServer, bystanders: Bystanders, token: string): Promise<void> {
  await bystanders.take();
  await readGauges(url);
  const [began, usedBefore] = [performance.now(), processorTime(pid)];
  const streams = Array.from({ length: STREAMS }, (_, n) => send(url, token, n * ROWS));
  const totals = await Promise.all(streams);
  const seconds = (performance.now() - began) / 1_000;
  const microseconds = ((processorTime(pid) - usedBefore) * 1e6) / (ROWS * STREAMS);
  for (const total of totals) print(JSON.stringify(total));
  print(`${Math.round((ROWS * STREAMS) / seconds)} rows a second (${seconds.toFixed(1)} s)`);
  print(`${Math.round(microseconds)} us of processor time for each row`);
  print(`longest delay of the event loop: ${(await readGauges(url)).loopDelay} ms`);
  printNoticed('meanwhile', await bystanders.take());
}

await withDatabaseFile(async (file) => {
  const { token, others } = await buildDatabase(file, { devices: 100, transactions: 0, wide: 0, others: 1 });
  const server = await startServer(`file:${file}`);
  const bystanders = await startBystanders(server.url, { 'another company': others[0] ?? '' });
  try {
    await measure(server, bystanders, token);
  } finally {
    bystanders.stop();
  }
});
