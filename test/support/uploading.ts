import { replyOf, type GraphqlOptions } from './graphql.js';
import type { Fields, Member, TestServer } from './server.js';

export interface SentFile {
  readonly bytes: string | Uint8Array;
  readonly name: string;
}

/** A member whose operations carry a file, in the variable of the given path. */
export function carrying(
  { anonymous }: Pick<TestServer, 'anonymous'>,
  { token }: Pick<Member, 'token'>,
  { bytes, name }: SentFile,
  path: 'file' | `input.${string}` = 'file',
): Pick<Member, 'graphql'> {
  return {
    graphql: async <Data = Fields>(query: string, variables: Fields = {}, options: GraphqlOptions = {}) => {
      const { headers = {}, ...rest } = options;
      const form = new FormData();
      const [, field = 'file'] = path.split('.');
      const file =
        path === 'file' ? { file: null } : { input: { ...(variables.input as Fields), [field]: null } };
      form.set('operations', JSON.stringify({ query, variables: { ...variables, ...file }, ...rest }));
      form.set('map', JSON.stringify({ 0: [`variables.${path}`] }));
      form.set('0', new Blob([typeof bytes === 'string' ? bytes : new Uint8Array(bytes)]), name);
      return replyOf<Data>(
        await anonymous.post('/graphql', form, {
          headers: { authorization: `Bearer ${token}`, 'apollo-require-preflight': '1', ...headers },
        }),
      );
    },
  };
}
