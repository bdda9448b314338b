import type { WriteWork } from '../database/work.js';
import type { Group } from '../domain/fleet/group/group.model.js';
import { parameters } from '../domain/fleet/setting/parameter.service.js';
import { metacontents } from '../domain/fleet/setting/setting.service.js';
import { sendNotification } from '../domain/messages/notification/notification.service.js';
import type { Random } from '../platform/random.js';
import type { CompanyPlan } from './catalog.js';
import type { Terminal } from './terminals.js';

/** Parameters and metacontents of a group. */
export async function createGroupSettings(
  work: WriteWork,
  random: Random,
  plan: CompanyPlan,
  group: Group,
): Promise<void> {
  const owner = { groupId: group.id, logicalNumberId: null };
  const texts: [key: string, value: string, description: string | null][] = [
    [
      'host.address',
      `gw${random.whole(1, 4)}.${plan.domain}`,
      'Host that terminals of the group connect to.',
    ],
    ['host.port', String(random.whole(8_443, 8_449)), null],
    ['receipt.footer', `${plan.name} - ${group.name}`, 'Last line of each receipt.'],
    ['idle.minutes', String(random.pick([2, 5, 10])), 'Minutes until the display turns off.'],
  ];
  for (const [key, value, description] of texts) {
    await parameters.create(work, owner, { key, value, description });
  }
  const menu = plan.apps.filter((app) => app.label !== null).map(({ name, label }) => ({ app: name, label }));
  await metacontents.create(work, owner, { key: 'menu', value: { columns: 2, items: menu } });
  await metacontents.create(work, owner, {
    key: 'opening_hours',
    value: { weekdays: ['08:00', '19:00'], saturday: random.chance(0.7) ? ['09:00', '14:00'] : null },
  });
}

/** Parameters and metacontents of one terminal. */
export async function createTerminalSettings(
  work: WriteWork,
  random: Random,
  terminal: Terminal,
): Promise<void> {
  const owner = { groupId: null, logicalNumberId: terminal.logicalNumberId };
  const { merchant } = terminal;
  await parameters.create(work, owner, {
    key: 'merchant.name',
    value: merchant.name,
    description: 'As printed on receipts.',
  });
  await parameters.create(work, owner, { key: 'merchant.id', value: merchant.id });
  await metacontents.create(work, owner, {
    key: 'location',
    value: { floor: random.whole(0, 4), counter: random.whole(1, 12), note: null },
  });
}

const MESSAGES: readonly string[] = [
  'Maintenance tonight from 02:00 to 03:00.',
  'A new version of the payment app is ready.',
  'Please charge the terminal over night.',
  'Paper rolls arrive on Monday.',
];

/** One notification to a group, and one to 1 to 5 terminals. */
export async function sendNotifications(
  work: WriteWork,
  random: Random,
  groups: readonly Group[],
  terminals: readonly Terminal[],
): Promise<void> {
  const groupId = random.pick(groups).id;
  await sendNotification(work, { content: random.pick(MESSAGES), range: 'group', groupId });
  const first = random.whole(0, terminals.length - 6);
  await sendNotification(work, {
    content: 'UPDATE_PARAMETERS|now',
    range: 'specific_logical_numbers',
    logicalNumbers: terminals
      .slice(first, first + random.whole(1, 5))
      .map(({ logicalNumber }) => logicalNumber),
    kind: 'processing',
  });
}
