import { Extensions } from 'type-graphql';

/**
 * Adds records to the cost of a field that reads much to return little: always, or only if the argument `where` is
 * given. See `limits/cost.ts`.
 */
export const counts = (records: number, where?: string): ReturnType<typeof Extensions> =>
  Extensions({ counts: records, countsWhere: where });
