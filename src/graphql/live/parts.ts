import type { ClientLimits } from '../../http/request-context.js';
import type { CountRequest } from '../../http/server/rate-limit.js';
import type { Authenticate } from '../http/authentication.js';
import type { OperationParts } from './operation/operation.js';

/** Services that sockets and event streams share. */
export interface LiveParts {
  readonly operations: OperationParts;
  readonly authenticate: Authenticate;
  /** Counts operations over sockets in the client's request budget. */
  readonly count: CountRequest;
  readonly limits: ClientLimits;
}
