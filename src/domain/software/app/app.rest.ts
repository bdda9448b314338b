import { z } from 'zod';

import type { Caller } from '../../../platform/requests.js';
import { zonedTimestamp } from '../../../platform/time-zones.js';
import { base64Of, byId, type Call, fieldsOf, type ReadWork, resourceRoutes } from '../../../rest/index.js';
import {
  createAppVersion,
  deleteAppVersion,
  getAppVersion,
  listAppVersions,
  updateAppVersion,
} from './app-version.service.js';
import {
  type App,
  AppCreate,
  AppUpdate,
  type AppVersion,
  AppVersionCreate,
  AppVersionUpdate,
  type AssociatedVersion,
  COMMUNICATION_FORMATS,
  KINDS,
  LANGUAGES,
} from './app.model.js';
import { createApp, deleteApp, getApp, listApps, updateApp } from './app.service.js';

/** A timestamp in the time zone of the token's user. */
const zoned = (form: RegExp, example: string) =>
  z
    .string()
    .regex(form)
    .meta({ description: "In the time zone of the token's user.", examples: [example] });

const AppShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    communication_format: z.enum(COMMUNICATION_FORMATS),
    updated_at: zoned(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/, '2026-01-31T09:00:00-03:00'),
    created_via: z.enum(['interface', 'api']),
    kind: z.enum(KINDS),
    language: z.enum(LANGUAGES),
  })
  .meta({ id: 'App', description: 'An application for terminals. Terminals run its versions.' });

/** /v1/apps (contract 20). */
export const appRoutes = resourceRoutes<App>({
  path: '/apps',
  name: 'app',
  key: byId('app_id', 'app', getApp),
  fields: fieldsOf(AppShape).from<App>({
    updated_at: ({ updatedAt }, { timeZone }) => zonedTimestamp(updatedAt, timeZone),
    createdAt: 'omitted',
    createdBy: 'omitted',
  }),
  list: { summary: 'List applications', handle: listApps },
  read: { summary: 'Read an application' },
  create: {
    summary: 'Create an application',
    description:
      'The name of a POSXML application gets the suffix `.posxml` where it is missing; that of a Ruby application is kept as it was sent.',
    body: AppCreate,
    handle: createApp,
  },
  update: {
    summary: 'Change an application',
    description:
      'Absent fields stay unchanged. A new language without a name adds or removes the suffix of the present name.',
    body: AppUpdate,
    handle: updateApp,
  },
  delete: { summary: 'Delete an application with its versions', handle: deleteApp },
});

const TimeShape = zoned(
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}[+-]\d{2}:\d{2}$/,
  '2026-01-31T09:00:00.000-03:00',
);

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
  'Send the bytecode as a file, `curl -F bytecode=@app.posxml -F number=1.0` (the name of its part does not matter), or as base64 text if it has at most 8 MiB.';

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
