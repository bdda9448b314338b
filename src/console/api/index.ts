export * as mutations from '../gql/schema';
export { noteChange, type EntityType } from './changes';
export { fragment, graphql } from './graphql';
export { mutate, useDryRun, useMutation } from './mutation';
export { query, useQuery, useRecord, useSubscription } from './query';
