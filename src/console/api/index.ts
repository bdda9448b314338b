export { mutations } from '../gql/mutations';
export { noteChange, type EntityType } from './changes';
export { graphql } from './graphql';
export { mutate, useDryRun, useMutation } from './mutation';
export { query, useQuery, useRecord, useSubscription } from './query';
