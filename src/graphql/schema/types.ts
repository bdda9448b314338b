import 'reflect-metadata';
import {
  Extensions,
  Field,
  Float,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  type ClassType,
} from 'type-graphql';

import { Base64, DateTime, Duration, JsonValue, SafeInt, Upload, Uuid } from './scalars.js';

export type { ClassType } from 'type-graphql';

/** A field that can show `V`: a property of type `string | null` compiles only with `text.orNull('...')`. */
export interface TypedField<V> {
  readonly type: object;
  /** `items` for a list that is not null and whose entries may be. */
  readonly isNullable: boolean | 'items';
  readonly description: string;
  /** Value of an absent field, for input types only. */
  readonly defaultValue?: unknown;
  /** Records that the field adds to the cost of an operation, instead of the length of a list in its arguments. */
  readonly counts?: number;
  /** Never set; makes the compiler compare `V` with the type of the property. */
  readonly shows?: (value: V) => void;
}

const make = <V>(type: object, description: string): TypedField<V> => ({
  type,
  isNullable: false,
  description,
});

/** A list without null entries. */
export function listOf<V>(field: TypedField<V>): TypedField<readonly V[]> {
  return { type: [field.type], isNullable: false, description: field.description };
}

export function nullable<V>({ type, description }: TypedField<V>): TypedField<V | null | undefined> {
  return { type, isNullable: true, description };
}

/** Makes fields of a scalar: `text(…)`, `text.orNull(…)`, and `text.list(…)` without null entries. */
function scalar<V>(type: object) {
  const of = (description: string) => make<V>(type, description);
  of.orNull = (description: string) => nullable(of(description));
  of.list = (description: string) => listOf(of(description));
  return of;
}

export const text = scalar<string>(String);
export const id = scalar<string>(ID);
export const int = scalar<number>(Int);
export const float = scalar<number>(Float);
export const safeInt = scalar<number>(SafeInt);
export const flag = scalar<boolean>(Boolean);
export const instant = scalar<Date>(DateTime);
export const duration = scalar<number>(Duration);
export const uuid = scalar<string>(Uuid);
export const base64 = scalar<string>(Base64);
export const json = scalar<object | string | number | boolean>(JsonValue);
export const upload = scalar<object>(Upload);

export const choice = <V extends string>({ values }: Enumeration<V>, description: string) =>
  make<V>(values, description);
choice.orNull = <V extends string>(of: Enumeration<V>, description: string) =>
  nullable(choice(of, description));
choice.list = <V extends string>(of: Enumeration<V>, description: string) => listOf(choice(of, description));

type ObjectClass<T> = abstract new (...args: never[]) => T;

export const object = <T extends object>(type: ObjectClass<T>, description: string) =>
  make<T>(type, description);
object.orNull = <T extends object>(type: ObjectClass<T>, description: string) =>
  nullable(object(type, description));
object.list = <T extends object>(type: ObjectClass<T>, description: string) =>
  listOf(object(type, description));

/** `T` with functions that read a property when it is selected. */
export type Lazy<T> = { readonly [K in keyof T]: () => Promise<T[K]> };

/** One field for each property of `T` except the hidden ones; leaving one out does not compile. */
export type FieldsOf<T, Hidden> = {
  readonly [K in Exclude<keyof T, Hidden>]: TypedField<T[K]>;
};

export type AnyField = TypedField<never>;

/** Fields of a type, or arguments of a field, by name. */
export type Fields = Readonly<Record<string, AnyField>>;

export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends TypedField<infer V> ? V : never;
};

/** Makes a class, decorates it as an object, input or interface type, and adds its fields. */
export function decoratedClass(decorate: ClassDecorator, fields: Fields = {}): ClassType {
  class Decorated extends Object {}
  decorate(Decorated);
  for (const [name, field] of Object.entries(fields)) addField(Decorated, name, field);
  return Decorated;
}

export function addField({ prototype }: ClassType, name: string, field: AnyField): void {
  const { type, isNullable, description, defaultValue, counts } = field;
  const options = { nullable: isNullable, description };
  Field(() => type, defaultValue === undefined ? options : { ...options, defaultValue })(prototype, name);
  if (counts !== undefined) Extensions({ counts })(prototype, name);
}

/** An object type without an id, for values of type `T`. `Hidden` names properties that it does not show. */
export function objectType<T extends object, Hidden extends keyof T = never>(
  name: string,
  description: string,
  fields: FieldsOf<T, Hidden>,
): ClassType<T> {
  return untypedObjectType(name, description, fields) as ClassType<T>;
}

export function untypedObjectType(name: string, description: string, fields: Fields): ClassType {
  return decoratedClass(ObjectType(name, { description, simpleResolvers: true }), fields);
}

export function inputType<F extends Fields>(name: string, description: string, fields: F) {
  return decoratedClass(InputType(name, { description }), fields) as ClassType<ValuesOf<F>>;
}

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
  names: Partial<Readonly<Record<V, string>>> = {},
): Enumeration<V> {
  const nameOf = (value: V): string => names[value] ?? enumName(value);
  const domainValues = Object.keys(descriptions) as V[];
  const values = Object.fromEntries(domainValues.map((value) => [nameOf(value), value]));
  registerEnumType(values, {
    name,
    description,
    valuesConfig: Object.fromEntries(
      domainValues.map((value) => [nameOf(value), { description: descriptions[value] }]),
    ),
  });
  return { name, values };
}

/** `get_asset` becomes `GET_ASSET`, `transactionType` becomes `TRANSACTION_TYPE`. */
export const enumName = (value: string): string => value.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
