import { z } from 'zod';

import type { Caller } from '../../../platform/caller.js';
import {
  base64Of,
  type Call,
  fieldsOf,
  type ReadWork,
  resourceRoutes,
  zonedTimestamp,
} from '../../../rest/index.js';
import {
  type AppVersion,
  AppVersionCreate,
  AppVersionUpdate,
  type AssociatedVersion,
} from './app-version.model.js';
import { createAppVersion, getAppVersion, listAppVersions, updateAppVersion } from './app-version.service.js';
import type { App } from './app.model.js';
import { getApp } from './app.service.js';
import { deleteAppVersion } from './association.service.js';

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
}).meta({ id: 'WrittenAppVersion', description: 'A version of an application, without its associations.' });

const AppVersionShape = WrittenShape.extend({
  group_ids: z.array(z.int()),
  module_ids: z.array(z.int()),
  file_ids: z.array(z.int()),
}).meta({ id: 'AppVersion', description: 'A version of an application with its associations.' });

const listed = {
  created_at: ({ createdAt }: AppVersion, { timeZone }: Caller) => zonedTimestamp(createdAt, timeZone, true),
  updated_at: ({ updatedAt }: AppVersion, { timeZone }: Caller) => zonedTimestamp(updatedAt, timeZone, true),
  createdVia: 'omitted',
  contentId: 'omitted',
} as const;
const whole = {
  ...listed,
  bytecode: ({ contentId, size }: AppVersion) => (contentId === null ? null : base64Of(contentId, size)),
};

const BYTECODE =
  'The bytecode may be as large as a file. Send it as base64 text, or as a file: `curl -F bytecode=@app.posxml -F number=1.0`; the name of its part does not matter.';

const appOf = (work: ReadWork, call: Call): Promise<App> => getApp(work, call.id('app_id', 'app'));

/** /v1/apps/{app_id}/versions (contract 21). */
export const appVersionRoutes = resourceRoutes<AppVersion, AssociatedVersion>({
  path: '/apps/{app_id}/versions',
  name: 'app_version',
  listName: 'appversions',
  key: {
    placeholder: 'version_id',
    find: async (work, call) => {
      const app = await appOf(work, call);
      return await getAppVersion(work, app, call.id('version_id', 'app version'));
    },
  },
  fields: fieldsOf(WrittenShape).from<AppVersion>(whole),
  list: {
    summary: 'List versions of an application',
    fields: fieldsOf(ListedShape).from<AppVersion>(listed),
    handle: async (work, page, call) => listAppVersions(work, await appOf(work, call), page),
  },
  read: {
    summary: 'Read a version of an application',
    fields: fieldsOf(AppVersionShape).from<AssociatedVersion>(whole),
  },
  create: {
    summary: 'Create a version of an application',
    description: BYTECODE,
    body: AppVersionCreate,
    file: { name: 'bytecode', asText: true },
    handle: async (work, input, call) => createAppVersion(work, await appOf(work, call), input),
  },
  update: {
    summary: 'Change a version of an application',
    description: `Absent fields stay unchanged. When the version is removed from a group, the logical numbers of the group lose it too. ${BYTECODE}`,
    body: AppVersionUpdate,
    file: { name: 'bytecode', asText: true },
    handle: updateAppVersion,
  },
  delete: { summary: 'Delete a version of an application', handle: deleteAppVersion },
});
