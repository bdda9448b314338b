import fc from 'fast-check';

import type { Fields } from '../../support/client.js';

/** A subscription to the ledger, for the sequence and some other fields. */
export interface Selection {
  readonly query: string;
  readonly variables: Fields;
}

const FIELDS = [
  '__typename',
  'at',
  'channel',
  'action',
  'entityType',
  'entityId',
  'before',
  'after',
  'id',
  'company { name }',
  'actor { name email }',
  'actor { id memberships: __typename }',
];

interface Drawn {
  readonly field: string;
  readonly alias: boolean;
  readonly way: 'plain' | 'inline' | 'named' | 'included';
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  field: fc.constantFrom(...FIELDS),
  alias: fc.boolean(),
  way: fc.constantFrom('plain', 'inline', 'named', 'included'),
});

/** Selections with aliases, fragments and variables. Each has the variable `$after`, for where it begins. */
export const selections: fc.Arbitrary<Selection> = fc
  .tuple(fc.array(drawn, { minLength: 1, maxLength: 8 }), fc.boolean(), fc.boolean())
  .map(([fields, isIncluded, isNamed]) => {
    const fragments: string[] = [];
    const parts = fields.map(({ field, alias, way }, n) => {
      const text = alias || field.includes('{') ? `f${n}: ${field}` : field;
      if (way === 'inline') return `... on LedgerEntry { ${text} }`;
      if (way === 'included') return `... @include(if: $included) { ${text} }`;
      if (way === 'plain') return text;
      fragments.push(`fragment F${n} on LedgerEntry { ${text} }`);
      return `...F${n}`;
    });
    const name = isNamed ? 'Changes' : '';
    const query = `subscription ${name}($after: Int, $included: Boolean! = true) {
      ledgerAppended(after: $after) { ... @include(if: $included) { sequence } ${parts.join(' ')} }
    } ${fragments.join(' ')}`;
    return { query, variables: isIncluded ? {} : { included: false } };
  });
