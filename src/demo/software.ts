import type { WriteWork } from '../database/work.js';
import { createAppVersion } from '../resources/app-version/app-version.service.js';
import { createApp } from '../resources/app/app.service.js';
import { contentOf } from '../resources/content/content.model.js';
import { createFile } from '../resources/file/file.service.js';
import type { Group } from '../resources/group/group.model.js';
import type { AppPlan, CompanyPlan } from './catalog.js';
import type { Random } from './random.js';

/** An app as terminals know it, with the newest version that each group runs. */
export interface Software {
  readonly appName: string;
  readonly isFinancial: boolean;
  readonly versionOfGroup: ReadonlyMap<number, number>;
}

/** Files, modules and apps of a company, each version linked to the groups that run it. */
export async function createSoftware(
  work: WriteWork,
  random: Random,
  plan: CompanyPlan,
  groups: readonly Group[],
): Promise<readonly Software[]> {
  const fileIds: number[] = [];
  for (const fileName of plan.files) {
    const sent = { fileName, ...contentOf(random.bytes(random.whole(300, 6_000))) };
    fileIds.push((await createFile(work, sent, { description: `${fileName} of ${plan.name}` })).id);
  }
  const moduleIds: number[] = [];
  const software: Software[] = [];
  // Modules stand first in the plan: the versions of other apps are made with them.
  for (const app of plan.apps) {
    const made = await createAppWithVersions(work, random, app, { groups, fileIds, moduleIds });
    if (app.kind === 'module') moduleIds.push(...made.versionIds);
    else software.push(made);
  }
  return software;
}

interface Parts {
  readonly groups: readonly Group[];
  readonly fileIds: readonly number[];
  readonly moduleIds: readonly number[];
}

async function createAppWithVersions(
  work: WriteWork,
  random: Random,
  { versions, label, ...plan }: AppPlan,
  parts: Parts,
): Promise<Software & { readonly versionIds: readonly number[] }> {
  const app = await createApp(work, plan);
  const isModule = plan.kind === 'module';
  const versionIds: number[] = [];
  const versionOfGroup = new Map<number, number>();
  for (const [age, number] of versions.entries()) {
    // Newer versions reach fewer groups; the last one is being rolled out.
    const reached = isModule ? [] : parts.groups.slice(0, Math.max(1, parts.groups.length - age * 2));
    const { id } = await createAppVersion(work, app, {
      number,
      displayable: label !== null,
      posDisplayLabel: label,
      authorizerUrl: isModule
        ? null
        : `https://authorizer-${random.whole(1, 3)}.example:${random.whole(7000, 7010)}`,
      bytecode: random.bytes(random.whole(800, 4_000)).toString('base64'),
      groupIds: reached.map((group) => group.id),
      moduleIds: isModule ? [] : parts.moduleIds.slice(-2),
      fileIds: parts.fileIds.filter(() => random.chance(0.4)),
    });
    versionIds.push(id);
    for (const group of reached) versionOfGroup.set(group.id, id);
  }
  return { appName: app.name, isFinancial: plan.communicationFormat !== 'http', versionOfGroup, versionIds };
}
