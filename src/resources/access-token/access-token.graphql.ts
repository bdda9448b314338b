import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';

import { Keys } from '../../graphql/schema/connection.js';
import type { GraphqlContext, ListArgs } from '../../graphql/execution/context.js';
import { listTypes } from '../../graphql/schema/list.js';
import { idOf, Node } from '../../graphql/schema/node.js';
import { payloadOf } from '../../graphql/schema/payload.js';
import { DateTime } from '../../graphql/schema/scalars.js';
import type { Scope } from '../../platform/caller.js';
import { UserType } from '../user/user.graphql.js';
import type { User } from '../user/user.model.js';
import { users } from '../user/user.service.js';
import type { AccessToken } from './access-token.model.js';
import { apiTokens, apiTokensOfUser, createOwnToken, getToken, revokeToken } from './access-token.service.js';

export const API_SCOPES: Readonly<Record<Uppercase<Scope>, Scope>> = {
  READ: 'read',
  WRITE: 'write',
  ADMIN: 'admin',
  INGEST: 'ingest',
};
registerEnumType(API_SCOPES, {
  name: 'Scope',
  description: 'A right of a token; what the role of its user does not have as well is of no use.',
  valuesConfig: {
    READ: { description: 'Reads the company.' },
    WRITE: { description: 'Changes the company.' },
    ADMIN: { description: 'Users, tokens and the ledger.' },
    INGEST: { description: 'Records what terminals report, nothing else.' },
  },
});

const KINDS: Readonly<Record<Uppercase<AccessToken['kind']>, AccessToken['kind']>> = {
  DERIVED: 'derived',
  NAMED: 'named',
};
registerEnumType(KINDS, {
  name: 'ApiTokenKind',
  description: 'How a token came to be.',
  valuesConfig: {
    DERIVED: { description: 'By signing in through REST: one for each user.' },
    NAMED: { description: 'On its own, shown once.' },
  },
});

@ObjectType('ApiToken', {
  implements: Node,
  simpleResolvers: true,
  description: 'An access token of a user in the company; its text is nowhere to be read again.',
})
class ApiTokenType extends Node {
  @Field(() => KINDS, { description: 'How it came to be.' })
  kind!: AccessToken['kind'];

  @Field(() => String, {
    nullable: true,
    description: 'What it is called; null for one that signing in made.',
  })
  name!: string | null;

  @Field(() => [API_SCOPES], { description: 'Its rights, as far as the role of its user has them.' })
  scopes!: readonly Scope[];

  @Field(() => String, { description: 'The last four characters of its text.' })
  lastFour!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was last used, to within five minutes.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; null for never.' })
  expiresAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was revoked; null where it was not.' })
  revokedAt!: Date | null;
}

const ApiTokenList = listTypes(apiTokens, ApiTokenType);

@InputType({ description: 'A new token for the caller.' })
class ApiTokenCreateInput {
  @Field(() => String, { description: 'What it is for: 1 to 100 characters.' })
  name!: string;

  @Field(() => [API_SCOPES], { description: 'Its rights, out of those that the caller has.' })
  scopes!: Scope[];

  @Field(() => DateTime, { nullable: true, description: 'When it ends by itself; never unless told.' })
  expiresAt?: Date | null;
}

const ApiTokenCreatePayload = payloadOf('ApiTokenCreate', 'apiToken', () => ApiTokenType);
Field(() => String, {
  nullable: true,
  description: 'The text of the token, which is shown here and never again.',
})(ApiTokenCreatePayload.prototype, 'token');
const ApiTokenRevokePayload = payloadOf('ApiTokenRevoke', 'apiToken', () => ApiTokenType);

@Resolver(() => ApiTokenType)
export class ApiTokenResolver {
  @Query(() => ApiTokenType, {
    nullable: true,
    description: 'A token by exactly one of its keys; for administrators.',
  })
  apiToken(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(apiTokens, keys, {}, 'admin');
  }

  @Query(() => ApiTokenList.Connection, {
    description: 'All tokens of the company, ended ones too; for administrators.',
  })
  apiTokens(@Args(() => ApiTokenList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(apiTokens, args, 'admin');
  }

  @FieldResolver(() => UserType, { nullable: true, description: 'For whom it speaks.' })
  user(@Root() token: AccessToken, @Ctx() ctx: GraphqlContext) {
    return ctx.one(users, token.userId);
  }

  @Mutation(() => ApiTokenCreatePayload, {
    description: 'Creates a token for the caller and shows its text once; for administrators.',
  })
  apiTokenCreate(
    @Arg('input', () => ApiTokenCreateInput, { description: 'What it shall be.' }) input: ApiTokenCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(async (work) => {
      const { token, secret } = await createOwnToken(work, input);
      return { apiToken: token, token: secret };
    }, 'admin');
  }

  @Mutation(() => ApiTokenRevokePayload, { description: 'Ends a token at once; for administrators.' })
  apiTokenRevoke(
    @Arg('id', () => ID, { description: 'Which token.' }) id: string,
    @Ctx() ctx: GraphqlContext,
  ) {
    return ctx.change(
      async (work) => ({ apiToken: await revokeToken(work, await getToken(work, idOf('ApiToken', id))) }),
      'admin',
    );
  }
}

@Resolver(() => UserType)
export class UserApiTokensResolver {
  @FieldResolver(() => ApiTokenList.Connection, {
    description: "The user's tokens in the company; for administrators.",
  })
  apiTokens(@Root() user: User, @Args(() => ApiTokenList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.children(apiTokensOfUser, user.id, args, 'admin');
  }
}
