import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  ArgsType,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { Audited } from '../user/audited.graphql.js';
import type { CommunicationFormat, Kind, Language } from './app.model.js';
import { deleteApp } from './app.removal.service.js';
import { apps, createApp, getApp, getAppByName, updateApp } from './app.service.js';

const KINDS: Readonly<Record<Uppercase<Kind>, Kind>> = { STANDARD: 'standard', MODULE: 'module' };
registerEnumType(KINDS, {
  name: 'AppKind',
  description: 'What an application is for.',
  valuesConfig: {
    STANDARD: { description: 'It runs by itself.' },
    MODULE: { description: 'Its versions can be part of other versions.' },
  },
});

const FORMATS: Readonly<Record<Uppercase<CommunicationFormat>, CommunicationFormat>> = {
  HTTP: 'http',
  ISO8583: 'iso8583',
  ISO20022: 'iso20022',
};
registerEnumType(FORMATS, {
  name: 'CommunicationFormat',
  description: 'How an application speaks to its host.',
  valuesConfig: {
    HTTP: { description: 'HTTP.' },
    ISO8583: { description: 'ISO 8583.' },
    ISO20022: { description: 'ISO 20022.' },
  },
});

const LANGUAGES: Readonly<Record<Uppercase<Language>, Language>> = { POSXML: 'posxml', RUBY: 'ruby' };
registerEnumType(LANGUAGES, {
  name: 'AppLanguage',
  description: 'What an application is written in.',
  valuesConfig: {
    POSXML: { description: 'POSXML; the name ends in .posxml.' },
    RUBY: { description: 'Ruby; the name ends in .rb.' },
  },
});

@ObjectType('App', {
  implements: Node,
  simpleResolvers: true,
  description: 'An application for terminals; what they run are its versions.',
})
export class AppType extends Audited {
  @Field(() => String, {
    description: 'Name, unique in the company, with the suffix of its language.',
  })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Brief description.' })
  description!: string | null;

  @Field(() => FORMATS, { description: 'How it speaks to its host.' })
  communicationFormat!: CommunicationFormat;

  @Field(() => KINDS, { description: 'What it is for.' })
  kind!: Kind;

  @Field(() => LANGUAGES, { description: 'What it is written in.' })
  language!: Language;
}

const AppList = listTypes(apps, AppType, {
  kind: { name: 'AppKind', type: KINDS },
  communicationFormat: { name: 'CommunicationFormat', type: FORMATS },
  language: { name: 'AppLanguage', type: LANGUAGES },
});

@InputType({ description: 'A new application.' })
class AppCreateInput {
  @Field(() => String, {
    description: 'Name, unique in the company: 1 to 255 characters; the suffix of its language is added.',
  })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Brief description.' })
  description?: string | null;

  @Field(() => FORMATS, { nullable: true, description: 'How it speaks to its host; HTTP unless told.' })
  communicationFormat?: CommunicationFormat | null;

  @Field(() => KINDS, { nullable: true, description: 'What it is for; STANDARD unless told.' })
  kind?: Kind | null;

  @Field(() => LANGUAGES, {
    nullable: true,
    description: 'What it is written in; unless told, by the suffix of the name, else POSXML.',
  })
  language?: Language | null;
}

@InputType({ description: 'What changes of an application; what is absent stays.' })
class AppUpdateInput {
  @Field(() => String, { nullable: true, description: 'New name; its suffix may bring another language.' })
  name?: string | null;

  @Field(() => String, { nullable: true, description: 'Brief description; null clears it.' })
  description?: string | null;

  @Field(() => FORMATS, { nullable: true, description: 'How it speaks to its host.' })
  communicationFormat?: CommunicationFormat | null;

  @Field(() => KINDS, {
    nullable: true,
    description: 'What it is for; a module stays one while its versions are part of others.',
  })
  kind?: Kind | null;

  @Field(() => LANGUAGES, {
    nullable: true,
    description: 'What it is written in; another one gives the name another suffix.',
  })
  language?: Language | null;
}

const AppCreatePayload = payloadOf('AppCreate', 'app', () => AppType);
const AppUpdatePayload = payloadOf('AppUpdate', 'app', () => AppType);
const AppDeletePayload = payloadOf('AppDelete', 'deletedId', () => ID);

@ArgsType()
class AppKeys extends Keys {
  @Field(() => String, { nullable: true, description: 'Its name, with its suffix.' })
  name?: string | null;
}

@Resolver(() => AppType)
export class AppResolver {
  @Query(() => AppType, { nullable: true, description: 'An application by exactly one of its keys.' })
  app(@Args(() => AppKeys) keys: AppKeys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(apps, keys, { name: getAppByName });
  }

  @Query(() => AppList.Connection, { description: 'Applications of the company.' })
  apps(@Args(() => AppList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(apps, args);
  }

  @Mutation(() => AppCreatePayload, { description: 'Creates an application, without a version.' })
  appCreate(
    @Arg('input', () => AppCreateInput, { description: 'What it shall be.' }) input: AppCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({ app: await createApp(work, input) }));
  }

  @Mutation(() => AppUpdatePayload, { description: 'Changes an application.' })
  appUpdate(
    @Arg('id', () => ID, { description: 'Which application.' }) id: string,
    @Arg('input', () => AppUpdateInput, { description: 'What changes.' }) input: AppUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => ({
      app: await updateApp(work, await getApp(work, idOf('App', id)), input),
    }));
  }

  @Mutation(() => AppDeletePayload, {
    description: 'Deletes an application with its versions, which are taken from whatever had them.',
  })
  appDelete(
    @Arg('id', () => ID, { description: 'Which application.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      await deleteApp(work, await getApp(work, idOf('App', id)));
      return { deletedId: id };
    });
  }
}
