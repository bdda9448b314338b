/** Exports for `*.rest.ts` files, which may import nothing else of the toolkit. */
export type { ReadWork } from '../database/work.js';
export {
  auditShape,
  fieldsOf,
  listResponse,
  listShape,
  TimestampShape,
  type RecordFields,
} from './fields.js';
export { ENDED_EARLY, LINE_STATUSES, NDJSON_TYPE, type LineRoute } from './lines.js';
export { byId, byName, CREATED, resourceRoutes } from './resource.js';
export { base64Of } from './router.js';
export { parameter, type Call, type Route } from './route.js';
