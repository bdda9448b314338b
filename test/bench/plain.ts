/**
 * Server that uses the same libraries in the usual way: Kysely's own SQLite dialect, a DataLoader for each
 * relation, no caches between requests. Its argument is the database file; it prints `listens on URL`.
 */
import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import Sqlite from 'better-sqlite3';
import DataLoader from 'dataloader';
import express from 'express';
import { Kysely, sql, SqliteDialect } from 'kysely';
import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  Arg,
  buildSchema,
  Ctx,
  Field,
  FieldResolver,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
  type ClassType,
} from 'type-graphql';

import type { Tables } from '../../src/schema/schema.js';

const db = new Kysely<Tables>({
  dialect: new SqliteDialect({ database: new Sqlite(process.argv[2] ?? '', { timeout: 5_000 }) }),
});

class Context {
  private readonly loaders = new Map<string, DataLoader<number, unknown>>();

  constructor(readonly companyId: number) {}

  load<V>(
    name: string,
    id: number,
    batch: (ids: readonly number[]) => Promise<ReadonlyMap<number, V>>,
    none: V,
  ): Promise<V> {
    let loader = this.loaders.get(name);
    if (loader === undefined) {
      loader = new DataLoader(async (ids) => {
        const found = await batch(ids);
        return ids.map((each) => found.get(each) ?? none);
      });
      this.loaders.set(name, loader);
    }
    return loader.load(id) as Promise<V>;
  }
}

interface PageFields<T> {
  readonly nodes: () => Promise<readonly T[]>;
  readonly totalCount: () => Promise<number>;
}

interface Page<T> {
  readonly fields: PageFields<T>;
}

function pageOf(NodeType: ClassType, name: string): ClassType {
  @ObjectType(`${name}Connection`)
  class Connection {
    @Field(() => [NodeType])
    nodes(@Root() { fields: parts }: Page<object>): Promise<readonly object[]> {
      return parts.nodes();
    }

    @Field(() => Int)
    totalCount(@Root() { fields: parts }: Page<object>): Promise<number> {
      return parts.totalCount();
    }
  }
  return Connection;
}

@ObjectType()
class File {
  @Field(() => String)
  name!: string;

  @Field(() => String)
  crc!: string;

  @Field(() => Int)
  size!: number;
}

@ObjectType()
class App {
  @Field(() => String)
  name!: string;
}

@ObjectType()
class AppVersion {
  id!: number;
  app_id!: number;

  @Field(() => String)
  number!: string;
}

@ObjectType()
class LogicalNumber {
  id!: number;

  @Field(() => String)
  number!: string;
}

@ObjectType()
class Group {
  id!: number;

  @Field(() => String)
  name!: string;
}

const Groups = pageOf(Group, 'Group');
const LogicalNumbers = pageOf(LogicalNumber, 'LogicalNumber');
const AppVersions = pageOf(AppVersion, 'AppVersion');
const Files = pageOf(File, 'File');

type Owned<T> = T & { parent_id: number };

function byParent<T>(rows: readonly Owned<T>[]): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const row of rows) found.set(row.parent_id, [...(found.get(row.parent_id) ?? []), row]);
  return found;
}

async function totals(ctx: Context, table: string, column: string, parents: readonly number[]) {
  const { rows } = await sql<{ parent_id: number; total: number }>`
    select ${sql.ref(column)} as parent_id, count(*) as total from ${sql.table(table)}
    where company_id = ${ctx.companyId} and ${sql.ref(column)} in (${sql.join(parents)})
    group by ${sql.ref(column)}`.execute(db);
  return new Map(rows.map((row) => [row.parent_id, row.total]));
}

/** The first children of each parent, through a link table. */
async function linked<T>(
  ctx: Context,
  { link, parent, child, table }: Readonly<Record<'link' | 'parent' | 'child' | 'table', string>>,
  parents: readonly number[],
  first: number,
): Promise<Map<number, T[]>> {
  const { rows } = await sql<Owned<T>>`select * from (
      select t.*, l.${sql.ref(parent)} as parent_id,
        row_number() over (partition by l.${sql.ref(parent)} order by t.id) as position
      from ${sql.table(link)} as l join ${sql.table(table)} as t
        on t.company_id = l.company_id and t.id = l.${sql.ref(child)}
      where l.company_id = ${ctx.companyId} and l.${sql.ref(parent)} in (${sql.join(parents)}))
    where position <= ${first} order by parent_id, position`.execute(db);
  return byParent(rows);
}

