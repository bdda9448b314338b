import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';

import { it } from '../support/cli-test.js';
import type { Fields } from '../support/client.js';
import { ingestRow, ndjson } from '../support/line-stream.js';
import { ACCEPTED_TIMESTAMPS, REFUSED_TIMESTAMPS } from '../support/timestamps.js';

const TEXTS = [...ACCEPTED_TIMESTAMPS.map(([text]) => text), ...REFUSED_TIMESTAMPS];
const rows = TEXTS.map((text, n) =>
  ingestRow(n, { status: 'running', parsed: null, finished_at: null, started_at: text }),
);

/** CSV with the same rows, each cell in quotes. */
function csvOf(all: readonly Fields[]): string {
  const names = Object.keys(ingestRow(0));
  const cells = all.map((row) => names.map((name) => `"${(row[name] as string | null) ?? ''}"`).join(','));
  return [names.join(','), ...cells].join('\n');
}

describe('RU-24 a timestamp on the command line', () => {
  it.for<[string, string]>([
    ['rows.ndjson', ndjson(rows)],
    ['rows.csv', csvOf(rows)],
  ])('is read in the rows of %s as everywhere', async ([name, text], { cli, token }) => {
    const file = join(cli.folder, name);
    writeFileSync(file, text);
    const imported = await cli.run(['transaction', 'import', file, '--company', 'Acme']);
    const refused = REFUSED_TIMESTAMPS.length;
    expect(imported.lines).toEqual([
      `${TEXTS.length} rows: ${ACCEPTED_TIMESTAMPS.length} created, 0 repeated, ${refused} rejected`,
    ]);
    const server = await cli.serve();
    const query = { per_page: 100 };
    const stored = (await server.client(token).get('transactions', undefined, { query })).list(
      'transactions',
    );
    expect(stored.map((row) => row.started_at).sort()).toEqual(
      ACCEPTED_TIMESTAMPS.map(([, instant]) => instant.replace(/[.]\d+/, '')).sort(),
    );
  });

  it('is read as --expires of a token', async ({ cli }) => {
    const create = async (expires: string) => {
      const words = 'token create --company Acme --email ana@acme.example --json --name x --scopes read';
      return await cli.run([...words.split(' '), '--expires', expires]);
    };
    const later = (text: string): string => text.replace(/^20\d\d-\d\d/, '2099-01');
    for (const [text, instant] of ACCEPTED_TIMESTAMPS.filter(([form]) => !form.includes(':60'))) {
      const { expires_at } = (await create(later(text))).object();
      expect(expires_at, text).toBe(later(instant));
    }
    const [day, leap] = [await create('2098-12-31'), await create('2098-12-31T23:59:60Z')];
    expect([day.object().expires_at, leap.object().expires_at]).toEqual([
      '2098-12-31T23:59:59.999Z',
      '2099-01-01T00:00:00.000Z',
    ]);
    for (const text of REFUSED_TIMESTAMPS) {
      expect((await create(text)).stderr, text).toContain('--expires: must be YYYY-MM-DD or a timestamp');
    }
  });
});
