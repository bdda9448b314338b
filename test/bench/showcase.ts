/**
 * An experiment, never a test: the query from groups down to files on this server, and on the same stack written
 * plainly, on the same file and machine, in interleaved rounds.
 *
 *   npm run bench:graphql -- [--rounds N] [--milliseconds N]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { buildDatabase } from './data.js';
import type { Ask } from './load.js';
import { measure, report, say, start, stop, type Side, type Work } from './sides.js';

const { values: given } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    milliseconds: { type: 'string', default: '4000' },
  },
});
const ROUNDS = { rounds: Number(given.rounds), milliseconds: Number(given.milliseconds) };

const SHOWCASE = `query Showcase($groups: Int!) { groups(first: $groups) { totalCount nodes { name
  logicalNumbers(first: 20) { totalCount nodes { number
    appVersions(first: 5) { nodes { number app { name }
      files(first: 3) { nodes { name crc size } } } } } } } } }`;

const askFor = (groups: number, token: string): Ask => ({
  method: 'POST',
  path: '/graphql',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: () => JSON.stringify({ query: SHOWCASE, variables: { groups } }),
});

async function answerOf(side: Side, ask: Ask): Promise<{ data: unknown; bytes: number }> {
  const response = await fetch(side.url + ask.path, {
    method: ask.method,
    headers: { ...ask.headers },
    body: ask.body?.() ?? null,
  });
  const text = await response.text();
  const { data, errors } = JSON.parse(text) as { data: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`${side.name}: ${text.slice(0, 1_000)}`);
  return { data, bytes: text.length };
}

async function compareAnswers([one, other]: readonly [Side, Side], works: readonly Work[]): Promise<void> {
  for (const { name, ask } of works) {
    const [mine, theirs] = [await answerOf(one, ask), await answerOf(other, ask)];
    if (!isDeepStrictEqual(mine.data, theirs.data)) throw new Error(`The answers differ: ${name}`);
    say(`The answers are the same: ${name}, ${mine.bytes} bytes.`);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'terminal-gateway-bench-'));
const sides: Side[] = [];
try {
  const file = join(folder, 'bench.db');
  const { token } = await buildDatabase(file, 1_000);
  const settings = {
    DATABASE_URL: `file:${file}`,
    PORT: '0',
    RATE_LIMIT_PER_HOUR: '0',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  };
  const server = await start('server', '../../src/main.ts', ['serve'], settings);
  sides.push(server);
  const plain = await start('plain', 'plain.ts', [file], { NODE_ENV: 'production' });
  sides.push(plain);
  const works = [10, 1].map((groups) => ({
    name: `showcase, ${groups} of 50 groups`,
    ask: askFor(groups, token),
  }));
  await compareAnswers([server, plain], works);
  for (const connections of [1, 32]) {
    say(
      `Medians of ${ROUNDS.rounds} interleaved rounds of ${ROUNDS.milliseconds} ms, ${connections} connections, Node ${process.version}:`,
    );
    report([server, plain], works, await measure([server, plain], works, { ...ROUNDS, connections }));
  }
} finally {
  for (const side of sides) await stop(side);
  rmSync(folder, { recursive: true, force: true });
}
