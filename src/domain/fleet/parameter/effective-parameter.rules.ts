import type { EffectiveParameter, Parameter } from './parameter.model.js';

/** Parameters of a terminal, ordered by key: those of the logical number override those of its group. */
export function effectiveParameters(
  own: readonly Parameter[],
  ofGroup: readonly Parameter[],
): readonly EffectiveParameter[] {
  const inherited = new Map(ofGroup.map((parameter) => [parameter.key, parameter]));
  const effective = own.map((parameter) =>
    effectiveOf(parameter, 'LOGICAL_NUMBER', inherited.get(parameter.key) ?? null),
  );
  for (const { key } of own) inherited.delete(key);
  for (const parameter of inherited.values()) effective.push(effectiveOf(parameter, 'GROUP', null));
  return effective.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function effectiveOf(
  { key, value, description }: Parameter,
  source: EffectiveParameter['source'],
  overridden: Parameter | null,
): EffectiveParameter {
  return { key, value, description, source, overridden };
}
