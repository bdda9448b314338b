import { z } from 'zod';

import type { ReadWork } from '../../database/work.js';
import {
  EMPTY,
  EmptyShape,
  listResponse,
  listShape,
  recordResponse,
  recordShape,
} from '../../rest/envelope.js';
import type { Route } from '../../rest/route.js';
import { zonedTimestamp } from '../../rest/timestamp.js';
import { AppCreate, AppUpdate, COMMUNICATION_FORMATS, KINDS, LANGUAGES, type App } from './app.model.js';
import { deleteApp } from './app.removal.service.js';
import { createApp, getApp, listApps, updateApp } from './app.service.js';

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
  .meta({ id: 'App', description: 'An application for terminals; what they run are its versions.' });

const fieldsFor = (work: ReadWork) => (app: App) => ({
  id: app.id,
  name: app.name,
  description: app.description,
  communication_format: app.communicationFormat,
  updated_at: zonedTimestamp(app.updatedAt, work.caller.timeZone),
  created_via: app.createdVia,
  kind: app.kind,
  language: app.language,
});

const answer = (work: ReadWork, app: App, status?: 201) =>
  recordResponse('app', fieldsFor(work)(app), app, status);

/** /v1/apps (contract 20). */
export const appRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/apps',
    scope: 'read',
    summary: 'List applications',
    paged: true,
    response: listShape('apps', 'app', AppShape),
    read: async (work, call) => listResponse('apps', 'app', await listApps(work, call.page), fieldsFor(work)),
  },
  {
    method: 'GET',
    path: '/apps/{app_id}',
    scope: 'read',
    summary: 'Read an application',
    response: recordShape('app', AppShape),
    read: async (work, call) => answer(work, await getApp(work, call.id('app_id', 'app'))),
  },
  {
    method: 'POST',
    path: '/apps',
    scope: 'write',
    summary: 'Create an application',
    description: 'Answers the name with the suffix of its language: `.posxml` or `.rb`.',
    body: AppCreate,
    status: 201,
    response: recordShape('app', AppShape),
    write: async (work, call) => answer(work, await createApp(work, call.input), 201),
  },
  {
    method: 'PUT',
    path: '/apps/{app_id}',
    scope: 'write',
    summary: 'Change an application',
    description: 'What is not sent stays. Another language gives the name another suffix.',
    body: AppUpdate,
    response: recordShape('app', AppShape),
    write: async (work, call) => {
      const app = await getApp(work, call.id('app_id', 'app'));
      call.ifMatch('app', app);
      return answer(work, await updateApp(work, app, call.input));
    },
  },
  {
    method: 'DELETE',
    path: '/apps/{app_id}',
    scope: 'write',
    summary: 'Delete an application with its versions',
    response: EmptyShape,
    write: async (work, call) => {
      const app = await getApp(work, call.id('app_id', 'app'));
      call.ifMatch('app', app);
      await deleteApp(work, app);
      return EMPTY;
    },
  },
];
