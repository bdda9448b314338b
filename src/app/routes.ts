import { deviceRoutes } from '../domain/fleet/device/device.rest.js';
import { groupRoutes } from '../domain/fleet/group/group.rest.js';
import { logicalNumberRoutes } from '../domain/fleet/logical-number/logical-number.rest.js';
import { metacontentRoutes, parameterRoutes } from '../domain/fleet/setting/setting.rest.js';
import { notificationRoutes } from '../domain/messages/notification/notification.rest.js';
import { transactionIngest, transactionRoutes } from '../domain/payments/transaction/transaction.rest.js';
import type { SignIn } from '../domain/people/user/sign-in.service.js';
import { createUserRoutes } from '../domain/people/user/user.rest.js';
import { appRoutes, appVersionRoutes } from '../domain/software/app/app.rest.js';
import { fileRoutes } from '../domain/software/file/file.rest.js';
import { EXPORT } from '../rest/export.js';
import { INGEST } from '../rest/lines.js';
import type { Surface } from '../rest/openapi/openapi.js';
import type { Route } from '../rest/route.js';
import { V1 } from '../rest/v1.js';
import { TERMINAL, type TerminalRoute } from '../terminal/router.js';
import { EXPORT_ROUTES } from './exports.js';

export function createRoutes(signIn: SignIn): readonly Route[] {
  return [
    ...groupRoutes,
    ...appRoutes,
    ...appVersionRoutes,
    ...fileRoutes,
    ...parameterRoutes,
    ...metacontentRoutes,
    ...logicalNumberRoutes,
    ...deviceRoutes,
    ...notificationRoutes,
    ...transactionRoutes,
    ...createUserRoutes(signIn),
  ];
}

/** The routes of all surfaces, for the OpenAPI document. */
export function surfacesOf<T>(
  routes: readonly Route[],
  ofTerminals: readonly TerminalRoute<T>[],
): readonly Surface[] {
  return [
    { prefix: V1, routes },
    { prefix: TERMINAL, tag: 'terminals', routes: ofTerminals },
    { prefix: INGEST, tag: 'ingest', routes: [transactionIngest] },
    { prefix: EXPORT, tag: 'export', routes: EXPORT_ROUTES },
  ];
}
