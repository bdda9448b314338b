import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { fileOf, urlOf } from '../support/databases/sqlite-place.js';
import { chainedCompany, verify, writeGroups } from './chained-company.js';

describe('AT-35 audit verify', () => {
  it('refuses to verify a file that entries were cut off from', async () => {
    const { cli } = await chainedCompany();
    const [, last = ''] = (await verify(cli)).acme.head?.split(',') ?? [];
    await cli.place.unprotectLedger();
    await cli.place.sql('delete from ledger where sequence > $1', [Number(last) - 3]);
    const { acme: afterCut } = await verify(cli).catch(() => ({ acme: null }));
    // The marker beside the file says that acknowledged changes are missing: commands are refused.
    expect(afterCut).toBeNull();
  });

  it('is sound in a restored backup; a history put back to it is found by the noted head', async () => {
    const { cli, token } = await chainedCompany();
    const early = join(cli.folder, 'early.db');
    expect((await cli.run(['db', 'backup', early])).code).toBe(0);
    const server = await cli.serve();
    await writeGroups(server.url, token, 'later', 5);
    await server.stop();
    const { acme } = await verify(cli);
    const head = acme.head ?? '';
    expect((await verify(cli, '--expect', head)).code).toBe(0);
    const restored = cli.with({
      DATABASE_URL: urlOf(join(cli.folder, 'restored.db')),
      TOKEN_SECRET_FILE: `${fileOf(cli.place)}.secret`,
    });
    expect((await restored.run(['db', 'restore', early])).code).toBe(0);
    expect((await restored.run(['db', 'check'])).code).toBe(0);
    expect((await verify(restored)).code).toBe(0);
    const found = await verify(restored, '--expect', head);
    expect(found).toMatchObject({ code: 3, acme: { damages: [{ sequence: Number(head.split(',')[1]) }] } });
  });
});
