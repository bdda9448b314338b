import type { WriteWork } from '../database/work.js';
import { createDevice, reportDevice, storeLastSeenTimes } from '../domain/fleet/device/device.service.js';
import type { Group } from '../domain/fleet/group/group.model.js';
import { createGroup } from '../domain/fleet/group/group.service.js';
import { createLogicalNumber } from '../domain/fleet/logical-number/logical-number.service.js';
import { parameters } from '../domain/fleet/setting/parameter.service.js';
import { metacontents } from '../domain/fleet/setting/setting.service.js';
import { sendNotification } from '../domain/messages/notification/notification.service.js';
import { createAppVersion } from '../domain/software/app/app-version.service.js';
import { createApp } from '../domain/software/app/app.service.js';
import { createFile } from '../domain/software/file/file.service.js';
import { DAY, HOUR, MINUTE } from '../platform/clock.js';
import { ContentBuilder } from '../platform/encoding/content.js';
import type { Random } from '../platform/random.js';
import { MODELS, type AppPlan, type CompanyPlan, type ModelPlan } from './catalog.js';

export interface Software {
  readonly appName: string;
  readonly isFinancial: boolean;
  /** Id of the newest version that a group runs, by group id. */
  readonly versionOfGroup: ReadonlyMap<number, number>;
}

/** A payment terminal in use: a device with a logical number. */
export interface Terminal {
  readonly deviceId: number;
  readonly serialNumber: string;
  readonly logicalNumber: string;
  readonly logicalNumberId: number;
  readonly frameworkVersion: string;
  readonly merchant: CompanyPlan['merchants'][number];
  readonly apps: readonly Software[];
}

/** Unit of work, random values and plan of the company that is filled. */
export interface Making {
  readonly work: WriteWork;
  readonly random: Random;
  readonly plan: CompanyPlan;
}

export async function createGroups({ work, random, plan }: Making): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const name of plan.groups) {
    const group = await createGroup(work, { name });
    groups.push(group);
    const owner = { groupId: group.id, logicalNumberId: null };
    const host = 'Host that terminals of the group connect to.';
    const texts: [key: string, value: string, description: string | null][] = [
      ['host.address', `gw${random.whole(1, 4)}.${plan.domain}`, host],
      ['host.port', String(random.whole(8_443, 8_449)), null],
      ['receipt.footer', `${plan.name} - ${name}`, 'Last line of each receipt.'],
      ['idle.minutes', String(random.pick([2, 5, 10])), 'Minutes until the display turns off.'],
    ];
    for (const [key, value, description] of texts) {
      await parameters.create(work, owner, { key, value, description });
    }
    const items = plan.apps.flatMap(({ name: app, label }) => (label === null ? [] : [{ app, label }]));
    await metacontents.create(work, owner, { key: 'menu', value: { columns: 2, items } });
    const saturday = random.chance(0.7) ? ['09:00', '14:00'] : null;
    const hours = { weekdays: ['08:00', '19:00'], saturday };
    await metacontents.create(work, owner, { key: 'opening_hours', value: hours });
  }
  return groups;
}

/** Creates files, modules and apps, and links each version to the groups that run it. Returns the apps. */
export async function createSoftware(making: Making, groups: readonly Group[]): Promise<readonly Software[]> {
  const { work, random, plan } = making;
  const fileIds: number[] = [];
  for (const fileName of plan.files) {
    const content = new ContentBuilder();
    content.add(random.bytes(random.whole(300, 6_000)));
    const upload = { fileName, ...content.finish() };
    fileIds.push((await createFile(work, upload, { description: `${fileName} of ${plan.name}` })).id);
  }
  const moduleIds: number[] = [];
  const software: Software[] = [];
  // Modules come first in the plan: versions of the other apps contain them.
  for (const app of plan.apps) {
    const created = await createAppWithVersions(making, app, { groups, fileIds, moduleIds });
    if (app.kind === 'module') moduleIds.push(...created.versionIds);
    else software.push(created);
  }
  return software;
}

interface AppParts {
  readonly groups: readonly Group[];
  readonly fileIds: readonly number[];
  readonly moduleIds: readonly number[];
}

async function createAppWithVersions(
  { work, random }: Making,
  { versions, label, ...plan }: AppPlan,
  parts: AppParts,
): Promise<Software & { readonly versionIds: readonly number[] }> {
  const app = await createApp(work, plan);
  const isModule = plan.kind === 'module';
  const versionIds: number[] = [];
  const versionOfGroup = new Map<number, number>();
  for (const [age, number] of versions.entries()) {
    // Newer versions run in fewer groups: their rollout is not finished.
    const rolledOutTo = isModule ? [] : parts.groups.slice(0, Math.max(1, parts.groups.length - age * 2));
    const authorizer = `https://authorizer-${random.whole(1, 3)}.example:${random.whole(7000, 7010)}`;
    const { id } = await createAppVersion(work, app, {
      number,
      displayable: label !== null,
      posDisplayLabel: label,
      authorizerUrl: isModule ? null : authorizer,
      bytecode: random.bytes(random.whole(800, 4_000)).toString('base64'),
      groupIds: rolledOutTo.map((group) => group.id),
      moduleIds: isModule ? [] : parts.moduleIds.slice(-2),
      fileIds: parts.fileIds.filter(() => random.chance(0.4)),
    });
    versionIds.push(id);
    for (const group of rolledOutTo) versionOfGroup.set(group.id, id);
  }
  return { appName: app.name, isFinancial: plan.communicationFormat !== 'http', versionOfGroup, versionIds };
}

