/** The toolkit of the modules of resources (`*.graphql.ts`), which import it as `g`, like zod as `z`. */
export type { GraphqlContext } from './execution/context.js';
export type { LoadForMany } from './schema/declared.js';
export type { Exported } from './export/export.js';
export { exportedColumns, keptExport, type KeptExport } from './export/start.js';
export { findSentFile } from './http/operation-text.js';
export { requestError } from './schema/errors.js';
export { conditionOf } from './schema/filter.js';
export * from './schema/fields.js';
export { inputOf, type Input } from './schema/input.js';
export { connectionOf, listTypes, OrderDirection } from './schema/list.js';
export * from './schema/node.js';
export { BulkErrorPolicy, bulkMutation } from './schema/bulk.js';
export * from './schema/mutations.js';
export { DEFAULT_FIRST, MAX_FIRST, pageRequest, searchesOf } from './schema/page.js';
export { changedRecord, payload, payloadType, refusalFields } from './schema/payload.js';
export { changes, listQuery, queries } from './schema/queries.js';
export * from './schema/target.js';
export * from './schema/types.js';
