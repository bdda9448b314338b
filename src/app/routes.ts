import { appVersionRoutes } from '../resources/app-version/app-version.rest.js';
import { appRoutes } from '../resources/app/app.rest.js';
import { deviceRoutes } from '../resources/device/device.rest.js';
import { fileRoutes } from '../resources/file/file.rest.js';
import { groupRoutes } from '../resources/group/group.rest.js';
import { logicalNumberRoutes } from '../resources/logical-number/logical-number.rest.js';
import { metacontentRoutes } from '../resources/metacontent/metacontent.rest.js';
import { notificationRoutes } from '../resources/notification/notification.rest.js';
import { parameterRoutes } from '../resources/parameter/parameter.rest.js';
import { transactionIngest } from '../resources/transaction/recording/transaction-ingest.rest.js';
import { transactionRoutes } from '../resources/transaction/transaction.rest.js';
import type { SignIn } from '../resources/user/sign-in/sign-in.service.js';
import { createUserRoutes } from '../resources/user/user.rest.js';
import { describeLineRoute } from '../rest/lines/line-route.js';
import type { DescribedRoute } from '../rest/openapi/described.js';
import type { Route } from '../rest/route.js';
import { describeTerminalRoutes } from '../terminal/describe.js';
import type { TerminalRoute } from '../terminal/route.js';

/** All routes of /v1. */
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

/** All routes outside of /v1, for the OpenAPI document. `terminal` are those of /terminal/v1. */
export function describeOtherRoutes<T>(terminal: readonly TerminalRoute<T>[]): readonly DescribedRoute[] {
  return [...describeTerminalRoutes(terminal), describeLineRoute(transactionIngest)];
}
