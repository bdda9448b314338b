import { sql } from 'kysely';
import { expect, it } from 'vitest';

import { specialSql } from '../../../../src/database/company/company-rows.js';
import type { ReadWork } from '../../../../src/database/work.js';
import { selectReplaced } from '../../../../src/domain/messages/command/command.repository.js';
import { sendCommand } from '../../../../src/domain/messages/command/command.service.js';
import { selectWaiting } from '../../../../src/domain/messages/notification/dispatch.repository.js';
import { laneOf } from '../../../../src/domain/messages/notification/notification.model.js';
import { addCompany, openNodes } from '../../../support/postgres/nodes.js';

const { node, admin } = openNodes(1);
const [DEVICES, AT_ONCE, PART] = [5_000, 500, 80];

/** Rows of deliveries that PostgreSQL has read in this transaction. */
async function rowsRead(work: ReadWork): Promise<number> {
  const { rows } = await sql<{ read: string }>`select seq_tup_read + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = 'notification_deliveries'`.execute(specialSql(work).db);
  return Number(rows[0]?.read);
}

it('what waits for some devices is found without reading what waits for all others', async () => {
  const { caller } = await addCompany(node(0));
  await admin(
    `insert into devices (company_id, id, serial_number, enabled, meta, revision, created_at, updated_at, created_via)
     select $1, id, 'SN-' || id, true, '{}', 1, now(), now(), 'api' from generate_series(1000, $2::int) as new (id)`,
    [caller.companyId, 999 + DEVICES],
  );
  // As in the first minute of a new database: PostgreSQL knows of no delivery yet.
  await admin('vacuum analyze', []);
  const ids = Array.from({ length: DEVICES }, (_, n) => 1_000 + n);
  const own = ids.slice(0, PART);
  const lanes = own.flatMap((id) => [laneOf(id, true), laneOf(id, false)]);
  const { units } = node(0);
  const readBy = async (read: (work: ReadWork) => Promise<{ length: number } | { size: number }>) =>
    await units.read(caller, async (work) => {
      const before = await rowsRead(work);
      const found = await read(work);
      expect('size' in found ? found.size : found.length).toBe(PART);
      return (await rowsRead(work)) - before;
    });
  const both = async (): Promise<readonly number[]> => [
    await readBy((work) => selectReplaced(work, own, { id: 0, action: 'REBOOT' })),
    await readBy((work) => selectWaiting(work, lanes, 1)),
  ];
  const send = async (first: number): Promise<void> => {
    await units.write(caller, (work) =>
      sendCommand(work, { action: 'REBOOT' }, ids.slice(first, first + AT_ONCE)),
    );
  };
  await send(0);
  // Any index may be looked up while there are so few, but once for each place in the queue.
  for (const read of await both()) expect(read).toBeLessThan((lanes.length + 1) * AT_ONCE);
  for (let first = AT_ONCE; first < DEVICES; first += AT_ONCE) await send(first);
  for (const read of await both()) expect(read).toBeLessThan(DEVICES);
});
