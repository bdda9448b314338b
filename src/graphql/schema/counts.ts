import { Extensions } from 'type-graphql';

/** Decorates a field that reads much to answer little; `where` names the argument that makes it do so. */
export const counts = (records: number, where?: string): ReturnType<typeof Extensions> =>
  Extensions({ counts: records, countsWhere: where });
