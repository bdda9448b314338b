import type { ClassType, Ctx } from 'type-graphql';

/** A decorator of a parameter, such as `Ctx()`. */
export type Parameter = ReturnType<typeof Ctx>;

/** Adds a decorated method to a resolver class that is made at run time; each parameter has one decorator. */
export function addMethod<P extends readonly unknown[]>(
  { prototype }: ClassType,
  name: string,
  decorate: MethodDecorator,
  parameters: { readonly [I in keyof P]: Parameter },
  run: (...values: P) => unknown,
): void {
  const method = { value: run };
  Object.defineProperty(prototype, name, method);
  for (const [index, parameter] of parameters.entries()) parameter(prototype, name, index);
  decorate(prototype, name, method);
}
