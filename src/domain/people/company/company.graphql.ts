import * as g from '../../../graphql/index.js';
import type { Company } from './company.model.js';
import { changeCompany, companies } from './company.service.js';

export const CompanyType = g.nodeType<Company>(
  'Company',
  'The owner of a fleet. Clients see only their own company.',
  {
    name: g.text('Name.'),
    timeZone: g.text(
      'IANA time zone in which terminals show times, for example of messages: America/Sao_Paulo.',
    ),
  },
);

const changeMutation = (name: string, description: string, args: g.Fields) =>
  g.ownMutation(name, {
    description,
    args,
    payload: { company: g.changedRecord(CompanyType) },
    scope: 'admin',
    within: [],
    run: async (work, input) => ({ company: await changeCompany(work, input) }),
  });

export const companyGraphql = g.graphqlModule(
  changeMutation(
    'CompanyRename',
    'Renames the company. Names are unique on the server. Requires the scope ADMIN.',
    { name: g.text('The new name. 1 to 255 characters.') },
  ),
  changeMutation(
    'CompanySetTimeZone',
    'Sets the time zone in which terminals of the company show times. Requires the scope ADMIN.',
    { timeZone: g.text('IANA time zone, for example America/Sao_Paulo.') },
  ),
  g.nodesOf(companies),
);
