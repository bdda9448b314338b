/** Exports for `*.rest.ts` files, which may import nothing else of the /v1 toolkit. */
export type { ReadWork } from '../database/work.js';
export { auditShape, listResponse, listShape, TimestampShape } from './envelope.js';
export { camelCase } from './fields/record-fields.js';
export { fieldsOf, type RecordFields } from './fields/record-fields.js';
export { byId, byName, resourceRoutes } from './resource.js';
export type { LineRoute } from './lines/line-route.js';
export { base64Of } from './response.js';
export type { Call, QueryParameter, Route } from './route.js';
export { zonedTimestamp } from './fields/timestamps.js';
