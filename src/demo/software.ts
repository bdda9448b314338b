import type { WriteWork } from '../database/work.js';
import type { Group } from '../domain/fleet/group/group.model.js';
import { createAppVersion } from '../domain/software/app/app-version.service.js';
import { createApp } from '../domain/software/app/app.service.js';
import { createFile } from '../domain/software/file/file.service.js';
import { type ChunkedContent, ContentBuilder } from '../platform/encoding/content-builder.js';
import type { Random } from '../platform/random.js';
import type { AppPlan, CompanyPlan } from './catalog.js';

/** An app that terminals run. */
export interface Software {
  readonly appName: string;
  /** Whether it makes payments. */
  readonly isFinancial: boolean;
  /** Id of the newest version that a group runs, by group id. */
  readonly versionOfGroup: ReadonlyMap<number, number>;
}

/** Creates files, modules and apps of a company, and links each version to the groups that run it. Returns the apps. */
export async function createSoftware(
  work: WriteWork,
  random: Random,
  plan: CompanyPlan,
  groups: readonly Group[],
): Promise<readonly Software[]> {
  const fileIds: number[] = [];
  for (const fileName of plan.files) {
    const upload = { fileName, ...contentOf(random.bytes(random.whole(300, 6_000))) };
    fileIds.push((await createFile(work, upload, { description: `${fileName} of ${plan.name}` })).id);
  }
  const moduleIds: number[] = [];
  const software: Software[] = [];
  // Modules come first in the plan: versions of the other apps contain them.
  for (const app of plan.apps) {
    const created = await createAppWithVersions(work, random, app, { groups, fileIds, moduleIds });
    if (app.kind === 'module') moduleIds.push(...created.versionIds);
    else software.push(created);
  }
  return software;
}

async function createAppWithVersions(
  work: WriteWork,
  random: Random,
  { versions, label, ...plan }: AppPlan,
  parts: {
    readonly groups: readonly Group[];
    readonly fileIds: readonly number[];
    readonly moduleIds: readonly number[];
  },
): Promise<Software & { readonly versionIds: readonly number[] }> {
  const app = await createApp(work, plan);
  const isModule = plan.kind === 'module';
  const versionIds: number[] = [];
  const versionOfGroup = new Map<number, number>();
  for (const [age, number] of versions.entries()) {
    // Newer versions run in fewer groups: their rollout is not finished.
    const rolledOutTo = isModule ? [] : parts.groups.slice(0, Math.max(1, parts.groups.length - age * 2));
    const { id } = await createAppVersion(work, app, {
      number,
      displayable: label !== null,
      posDisplayLabel: label,
      authorizerUrl: isModule
        ? null
        : `https://authorizer-${random.whole(1, 3)}.example:${random.whole(7000, 7010)}`,
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

function contentOf(bytes: Uint8Array): ChunkedContent {
  const builder = new ContentBuilder();
  builder.add(bytes);
  return builder.finish();
}
