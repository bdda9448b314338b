import { beforeAll, expect, it } from 'vitest';

import { DAY, MINUTE } from '../../../../src/platform/clock.js';
import { nodeId } from '../../../support/dashboard.js';
import { fleet } from '../../../support/fleet.js';
import { useServerWithMail } from '../../../support/mailbox.js';
import { emailOf } from '../../../support/people.js';
import { openOtherNode, useServer, type Member } from '../../../support/server.js';
import { createWebhook } from '../webhook/hooks.js';
import { aDayLater, createSchedule, EXPORT, schedulesOf } from './schedules.js';

const PUBLIC = 'https://gateway.example';
const SETTINGS = { publicUrl: PUBLIC, tokenSecret: 'what the nodes of this test share: 0123456789' };
const { server, mailbox } = useServerWithMail(SETTINGS);
const silent = useServer();
beforeAll(() => fleet.device(server.acme.client, '00123'));

const idOf = ({ caller }: Member): string => nodeId('User', caller.userId);

async function newReader() {
  const member = await server.member('acme', 'viewer');
  return { member, id: idOf(member), email: await emailOf(member) };
}

/** The schedule of a name, as it is now. */
async function scheduleOf(name: string) {
  return (await schedulesOf(server.acme)).find((schedule) => schedule.name === name);
}

const lettersTo = (email: string): readonly string[] =>
  mailbox.letters.filter(({ to }) => to === email).map(({ text }) => text);

const pathIn = (letter: string | undefined): string =>
  (/https:\/\/gateway\.example(\S+)/.exec(letter ?? '') ?? [])[1] ?? '';

const disable = (id: string) =>
  server.acme.graphql(`mutation { userDisable(id: "${id}") { userErrors { code } } }`);

it('each recipient gets a link by e-mail that works until the recipient may not read any more', async () => {
  const [ana, bia] = [await newReader(), await newReader()];
  const { exportSchedule } = await createSchedule(server.acme, {
    name: 'Both',
    recipientIds: [ana.id, bia.id, ana.id],
  });
  expect(exportSchedule).toMatchObject({ recipientIds: [ana.id, bia.id], webhook: null, deliveredAt: null });
  await aDayLater(server);
  const letters = [ana, bia].map(({ email }) => lettersTo(email));
  expect(letters.map(({ length }) => length)).toEqual([1, 1]);
  expect(letters[0]?.[0]).toContain('Both: 1 records / registros');
  expect(letters[0]?.[0]).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d \(UTC\)/);
  const made = await scheduleOf('Both');
  expect(Date.parse(made?.deliveredAt ?? '')).toBeGreaterThanOrEqual(Date.parse(made?.madeAt ?? ''));

  const [own = '', other = ''] = letters.map(([letter]) => pathIn(letter));
  expect(own).not.toBe(other);
  expect((await server.anonymous.get(own)).text).toContain('"=""00123""",yes');
  // The key of one reader is not that of another.
  expect((await server.anonymous.get(own.replace(/-\d+$/, ''))).status).toBe(404);
  expect((await server.anonymous.get(own.replace(/-\d+$/, /-\d+$/.exec(other)?.[0] ?? ''))).status).toBe(404);
  await disable(ana.id);
  expect((await server.anonymous.get(own)).status).toBe(404);
  expect((await server.anonymous.get(other)).status).toBe(200);

  // The next export has no e-mail for who was disabled.
  await aDayLater(server);
  expect([ana, bia].map(({ email }) => lettersTo(email).length)).toEqual([1, 2]);
  await disable(bia.id);
  await aDayLater(server);
  expect(await scheduleOf('Both')).toMatchObject({
    deliveredAt: null,
    deliveryFailure: 'None of the recipients may read the export any more.',
  });
});

