import { z } from 'zod';

import { byId, fieldsOf, resourceRoutes, zonedTimestamp } from '../../../rest/index.js';
import { AppCreate, AppUpdate, COMMUNICATION_FORMATS, KINDS, LANGUAGES, type App } from './app.model.js';
import { deleteApp, createApp, getApp, listApps, updateApp } from './app.service.js';

const AppShape = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string().nullable(),
    communication_format: z.enum(COMMUNICATION_FORMATS),
    updated_at: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/)
      .meta({
        description: "In the time zone of the token's user.",
        examples: ['2026-01-31T09:00:00-03:00'],
      }),
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
