import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
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
import { Base64, Upload } from '../../graphql/schema/scalars.js';
import { findSentFile } from '../../graphql/http/upload.js';
import { invalid } from '../../platform/errors.js';
import { base64Of, CONTENT_IS_COSTLY, sha256Of } from '../content/content.graphql.js';
import { Audited } from '../user/audited.graphql.js';
import type { File, FileType as Type, SentFile } from './file.model.js';
import { deleteFile } from './file.removal.service.js';
import { createFile, files, getFile, updateFile } from './file.service.js';

const FILE_TYPES: Readonly<Record<Uppercase<Type>, Type>> = { ASSET: 'asset', TORRENT: 'torrent' };
registerEnumType(FILE_TYPES, {
  name: 'FileType',
  description: 'What a file is for.',
  valuesConfig: {
    ASSET: { description: 'Something that an application needs beside it.' },
    TORRENT: { description: 'Tells terminals where parts of a larger file are.' },
  },
});

@ObjectType('File', {
  implements: Node,
  simpleResolvers: true,
  description: 'A file that terminals can have along with their applications.',
})
export class FileType extends Audited {
  @Field(() => String, { description: 'Base file name, unique in the company.' })
  name!: string;

  @Field(() => FILE_TYPES, { description: 'What it is for.' })
  fileType!: Type;

  @Field(() => String, { nullable: true, description: 'In words.' })
  description!: string | null;

  @Field(() => Int, { description: 'Number of bytes.' })
  size!: number;

  @Field(() => String, { description: 'CRC-16/XMODEM of the bytes, 4 upper-case hexadecimal digits.' })
  crc!: string;
}

export const FileList = listTypes(files, FileType, { fileType: { name: 'FileType', type: FILE_TYPES } });

@InputType({ description: 'A new file.' })
class FileCreateInput {
  @Field(() => String, { nullable: true, description: 'In words: at most 4000 characters.' })
  description?: string | null;

  @Field(() => FILE_TYPES, { nullable: true, description: 'What it is for; an asset unless told.' })
  fileType?: Type | null;

  @Field(() => Upload, {
    description:
      "The bytes, as a part of a multipart request; the file's name is the base file name of that part.",
  })
  file!: unknown;
}

@InputType({ description: 'What changes of a file; what is absent stays.' })
class FileUpdateInput {
  @Field(() => String, { nullable: true, description: 'In words; null takes them away.' })
  description?: string | null;

  @Field(() => FILE_TYPES, { nullable: true, description: 'What it is for.' })
  fileType?: Type | null;

  @Field(() => Upload, {
    nullable: true,
    description: 'New bytes, which bring their name unless they are sent without one.',
  })
  file?: unknown;
}

const FileCreatePayload = payloadOf('FileCreate', 'file', () => FileType);
const FileUpdatePayload = payloadOf('FileUpdate', 'file', () => FileType);
const FileDeletePayload = payloadOf('FileDelete', 'deletedId', () => ID);

/** What was sent as the file, which is here already; null where nothing was. */
function sentIn({ file }: { readonly file?: unknown }): SentFile | null {
  if (file === undefined) return null;
  const sent = findSentFile(file);
  if (sent === undefined) throw invalid('file', 'must be a file: there is none without bytes');
  return sent;
}

type Work = Parameters<typeof createFile>[0];

/** What is said of the name stands at the file, which brings it. */
function change(ctx: GraphqlContext, use: (work: Work) => Promise<File>) {
  return ctx.change(
    async (work) => ({ file: await use(work) }),
    'write',
    (field) => ['input', field === 'name' ? 'file' : field],
  );
}

@Resolver(() => FileType)
export class FileResolver {
  @Query(() => FileType, { nullable: true, description: 'A file by exactly one of its keys.' })
  file(@Args(() => Keys) keys: Keys, @Ctx() ctx: GraphqlContext) {
    return ctx.find(files, keys);
  }

  @Query(() => FileList.Connection, { description: 'Files of the company.' })
  files(@Args(() => FileList.Args) args: ListArgs, @Ctx() ctx: GraphqlContext) {
    return ctx.list(files, args);
  }

  @FieldResolver(() => Base64, { description: `The bytes. ${CONTENT_IS_COSTLY}` })
  content(@Root() file: File, @Ctx() ctx: GraphqlContext) {
    return base64Of(ctx, file);
  }

  @FieldResolver(() => String, { description: 'SHA-256 of the bytes, 64 lower-case hexadecimal digits.' })
  sha256(@Root() file: File, @Ctx() ctx: GraphqlContext) {
    return sha256Of(ctx, file);
  }

  @Mutation(() => FileCreatePayload, { description: 'Uploads a file.' })
  fileCreate(
    @Arg('input', () => FileCreateInput, { description: 'What it shall be.' }) input: FileCreateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, (work) => createFile(work, sentIn(input), input));
  }

  @Mutation(() => FileUpdatePayload, { description: 'Changes a file, its bytes or what is said of them.' })
  fileUpdate(
    @Arg('id', () => ID, { description: 'Which file.' }) id: string,
    @Arg('input', () => FileUpdateInput, { description: 'What changes.' }) input: FileUpdateInput,
    @Ctx() ctx: GraphqlContext,
  ) {
    return change(ctx, async (work) =>
      updateFile(work, await getFile(work, idOf('File', id)), sentIn(input), input),
    );
  }

  @Mutation(() => FileDeletePayload, {
    description: 'Deletes a file; app versions that have it no longer do.',
  })
  fileDelete(@Arg('id', () => ID, { description: 'Which file.' }) id: string, @Ctx() ctx: GraphqlContext) {
    return ctx.change(async (work) => {
      await deleteFile(work, await getFile(work, idOf('File', id)));
      return { deletedId: id };
    });
  }
}
