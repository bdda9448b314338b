import { bulkMutation, inputOf, listOf, object, userErrorsOf, WARNINGS } from '../../../graphql/index.js';
import { OwnerInput, ownerIdsOf } from '../owner/owner.graphql.js';
import { setParameters } from './parameter.bulk.service.js';
import { ParameterType } from './parameter.graphql.js';
import { ParameterCreate } from './parameter.model.js';

const ParameterBulkSetRow = inputOf('ParameterBulkSetRow', ParameterCreate, {
  description: 'A parameter and its new value.',
  descriptions: {
    key: 'Key of the parameter, unique for its owner. 1 to 255 characters.',
    description:
      'Purpose of the parameter. At most 4096 characters. If absent, an existing description stays.',
  },
  fields: { owner: object(OwnerInput, 'Owner of the parameter.') },
});

export const parameterBulkGraphql = bulkMutation({
  name: 'ParameterBulkSet',
  description: 'Sets up to 1000 parameters by owner and key: creates new ones and updates existing ones.',
  argument: 'rows',
  rows: listOf(object(ParameterBulkSetRow, 'Parameters to set. Each owner and key may occur once.')),
  field: 'parameter',
  record: object(ParameterType, 'The parameter after the change. Null if it was not set.'),
  payloadFields: WARNINGS,
  countDescription: 'Number of parameters with the given value now; 0 if an invalid row rejected the batch.',
  prepare: async (rows) =>
    await Promise.resolve(
      rows.map(({ owner, ...input }) => ({ owner: ownerIdsOf(owner as OwnerInput), input })),
    ),
  run: async (work, settings, errorPolicy) => {
    const set = await setParameters(work, settings, errorPolicy);
    return set.map(({ index, parameter, problem }) => ({
      index,
      record: parameter,
      userErrors: userErrorsOf(problem, ['rows', String(index)]) ?? [],
    }));
  },
});