it('an e-mail that the mail server refuses is not delivered, and is sent again until it is taken', async () => {
  const [ana, bia] = [await newReader(), await newReader()];
  mailbox.refused.add(ana.email);
  await createSchedule(server.acme, { name: 'Refused', recipientIds: [ana.id, bia.id] });
  await aDayLater(server);
  expect(lettersTo(bia.email)).toHaveLength(1);
  const failed = await scheduleOf('Refused');
  expect(failed).toMatchObject({ deliveredAt: null, failure: null });
  expect(failed?.deliveryFailure).toMatch(`${ana.email}: The mail server has not taken the e-mail.`);
  expect(failed?.deliveryFailure).toContain('550 no such mailbox');
  // At once, nothing is tried again.
  mailbox.refused.clear();
  await server.app.exportSchedules.run();
  expect(lettersTo(ana.email)).toHaveLength(0);
  server.clock.advance(MINUTE);
  await server.app.exportSchedules.run();
  expect(await scheduleOf('Refused')).toMatchObject({
    deliveredAt: expect.any(String) as string,
    deliveryFailure: null,
  });
  expect([ana, bia].map(({ email }) => lettersTo(email).length)).toEqual([1, 1]);
});

it('once the link has ended, its e-mail is not sent any more', async () => {
  const ana = await newReader();
  mailbox.refused.add(ana.email);
  await createSchedule(server.acme, { name: 'Weekly', weekday: 'MONDAY', recipientIds: [ana.id] });
  server.clock.advance(7 * DAY);
  await server.app.exportSchedules.run();
  mailbox.refused.clear();
  server.clock.advance(DAY + MINUTE);
  await server.app.exportSchedules.run();
  expect(lettersTo(ana.email)).toEqual([]);
  expect(await scheduleOf('Weekly')).toMatchObject({ deliveredAt: null });
});

it('nodes that look at the same time send one e-mail', async () => {
  const ana = await newReader();
  await createSchedule(server.acme, { name: 'Nodes', recipientIds: [ana.id] });
  const mail = { url: mailbox.url, from: 'gateway@gateway.example' };
  const other = await openOtherNode(server, { ...SETTINGS, mail });
  server.clock.advance(DAY);
  const nodes = [server.app, other ?? server.app, server.app];
  await Promise.all(nodes.map(({ exportSchedules }) => exportSchedules.run()));
  await server.app.exportSchedules.run();
  await other?.stop();
  expect(lettersTo(ana.email)).toHaveLength(1);
});

it('recipients are members who may read it, in place of a webhook', async () => {
  const ana = await newReader();
  const problemsOf = async (input: object) => {
    const { userErrors } = await createSchedule(server.acme, { name: 'Wrong', ...input });
    return userErrors.map(({ path, message }) => [(path as string[]).slice(1).join('.'), message]);
  };
  expect(await problemsOf({})).toEqual([['recipientIds', 'must not be empty: choose members, or a webhook']]);
  expect(await problemsOf({ recipientIds: [nodeId('User', 999_999)] })).toEqual([
    ['recipientIds', 'must hold ids of users only'],
  ]);
  expect(await problemsOf({ recipientIds: [idOf(server.beta)] })).toEqual([
    ['recipientIds', 'must hold ids of users only'],
  ]);
  const { webhook } = await createWebhook(server.acme, { url: 'https://receiver.example/', events: ['*'] });
  expect(await problemsOf({ recipientIds: [ana.id], webhookId: webhook.id })).toEqual([
    ['recipientIds', 'must not be sent together with webhookId'],
  ]);
  // The ledger is for administrators.
  const ofAdministrators = { ...EXPORT, kind: 'LEDGER', columns: ['sequence'] };
  expect(await problemsOf({ recipientIds: [ana.id], export: ofAdministrators })).toEqual([
    ['recipientIds', 'must be active members with the right to read what is exported'],
  ]);
  expect(await problemsOf({ recipientIds: [idOf(server.acme)], export: ofAdministrators })).toEqual([]);
});

it('a server without e-mail refuses a schedule by e-mail', async () => {
  const { userErrors } = await createSchedule(silent.acme, { recipientIds: [idOf(silent.acme)] });
  expect(userErrors).toMatchObject([
    {
      code: 'INVALID',
      message: 'This server sends no e-mail: choose a webhook, or ask its operator to set SMTP_URL.',
    },
  ]);
});
