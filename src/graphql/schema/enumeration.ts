import { registerEnumType } from 'type-graphql';

/** An enum for the values of a domain type, for example `AppKind` for `'standard' | 'module'`. */
export interface Enumeration<V extends string = string> {
  readonly name: string;
  /** Domain values by their names in the schema, for example `{ STANDARD: 'standard' }`. */
  readonly values: Readonly<Record<string, V>>;
}

/** Registers an enum; `descriptions` has one entry for each value of the domain type. */
export function enumeration<V extends string>(
  name: string,
  description: string,
  descriptions: Readonly<Record<V, string>>,
): Enumeration<V> {
  const domainValues = Object.keys(descriptions) as V[];
  const values = Object.fromEntries(domainValues.map((value) => [enumName(value), value]));
  registerEnumType(values, {
    name,
    description,
    valuesConfig: Object.fromEntries(
      domainValues.map((value) => [enumName(value), { description: descriptions[value] }]),
    ),
  });
  return { name, values };
}

/** `get_asset` becomes `GET_ASSET`, `transactionType` becomes `TRANSACTION_TYPE`. */
export function enumName(value: string): string {
  return value.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
