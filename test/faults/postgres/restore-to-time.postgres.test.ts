import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished } from 'vitest';

import { ServerTools } from '../../../src/database/postgres/tools.js';
import { readDocument } from '../../documents/markdown.js';
import { createWebhook } from '../../domain/base/webhook/hooks.js';
import { useReceiver, type Received } from '../../domain/base/webhook/receiver.js';
import { fleet } from '../../support/fleet.js';
import { createGraphql } from '../../support/graphql.js';
import { OTHER_USER, ownedByServer, type OwnServer } from '../../support/postgres/boot.js';
import { baseBackup, installedPostgres, WITHOUT_POSTGRES } from '../../support/postgres/installed.js';
import { killPrograms, startProgram } from '../../support/program.js';
import { issueToken } from '../../support/terminals.js';
import { itUnless } from '../machine.js';
import { addCompany } from './gateway.js';

const GUIDE = 'src/docs/operate/point-in-time.md';
const receiver = useReceiver();
afterEach(killPrograms);

/** A folder of the servers' user. */
function folderOf(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder, { mode: 0o700 });
  ownedByServer(folder);
  return folder;
}

async function serve(url: string, token: string) {
  const program = await startProgram(url, {
    environment: { WEBHOOK_NETWORKS: '127.0.0.1', TOKEN_SECRET: 'the secret of both servers: 0123456789' },
  });
  const client = program.client(token);
  await expect.poll(async () => (await client.get('groups')).status).toBe(200);
  return { program, client, graphql: createGraphql(program.url, token) };
}

type Serving = Awaited<ReturnType<typeof serve>>;

interface Taken {
  readonly id: string;
  readonly message: string;
}

/** Sends a message to a group; resolves to what its terminal gets and confirms. */
async function sendAndTake({ client, program }: Serving, content: string, group: number, token: string) {
  const sent = await client.post('notifications', { content, range: 'group', group_id: group });
  expect(sent.status, sent.text).toBeLessThan(300);
  const terminal = program.client(null);
  const headers = { authorization: `Bearer ${token}` };
  const path = '/terminal/v1/notifications';
  const { body } = await terminal.get(path, undefined, { headers, query: { wait: 10 } });
  const taken = body.notifications as readonly Taken[];
  for (const { id } of taken)
    await terminal.post(`${path}/confirm`, { type: 'pnconf', event: id }, { headers });
  return taken[0];
}

const idOf = ({ headers }: Received): string => String(headers['webhook-id']);

/** Ends a server whose log is archived, and starts one that applies it up to a time. */
async function restoredTo(
  time: string,
  base: string,
  archive: string,
  primary: OwnServer,
): Promise<OwnServer> {
  const restored = await primary.another((data) => {
    execFileSync('cp', ['-a', `${base}/.`, data], OTHER_USER);
    appendFileSync(
      join(data, 'postgresql.auto.conf'),
      `restore_command = 'cp ${archive}/%f %p'
recovery_target_time = '${time}'
recovery_target_action = 'promote'
`,
    );
    writeFileSync(join(data, 'recovery.signal'), '');
  }, {});
  onTestFinished(() => restored.stop());
  await expect.poll(() => restored.admin('select pg_is_in_recovery() as is')).toEqual([{ is: false }]);
  return restored;
}

describe('restoring to a point in time', () => {
  itUnless(WITHOUT_POSTGRES)(
    'undoes what came later; receivers and terminals get its ids again with other contents',
    async () => {
      // The users of PostgreSQL may not enter the usual folders of tests.
      const parent = mkdtempSync(join(tmpdir(), 'terminal-gateway-archive-'));
      chmodSync(parent, 0o755);
      onTestFinished(() => rmSync(parent, { recursive: true }));
      const [archive, base] = [folderOf(parent, 'archive'), folderOf(parent, 'base')];
      const primary = await installedPostgres({
        archive_mode: 'on',
        archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
      });
      onTestFinished(() => primary.stop());
      const token = await addCompany(primary.url);
      const first = await serve(primary.url, token);
      const group = await fleet.group(first.client, 'shops');
      await createWebhook(first, { url: receiver.url });
      const number = await fleet.logicalNumber(first.client, '100', { group_id: group });
      const device = await fleet.device(first.client, 'SN-1', { logical_number_id: number });
      const terminal = await issueToken(first, device);
      baseBackup(primary, base);

      const kept = await fleet.group(first.client, 'kept');
      await expect.poll(() => receiver.received.length).toBe(1);
      const [before] = receiver.received;
      const [row] = await primary.admin('select clock_timestamp()::text as time');
      await sleep(100);

      const undone = await fleet.group(first.client, 'undone');
      const shown = await sendAndTake(first, 'undone', group, terminal);
      await expect.poll(() => receiver.received.length).toBe(2);
      const [, mistaken] = receiver.received;
      await first.program.end('SIGTERM');
      await primary.admin('select pg_switch_wal()');
      const archived = () =>
        primary.admin(
          "select count(*)::int as left from pg_ls_archive_statusdir() where name like '%.ready'",
        );
      await expect.poll(archived).toEqual([{ left: 0 }]);
      await primary.end('SIGINT');

      const restored = await restoredTo(String(row?.time), base, archive, primary);
      const { problems } = await new ServerTools(restored.url, 'restored').check();
      expect(problems).toEqual([]);
      const [, query = ''] = /"(select c\.company_id[^"]*)"/.exec(readDocument(GUIDE)) ?? [];
      const [{ n: lastKept } = {}] = await restored.admin(query);
      const second = await serve(restored.url, token);
      const names = (await second.client.get('groups')).list('groups').map(({ name }) => name);
      expect(names).toEqual(['shops', 'kept']);

      const again = await fleet.group(second.client, 'again');
      expect([again, undone]).toEqual([undone, kept + 1]);
      const shownAgain = await sendAndTake(second, 'again', group, terminal);
      expect(shownAgain?.id).toBe(shown?.id);
      expect([shown?.message, shownAgain?.message]).toEqual([
        expect.stringContaining('undone'),
        expect.stringContaining('again'),
      ]);
      // Events that were delivered before the time do not come again.
      await expect.poll(() => receiver.received.length).toBe(3);
      const last = receiver.received.at(-1);
      if (before === undefined || mistaken === undefined || last === undefined) throw new Error('No event');
      expect(idOf(last)).toBe(idOf(mistaken));
      expect(last.sequence).toBe(mistaken.sequence);
      expect([Number(lastKept), last.sequence]).toEqual([before.sequence, before.sequence + 1]);
      expect([mistaken.body, last.body]).toEqual([
        expect.stringContaining('undone'),
        expect.stringContaining('again'),
      ]);
    },
  );
});
