import { z } from 'zod';

import type { ReadWork } from '../../database/work.js';
import { CONTENT_PLACEHOLDER } from '../../rest/content-placeholder.js';
import {
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { RouteResponse, Call, Route } from '../../rest/route.js';
import { zonedTimestamp } from '../../rest/timestamp.js';
import type { App } from '../app/app.model.js';
import { getApp } from '../app/app.service.js';
import {
  AppVersionCreate,
  AppVersionUpdate,
  type AppVersion,
  type AssociatedVersion,
} from './app-version.model.js';
import { deleteAppVersion } from './app-version.removal.service.js';
import { createAppVersion, getAppVersion, listAppVersions, updateAppVersion } from './app-version.service.js';

const TimeShape = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{2}:\d{2}$/)
  .meta({
    description: "In the time zone of the token's user.",
    examples: ['2026-01-31T09:00:00.000-03:00'],
  });

const ListedShape = z
  .strictObject({
    id: z.int(),
    app_id: z.int(),
    number: z.string(),
    crc: z.string().regex(/^[0-9A-F]{4}$/),
    size: z.int().min(0),
    created_by: z.int().nullable(),
    displayable: z.boolean(),
    authorizer_url: z.string().nullable(),
    pos_display_label: z.string().nullable(),
    created_at: TimeShape,
    updated_at: TimeShape,
    uuid: z.uuid(),
  })
  .meta({ id: 'ListedAppVersion', description: 'A version of an application, without its bytecode.' });

const WrittenShape = ListedShape.extend({
  bytecode: z.string().nullable().meta({ contentEncoding: 'base64' }),
}).meta({ id: 'WrittenAppVersion', description: 'A version of an application, as it was written.' });

const AppVersionShape = WrittenShape.extend({
  group_ids: z.array(z.int()),
  module_ids: z.array(z.int()),
  file_ids: z.array(z.int()),
}).meta({ id: 'AppVersion', description: 'A version of an application with its associations.' });

const listedFor = (work: ReadWork) => (version: AppVersion) => ({
  id: version.id,
  app_id: version.appId,
  number: version.number,
  crc: version.crc,
  size: version.size,
  created_by: version.createdBy,
  displayable: version.displayable,
  authorizer_url: version.authorizerUrl,
  pos_display_label: version.posDisplayLabel,
  created_at: zonedTimestamp(version.createdAt, work.caller.timeZone, true),
  updated_at: zonedTimestamp(version.updatedAt, work.caller.timeZone, true),
  uuid: version.uuid,
});

const writtenFor = (work: ReadWork, version: AppVersion) => ({
  ...listedFor(work)(version),
  bytecode: version.contentId === null ? null : CONTENT_PLACEHOLDER,
});

const written = (work: ReadWork, version: AppVersion, status?: 201): RouteResponse =>
  recordResponse('app_version', writtenFor(work, version), version, status, version.contentId);

function whole(work: ReadWork, version: AssociatedVersion): RouteResponse {
  const fields = {
    ...writtenFor(work, version),
    group_ids: version.groupIds,
    module_ids: version.moduleIds,
    file_ids: version.fileIds,
  };
  return recordResponse('app_version', fields, version, 200, version.contentId);
}

const appOf = (work: ReadWork, call: Call): Promise<App> => getApp(work, call.id('app_id', 'app'));

async function versionOf(work: ReadWork, call: Call): Promise<AssociatedVersion> {
  const app = await appOf(work, call);
  return await getAppVersion(work, app, call.id('version_id', 'app version'));
}

/** /v1/apps/{app_id}/versions (contract 21). */
export const appVersionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/apps/{app_id}/versions',
    scope: 'read',
    summary: 'List versions of an application',
    paged: true,
    response: listShape('appversions', 'app_version', ListedShape),
    read: async (work, call) => {
      const page = await listAppVersions(work, await appOf(work, call), call.page);
      return listResponse('appversions', 'app_version', page, listedFor(work));
    },
  },
  {
    method: 'GET',
    path: '/apps/{app_id}/versions/{version_id}',
    scope: 'read',
    summary: 'Read a version of an application',
    response: recordShape('app_version', AppVersionShape),
    read: async (work, call) => whole(work, await versionOf(work, call)),
  },
  {
    method: 'POST',
    path: '/apps/{app_id}/versions',
    scope: 'write',
    summary: 'Create a version of an application',
    body: AppVersionCreate,
    status: 201,
    response: recordShape('app_version', WrittenShape),
    write: async (work, call) =>
      written(work, await createAppVersion(work, await appOf(work, call), call.input), 201),
  },
  {
    method: 'PUT',
    path: '/apps/{app_id}/versions/{version_id}',
    scope: 'write',
    summary: 'Change a version of an application',
    description: 'What is not sent stays. A group that it leaves takes it from its logical numbers.',
    body: AppVersionUpdate,
    response: recordShape('app_version', WrittenShape),
    write: async (work, call) => {
      const version = await versionOf(work, call);
      call.ifMatch('app_version', version);
      return written(work, await updateAppVersion(work, version, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/apps/{app_id}/versions/{version_id}',
    scope: 'write',
    summary: 'Delete a version of an application',
    response: EmptyShape,
    write: async (work, call) => {
      const version = await versionOf(work, call);
      call.ifMatch('app_version', version);
      await deleteAppVersion(work, version);
      return EMPTY;
    },
  },
];
