import {
  changedRecord,
  type Fields,
  graphqlModule,
  nodesOf,
  nodeType,
  ownMutation,
  text,
} from '../../../graphql/index.js';
import type { Company } from './company.model.js';
import { changeCompany, companies } from './company.service.js';

export const CompanyType = nodeType<Company>(
  'Company',
  'The owner of a fleet. Clients see only their own company.',
  {
    name: text('Name.'),
    timeZone: text(
      'IANA time zone in which terminals show times, for example of messages: America/Sao_Paulo.',
    ),
  },
);

const changeMutation = (name: string, description: string, args: Fields) =>
  ownMutation(name, {
    description,
    args,
    payload: { company: changedRecord(CompanyType) },
    scope: 'admin',
    within: [],
    run: async (work, input) => ({ company: await changeCompany(work, input) }),
  });

export const companyGraphql = graphqlModule(
  changeMutation(
    'CompanyRename',
    'Renames the company. Names are unique on the server. Requires the scope ADMIN.',
    { name: text('The new name. 1 to 255 characters.') },
  ),
  changeMutation(
    'CompanySetTimeZone',
    'Sets the time zone in which terminals of the company show times. Requires the scope ADMIN.',
    { timeZone: text('IANA time zone, for example America/Sao_Paulo.') },
  ),
  nodesOf(companies),
);
