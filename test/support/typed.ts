import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

import type { Fields } from './client.js';
import { answered } from './dashboard.js';
import type { Member } from './server.js';

/** What a generated document answers, which must succeed; the types are those that `npm run codegen` made. */
export async function asked<Data, Variables extends Fields>(
  member: Pick<Member, 'graphql'>,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  return await answered<Data>(member, print(document), variables);
}
