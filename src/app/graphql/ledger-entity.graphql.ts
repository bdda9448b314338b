import { LedgerEntryType } from '../../domain/base/ledger-entry/ledger-entry.graphql.js';
import { computed, fields, Node, nullable, object } from '../../graphql/index.js';
import { nodeSources, readNode } from './node-lookup.graphql.js';

/** Where the records of each type are read from, by their entity type in the ledger: `app_version` for `AppVersion`. */
const sources = new Map(
  [...nodeSources.values()].map((source) => [source.entityType ?? snakeCase(source.list.name), source]),
);

function snakeCase(typeName: string): string {
  return typeName.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

export const ledgerEntityGraphql = fields(LedgerEntryType, {
  entity: computed(
    nullable(
      object(
        Node,
        'The changed record as it is now. Null if it was deleted, or if records of `entityType` have no global id.',
      ),
    ),
    ({ entityType, entityId }, ctx) => readNode(ctx, sources.get(entityType), entityId),
  ),
});