const VERSIONS = {
  link: 'logical_number_app_versions',
  parent: 'logical_number_id',
  child: 'app_version_id',
  table: 'app_versions',
};
const FILES = { link: 'app_version_files', parent: 'app_version_id', child: 'file_id', table: 'files' };

@Resolver(() => Group)
class GroupResolver {
  @Query(() => Groups)
  groups(@Arg('first', () => Int) first: number, @Ctx() ctx: Context): Page<Group> {
    return {
      fields: {
        nodes: () =>
          db
            .selectFrom('groups')
            .selectAll()
            .where('company_id', '=', ctx.companyId)
            .orderBy('id')
            .limit(first)
            .execute(),
        totalCount: async () => {
          const { total } = await db
            .selectFrom('groups')
            .select((count) => count.fn.countAll<number>().as('total'))
            .where('company_id', '=', ctx.companyId)
            .executeTakeFirstOrThrow();
          return total;
        },
      },
    };
  }

  @FieldResolver(() => LogicalNumbers)
  logicalNumbers(
    @Root() group: Group,
    @Arg('first', () => Int) first: number,
    @Ctx() ctx: Context,
  ): Page<LogicalNumber> {
    return {
      fields: {
        nodes: () =>
          ctx.load<LogicalNumber[]>(
            `numbers ${first}`,
            group.id,
            async (ids) => {
              const { rows } = await sql<Owned<LogicalNumber>>`select * from (
                select t.*, t.group_id as parent_id, row_number() over (partition by group_id order by id) as position
                from logical_numbers as t where company_id = ${ctx.companyId} and group_id in (${sql.join(ids)}))
              where position <= ${first} order by parent_id, position`.execute(db);
              return byParent(rows);
            },
            [],
          ),
        totalCount: () =>
          ctx.load('numbers', group.id, (ids) => totals(ctx, 'logical_numbers', 'group_id', ids), 0),
      },
    };
  }
}

@Resolver(() => LogicalNumber)
class LogicalNumberResolver {
  @FieldResolver(() => AppVersions)
  appVersions(
    @Root() { id }: LogicalNumber,
    @Arg('first', () => Int) first: number,
    @Ctx() ctx: Context,
  ): Page<AppVersion> {
    return {
      fields: {
        nodes: () =>
          ctx.load<AppVersion[]>(`versions ${first}`, id, (ids) => linked(ctx, VERSIONS, ids, first), []),
        totalCount: () =>
          ctx.load('versions', id, (ids) => totals(ctx, VERSIONS.link, VERSIONS.parent, ids), 0),
      },
    };
  }
}

@Resolver(() => AppVersion)
class AppVersionResolver {
  @FieldResolver(() => App)
  app(@Root() version: AppVersion, @Ctx() ctx: Context): Promise<App | null> {
    return ctx.load<App | null>(
      'app',
      version.app_id,
      async (ids) => {
        const rows = await db
          .selectFrom('apps')
          .selectAll()
          .where('company_id', '=', ctx.companyId)
          .where('id', 'in', [...ids])
          .execute();
        return new Map(rows.map((row) => [row.id, row]));
      },
      null,
    );
  }

  @FieldResolver(() => Files)
  files(@Root() { id }: AppVersion, @Arg('first', () => Int) first: number, @Ctx() ctx: Context): Page<File> {
    return {
      fields: {
        nodes: () => ctx.load<File[]>(`files ${first}`, id, (ids) => linked(ctx, FILES, ids, first), []),
        totalCount: () => ctx.load('files', id, (ids) => totals(ctx, FILES.link, FILES.parent, ids), 0),
      },
    };
  }
}

async function authenticate(authorization: string | undefined): Promise<Context> {
  const token = authorization?.replace('Bearer ', '') ?? '';
  const row = await db
    .selectFrom('access_tokens')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.company_id', '=', 'access_tokens.company_id')
        .onRef('memberships.user_id', '=', 'access_tokens.user_id'),
    )
    .select('access_tokens.company_id')
    .where('token_hash', '=', createHash('sha256').update(token).digest('hex'))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return new Context(row.company_id);
}

const schema = await buildSchema({
  resolvers: [GroupResolver, LogicalNumberResolver, AppVersionResolver],
  validate: false,
});
const apollo = new ApolloServer<Context>({ schema });
await apollo.start();
const app = express();
app.use(
  '/graphql',
  express.json(),
  expressMiddleware(apollo, { context: ({ req }) => authenticate(req.headers.authorization) }),
);
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
