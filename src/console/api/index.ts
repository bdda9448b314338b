export { noteChange, noteOthersChange, type EntityType } from './changes';
export { useDryRun } from './dry-run';
export { graphql } from './graphql';
export { mutate, useMutation } from './mutation';
export { query, useQuery, useSubscription } from './query';
