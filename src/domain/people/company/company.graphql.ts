import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';

import {
  graphqlModule,
  nodesOf,
  nodeType,
  payloadOf,
  text,
  type GraphqlContext,
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

const CompanyRenamePayload = payloadOf('CompanyRename', 'company', CompanyType);
const CompanySetTimeZonePayload = payloadOf('CompanySetTimeZone', 'company', CompanyType);

@Resolver()
class CompanyMutations {
  @Mutation(() => CompanyRenamePayload, {
    description: 'Renames the company. Names are unique on the server. Requires the scope ADMIN.',
  })
  companyRename(
    @Arg('name', () => String, { description: 'The new name. 1 to 255 characters.' }) name: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({ company: await changeCompany(work, { name }) }), 'admin', []);
  }

  @Mutation(() => CompanySetTimeZonePayload, {
    description: 'Sets the time zone in which terminals of the company show times. Requires the scope ADMIN.',
  })
  companySetTimeZone(
    @Arg('timeZone', () => String, { description: 'IANA time zone, for example America/Sao_Paulo.' })
    timeZone: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({ company: await changeCompany(work, { timeZone }) }), 'admin', []);
  }
}

export const companyGraphql = graphqlModule(CompanyMutations, nodesOf(companies));
