import { getOperationAST, parse, type DocumentNode, type OperationDefinitionNode } from 'graphql';

import { findStoredResponse, storeResponse } from '../../src/database/stored-responses.js';
import { readContent } from '../../src/domain/software/content/content.service.js';
import type { OperationServices } from '../../src/graphql/execution/context.js';
import { SharedFeeds } from '../../src/graphql/execution/following/shared-feed.js';
import { createLargeReads } from '../../src/platform/client-limits.js';
import type { TestServer } from '../support/server.js';

/** Services shared by the contexts of a server, for tests that create contexts. */
export function servicesOf({ app: { units } }: TestServer, maxContentBytes = 1024): OperationServices {
  return {
    units,
    feeds: new SharedFeeds(units),
    storedResponses: { find: findStoredResponse, store: storeResponse },
    readContent: (companyId, contentId) => readContent(units, companyId, contentId),
    secretMutations: [],
    secrets: { tokenSecret: '', newPassword: () => Promise.resolve({ password: '', hash: '' }) },
    maxContentBytes,
    largeReads: createLargeReads(),
  };
}

/** A document of one operation. */
export function parsed(query: string): { document: DocumentNode; operation: OperationDefinitionNode } {
  const document = parse(query);
  const operation = getOperationAST(document);
  if (operation == null) throw new Error('No operation');
  return { document, operation };
}
