import * as g from '../../../graphql/index.js';
import { MAX_RESPONSE_TEXTS, type Company } from './company.model.js';
import { changeCompany, companies, setResponseText } from './company.service.js';

export const CompanyType = g.nodeType<Omit<Company, 'responseTexts'>>(
  'Company',
  'The owner of a fleet. Clients see only their own company.',
  {
    name: g.text('Name.'),
    timeZone: g.text(
      'IANA time zone in which terminals show times, for example of messages: America/Sao_Paulo.',
    ),
    currency: g.text.orNull(
      'Currency of all amounts of the company, an ISO 4217 code: BRL. Amounts are in its smallest unit, for example in cents. Null until it is set; amounts are then shown with two decimals.',
    ),
  },
);

const changeMutation = (name: string, description: string, args: g.Fields, change = changeCompany) =>
  g.ownMutation(name, {
    description,
    args,
    payload: { company: g.changedRecord(CompanyType) },
    scope: 'admin',
    within: [],
    run: async (work, input) => ({ company: await change(work, input) }),
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
  changeMutation(
    'CompanySetCurrency',
    'Sets the currency in which amounts are shown and exported. No stored amount changes. Requires the scope ADMIN.',
    { currency: g.text.orNull('ISO 4217 code, for example BRL, or null for none.') },
  ),
  changeMutation(
    'CompanySetResponseText',
    `Sets the company's own text of a response code, in place of that of ISO 8583, for both languages; see \`responseCodes\`. At most ${MAX_RESPONSE_TEXTS} codes have one. Requires the scope ADMIN.`,
    {
      code: g.text('Code as in `statusReason` of payments. 1 to 10 characters.'),
      text: g.text.orNull('Its meaning, 1 to 100 characters. Null removes the own text.'),
    },
    setResponseText,
  ),
  g.nodesOf(companies),
);
