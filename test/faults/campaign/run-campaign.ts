/**
 * Attacks a server with mutated requests over every route, document and transport. Exits with 1 on findings.
 *
 *   npm run campaign -- [--minutes N] [--seed N]
 *
 * A seed sends the same requests in the same order each time, with tokens and times of its own run. Requests are made
 * from the route table and the schema, so a new route or field needs nothing here.
 *
 * Findings are: a 5xx that is no documented 503, a fault in the log, an answer that does not fit the OpenAPI document or the
 * GraphQL document, texts of the other company, tokens, card numbers, stacks, paths or SQL in an answer or log line, a change
 * of the other company's rows, a health check without answer, growing memory, the end of the process. Each is printed with a
 * request for `nc`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { MINUTE, SECOND } from '../../../src/platform/clock.js';
import { runCampaign, type CampaignResult } from './campaign.js';
import { repeatCommand } from './requests/attempt.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-campaign-'));
const started = performance.now();

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

function line({ responses, kinds, memory }: CampaignResult): string {
  const seconds = Math.round((performance.now() - started) / SECOND);
  const total = Object.values(responses).reduce((all, counts) => all + sum(counts), 0);
  return `${seconds} s: ${total} requests, ${sum(kinds)} findings, ${memory.at(-1) ?? 0} MB`;
}

let shownAt = 0;
function showProgress(result: CampaignResult): void {
  const every = process.stdout.isTTY ? SECOND : MINUTE / 2;
  if (performance.now() - shownAt < every) return;
  shownAt = performance.now();
  if (process.stdout.isTTY) process.stdout.write(`\r\u001b[K${line(result)}`);
  else print(line(result));
}

function showSummary({ responses, findings, kinds, memory }: CampaignResult): void {
  print('');
  for (const { kind, detail, attempt } of findings) {
    print(`FINDING: ${kind}: ${detail}`);
    if (attempt !== null) print(repeatCommand(attempt));
    print('');
  }
  const classes = ['2xx', '3xx', '4xx', '5xx', 'none'];
  print(['surface', 'requests', ...classes].map((cell) => cell.padStart(9)).join(''));
  for (const [surface, counts] of Object.entries(responses)) {
    const cells = [surface, sum(counts), ...classes.map((each) => counts[each] ?? 0)];
    print(cells.map((cell) => String(cell).padStart(9)).join(''));
  }
  print(
    `\nMemory ${memory[0] ?? 0} MB at first, ${Math.max(...memory)} MB at most, ${memory.at(-1) ?? 0} MB at the end.`,
  );
  print(`Seed ${seed}: ${sum(kinds)} findings${sum(kinds) === 0 ? '' : `: ${JSON.stringify(kinds)}`}.`);
}

try {
  print(`Seed ${seed}, ${values.minutes} minutes.`);
  const result = await runCampaign({
    file: join(folder, 'gateway.db'),
    seed,
    milliseconds: Number(values.minutes) * MINUTE,
    onProgress: showProgress,
  });
  showSummary(result);
  process.exitCode = sum(result.kinds) === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
