import {
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  type GraphQLField,
  type GraphQLNamedType,
} from 'graphql';

/** Draws a random selection of a type: fields, aliases, fragments, conditions, pages. */
export class Draw {
  #drawn = 0;

  constructor(private readonly choices: readonly number[]) {}

  selection(type: GraphQLNamedType, depth: number): string {
    if (isAbstractType(type)) return '{ __typename id ... on Group { name } ... on Device { serialNumber } }';
    if (!isObjectType(type)) return '';
    const fields = Object.values(type.getFields()).filter((field) => this.#isAskable(field, depth));
    const count = 1 + this.#next(4);
    const parts = Array.from({ length: count }, () => this.#field(fields, depth, type.name));
    return `{ __typename ${parts.join(' ')} }`;
  }

  #isAskable(field: GraphQLField<unknown, unknown>, depth: number): boolean {
    const type = getNamedType(field.type);
    const isLookUp = field.args.some(
      (argument) => isRequiredArgument(argument) || argument.name === 'databaseId',
    );
    return !isLookUp && type.name !== 'Base64' && (isLeafType(type) || depth > 0);
  }

  #field(fields: readonly GraphQLField<unknown, unknown>[], depth: number, typeName: string): string {
    const field = fields[this.#next(fields.length)];
    if (field === undefined) return '';
    const name = this.#next(3) === 0 ? `other${this.#drawn}: ${field.name}` : field.name;
    const pages = field.args.some((argument) => argument.name === 'first') ? '(first: 2)' : '';
    const condition = ['', '', '@include(if: $yes)', '@skip(if: $yes)'][this.#next(4)] ?? '';
    const asked = `${name}${pages} ${condition} ${this.selection(getNamedType(field.type), depth - 1)}`;
    return this.#next(4) === 0 ? `... on ${typeName} { ${asked} }` : asked;
  }

  #next(below: number): number {
    this.#drawn += 1;
    return (this.choices[this.#drawn % this.choices.length] ?? 0) % Math.max(below, 1);
  }
}