const FRAMEWORKS: readonly string[] = ['8.30.0', '8.31.2', '8.31.2', '8.32.0', '9.0.1'];

/** Creates the logical numbers of each group, each with a device that reports, and the spare devices. */
export async function createTerminals(
  { work, random, plan }: Making,
  groups: readonly Group[],
  software: readonly Software[],
): Promise<readonly Terminal[]> {
  const terminals: Terminal[] = [];
  for (let index = 0; index < plan.terminals; index += 1) {
    const groupId = groups[index % groups.length]?.id ?? 0;
    const apps = software.filter((app) => app.versionOfGroup.has(groupId));
    const { id: logicalNumberId, number: logicalNumber } = await createLogicalNumber(work, {
      number: `${plan.domain.charCodeAt(0) - 96}${String(10_000 + index * 7)}`,
      groupId,
      appVersionIds: apps.map((app) => app.versionOfGroup.get(groupId)),
    });
    const frameworkVersion = random.pick(FRAMEWORKS);
    const model = random.pick(MODELS);
    const serialNumber = serialOf(random, model, index);
    const enabled = !random.chance(0.04);
    const device = await createDevice(work, { serialNumber, logicalNumberId, enabled });
    await reportDevice(work, device, { frameworkVersion, meta: metaOf(random, model) });
    const merchant = random.pick(plan.merchants);
    const deviceId = device.id;
    terminals.push({
      deviceId,
      serialNumber,
      logicalNumber,
      logicalNumberId,
      frameworkVersion,
      merchant,
      apps,
    });
  }
  for (let spare = 0; spare < plan.spares; spare += 1) {
    await createDevice(work, { serialNumber: serialOf(random, random.pick(MODELS), plan.terminals + spare) });
  }
  return terminals;
}

/** Most terminals were seen a few minutes ago, some hours or days ago, and one of forty never. */
export async function createPresence({ work }: Making, terminals: readonly Terminal[]): Promise<void> {
  const ageOf = (index: number): number => {
    if (index % 20 < 2) return (1 + (index % 6)) * DAY + index * MINUTE;
    return index % 20 < 5 ? (1 + (index % 9)) * HOUR : (index % 14) * MINUTE;
  };
  const ages = terminals.map(({ deviceId }, index) => ({ deviceId, age: ageOf(index), index }));
  const seen = ages.filter(({ index }) => index % 40 !== 39);
  await storeLastSeenTimes(
    work,
    seen.map(({ deviceId, age }) => ({ deviceId, seenAt: work.now.getTime() - age })),
  );
}

function serialOf(random: Random, { prefix }: ModelPlan, index: number): string {
  return `${prefix}${random.digits(5)}${String(index).padStart(4, '0')}`;
}

function metaOf(random: Random, { brand, model, media, os }: ModelPlan): Record<string, string> {
  const medium = random.pick(media);
  return {
    brand,
    model,
    communication_media: medium,
    ...(medium === 'gprs'
      ? { gprs_signal: String(random.whole(20, 100)), sim_card_id: `8955${random.digits(15)}` }
      : {}),
    os_version: os,
    emv_kernel_version: `4.3${random.pick(['b', 'c', 'd'])}`,
    ssa_version: `1.${random.whole(0, 9)}`,
    battery_level: String(random.whole(5, 100)),
    ssl: random.chance(0.9) ? '1' : '0',
    signature: random.bytes(8).toString('hex'),
  };
}

export async function createTerminalSettings({ work, random }: Making, terminals: readonly Terminal[]) {
  for (const { logicalNumberId, merchant } of terminals.filter(() => random.chance(0.25))) {
    const owner = { groupId: null, logicalNumberId };
    const description = 'As printed on receipts.';
    await parameters.create(work, owner, { key: 'merchant.name', value: merchant.name, description });
    await parameters.create(work, owner, { key: 'merchant.id', value: merchant.id });
    const value = { floor: random.whole(0, 4), counter: random.whole(1, 12), note: null };
    await metacontents.create(work, owner, { key: 'location', value });
  }
}

const MESSAGES: readonly string[] = [
  'Maintenance tonight from 02:00 to 03:00.',
  'A new version of the payment app is ready.',
  'Please charge the terminal over night.',
  'Paper rolls arrive on Monday.',
];

/** One notification to a group, and one to 1 to 5 terminals. */
export async function sendNotifications(
  { work, random }: Making,
  groups: readonly Group[],
  terminals: readonly Terminal[],
): Promise<void> {
  const groupId = random.pick(groups).id;
  await sendNotification(work, { content: random.pick(MESSAGES), range: 'group', groupId });
  const first = random.whole(0, terminals.length - 6);
  const some = terminals.slice(first, first + random.whole(1, 5));
  await sendNotification(work, {
    content: 'UPDATE_PARAMETERS|now',
    range: 'specific_logical_numbers',
    logicalNumbers: some.map(({ logicalNumber }) => logicalNumber),
    kind: 'processing',
  });
}
