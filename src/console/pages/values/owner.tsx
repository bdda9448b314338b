import { mutations } from '../../api';
import type { ParameterCreateMutation } from '../../gql/graphql';
import type { Creating } from '../../record/dialog-button';
import { useText } from './words';

/** Fields that ask for a group or a logical number. */
export const OWNER = ['owner.groupId', 'owner.logicalNumberId'] as const;

/** The form that creates a parameter of a group or a number; without one, it asks for it. */
export function useNewParameter(
  owner?: { readonly groupId: string } | { readonly logicalNumberId: string },
): Creating<ParameterCreateMutation> {
  return {
    title: useText().newParameter,
    fields: ['key', { name: 'value', rows: 2 }, 'description', ...(owner ? [] : OWNER)],
    ...(owner && { input: { owner } }),
    document: mutations.parameterCreate,
  };
}
