import type { WriteWork } from '../database/work.js';
import { createDevice, reportDevice } from '../domain/fleet/device/device.service.js';
import type { Group } from '../domain/fleet/group/group.model.js';
import { createLogicalNumber } from '../domain/fleet/logical-number/logical-number.service.js';
import type { Random } from '../platform/random.js';
import { MODELS, type CompanyPlan, type ModelPlan } from './catalog.js';
import type { Software } from './software.js';

/** A payment terminal in use: a device with a logical number. */
export interface Terminal {
  readonly serialNumber: string;
  readonly logicalNumber: string;
  readonly logicalNumberId: number;
  readonly frameworkVersion: string;
  readonly merchant: CompanyPlan['merchants'][number];
  readonly apps: readonly Software[];
}

const FRAMEWORKS: readonly string[] = ['8.30.0', '8.31.2', '8.31.2', '8.32.0', '9.0.1'];

/** Creates the logical numbers of each group, each with a device that reports, and the spare devices. */
export async function createTerminals(
  work: WriteWork,
  random: Random,
  plan: CompanyPlan,
  { groups, software }: { readonly groups: readonly Group[]; readonly software: readonly Software[] },
): Promise<readonly Terminal[]> {
  const terminals: Terminal[] = [];
  for (let index = 0; index < plan.terminals; index += 1) {
    const group = groups[index % groups.length];
    const apps = software.filter((app) => group !== undefined && app.versionOfGroup.has(group.id));
    const number = await createLogicalNumber(work, {
      number: `${plan.domain.charCodeAt(0) - 96}${String(10_000 + index * 7)}`,
      groupId: group?.id ?? null,
      appVersionIds: apps.flatMap((app) => (group === undefined ? [] : [app.versionOfGroup.get(group.id)])),
    });
    const frameworkVersion = random.pick(FRAMEWORKS);
    const numbered = { logicalNumberId: number.id, frameworkVersion };
    const serialNumber = await createReportingDevice(work, random, index, numbered);
    const merchant = random.pick(plan.merchants);
    terminals.push({ serialNumber, logicalNumber: number.number, ...numbered, merchant, apps });
  }
  for (let spare = 0; spare < plan.spares; spare += 1) {
    await createDevice(work, { serialNumber: serialOf(random, random.pick(MODELS), plan.terminals + spare) });
  }
  return terminals;
}

/** Creates a device whose serial number ends in `index`; returns the serial number. */
async function createReportingDevice(
  work: WriteWork,
  random: Random,
  index: number,
  { logicalNumberId, frameworkVersion }: Pick<Terminal, 'logicalNumberId' | 'frameworkVersion'>,
): Promise<string> {
  const model = random.pick(MODELS);
  const device = await createDevice(work, {
    serialNumber: serialOf(random, model, index),
    logicalNumberId,
    enabled: !random.chance(0.04),
  });
  await reportDevice(work, device, { frameworkVersion, meta: metaOf(random, model) });
  return device.serialNumber;
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
