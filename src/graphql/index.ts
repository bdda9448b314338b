/** Exports for the modules of resources (`*.graphql.ts`). */
export type { ChildList } from '../database/list/list.js';
export type { FollowArgs, GraphqlContext } from './execution/context.js';
export { findSentFile } from './http/upload.js';
export { planned } from './schema/declared.js';
export { requestError } from './schema/errors.js';
export { conditionOf, type FilterInput } from './schema/filter.js';
export {
  all,
  computed,
  fields,
  graphqlModule,
  many,
  nodesOf,
  one,
  required,
  resolvedFields,
  type GraphqlModule,
  type ResolvedField,
} from './schema/fields.js';
export { inputOf, type Input } from './schema/input.js';
export { listTypes, type ListTypes } from './schema/list.js';
export { idOf, Node, numberIn, parseGlobalId, withNumbers } from './schema/node.js';
export { bulkMutation } from './schema/bulk.js';
export { mutations, ownMutation, recordMutations } from './schema/mutations.js';
export { searchesOf } from './schema/page.js';
export { changedRecord, payloadOf, payloadType, WARNINGS } from './schema/payload.js';
export { listQuery, queries } from './schema/queries.js';
export { DateTime } from './schema/scalars.js';
export {
  dryRunArg,
  expectCountArg,
  targetConditionOf,
  targetPayload,
  type GraphQLResolveInfo,
} from './schema/target.js';
export * from './schema/types.js';
