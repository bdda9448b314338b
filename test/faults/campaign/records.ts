import type { WriteWork } from '../../../src/database/work.js';
import type { Device } from '../../../src/domain/fleet/device/device.model.js';
import { createDevice } from '../../../src/domain/fleet/device/device.service.js';
import { createGroup } from '../../../src/domain/fleet/group/group.service.js';
import type { LogicalNumber } from '../../../src/domain/fleet/logical-number/logical-number.model.js';
import { createLogicalNumber } from '../../../src/domain/fleet/logical-number/logical-number.service.js';
import { parameters } from '../../../src/domain/fleet/setting/parameter.service.js';
import { metacontents } from '../../../src/domain/fleet/setting/setting.service.js';
import { sendNotification } from '../../../src/domain/messages/notification/notification.service.js';
import { createAppVersion } from '../../../src/domain/software/app/app-version.service.js';
import { createApp } from '../../../src/domain/software/app/app.service.js';
import { createFile } from '../../../src/domain/software/file/file.service.js';
import { ContentBuilder } from '../../../src/platform/encoding/content.js';
import { recordAll } from '../../support/fleet.js';

/** Ids by GraphQL type and names by path placeholder, for use in requests. */
export interface Known {
  readonly ids: Readonly<Record<string, readonly number[]>>;
  readonly names: Readonly<Record<string, readonly string[]>>;
}

const EACH = 12;

/**
 * Creates records of every kind, linked to each other. Each text starts with `marker` and occurs once; with another
 * `time`, all texts are others.
 */
export async function fill(work: WriteWork, marker: string, time: number): Promise<Known> {
  let texts = time * 10_000;
  const text = (): string => `${marker}${(texts += 1)}`;
  const groups = await times(EACH, () => createGroup(work, { name: text() }));
  const fileIds = idsOf(
    await times(EACH, () => createFile(work, contentOf(text()), { description: text() })),
  );
  const modules = await createApp(work, { name: text(), kind: 'module' });
  const module = await createAppVersion(work, modules, { number: text() });
  const apps = await times(4, () => createApp(work, { name: text(), description: text() }));
  const versions = [];
  for (const [n, app] of [...apps, ...apps, ...apps].entries()) {
    const groupIds = [groups[n]?.id];
    const bytecode = Buffer.from(text()).toString('base64');
    const links = { groupIds, moduleIds: [module.id], fileIds: fileIds.slice(0, 3) };
    versions.push(await createAppVersion(work, app, { number: text(), bytecode, ...links }));
  }
  const numbers: LogicalNumber[] = [];
  const devices: Device[] = [];
  const settings: { parameters: number[]; metacontents: number[] } = { parameters: [], metacontents: [] };
  for (const [n, group] of groups.entries()) {
    const appVersionIds = [versions[n]?.id];
    const number = await createLogicalNumber(work, { number: text(), groupId: group.id, appVersionIds });
    numbers.push(number);
    const serialNumber = text();
    devices.push(await createDevice(work, { serialNumber, logicalNumberId: number.id }));
    for (const owner of [
      { groupId: group.id, logicalNumberId: null },
      { groupId: null, logicalNumberId: number.id },
    ]) {
      const described = { key: text(), value: text(), description: text() };
      settings.parameters.push((await parameters.create(work, owner, described)).id);
      const value = { [text()]: [text()] };
      settings.metacontents.push((await metacontents.create(work, owner, { key: text(), value })).id);
    }
  }
  const notification = await sendNotification(work, {
    content: `SHOW_MESSAGE|${text()}`,
    range: 'group',
    groupId: groups[0]?.id,
  });
  const { firstId } = await recordAll(
    work,
    Array.from({ length: 100 }, (_, n) => ({
      transactionType: 'switch',
      status: 'success',
      startedAt: work.now,
      finishedAt: work.now,
      serialNumber: devices[n % EACH]?.serialNumber,
      logicalNumber: numbers[n % EACH]?.number,
      appName: apps[n % 4]?.name,
      detail: text(),
      sent: text(),
      received: text(),
      reference: text(),
      parsed: { type: 'sale', status: 'approved', amount: 1_250, card: {}, acquirer: text(), nsu: text() },
    })),
  );
  const transactions = Array.from({ length: 100 }, (_, n) => (firstId ?? 0) + n);
  const { companyId, userId } = work.caller;
  return {
    ids: {
      Group: idsOf(groups),
      File: fileIds,
      App: idsOf(apps),
      AppVersion: idsOf(versions),
      LogicalNumber: idsOf(numbers),
      Device: idsOf(devices),
      Parameter: settings.parameters,
      Metacontent: settings.metacontents,
      Notification: [notification.id],
      Transaction: transactions,
      User: [userId],
      Company: [companyId],
      ApiToken: [userId],
      LedgerEntry: [1, 50],
    },
    names: {
      group_name: groups.map(({ name }) => name),
      logical_number: numbers.map(({ number }) => number),
      serial_number: devices.map(({ serialNumber }) => serialNumber),
      app_name: apps.map(({ name }) => name),
    },
  };
}

const idsOf = (records: readonly { readonly id: number }[]): number[] => records.map(({ id }) => id);

async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let n = 0; n < count; n += 1) made.push(await make());
  return made;
}

function contentOf(text: string) {
  const builder = new ContentBuilder();
  builder.add(Buffer.from(text));
  return { fileName: `${text}.bin`, ...builder.finish() };
}
