/** Exports for the modules of resources (`*.graphql.ts`). */
export type { ChildList } from '../database/list/list.js';
export type { FollowArgs, GraphqlContext } from './execution/context.js';
export { findSentFile } from './http/upload.js';
export { enumeration } from './schema/enumeration.js';
export { requestError, userErrorsOf } from './schema/errors.js';
export { conditionOf, type FilterInput } from './schema/filter.js';
export { inputOf, type Input } from './schema/input.js';
export { listTypes, type ListTypes } from './schema/list.js';
export { idOf, Node, numberIn, parseGlobalId, withNumbers } from './schema/node.js';
export * from './schema/object-type.js';
export {
  dryRunArg,
  expectCountArg,
  targetConditionOf,
  targetPayload,
  type GraphQLResolveInfo,
} from './schema/target.js';
export { planned } from './schema/planned.js';
export { DateTime } from './schema/scalars.js';
export { searches, searchesOfChildren } from './schema/searches.js';
export { payloadOf, payloadType, WARNINGS } from './schema/payload.js';
export { bulkMutation } from './schema/resource/bulk.js';
export { graphqlModule, nodesOf, type GraphqlModule } from './schema/resource/graphql-module.js';
export { all, computed, fields, many, one, required, type ResolvedField } from './schema/resource/fields.js';
export { lockOf } from './schema/resource/lock.js';
export { mutations, recordMutation, recordMutations } from './schema/resource/mutations.js';
export { counts, listQuery, queries } from './schema/resource/queries.js';
