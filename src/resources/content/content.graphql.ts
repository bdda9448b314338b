import type { GraphqlContext } from '../../graphql/execution/context.js';
import { demandScope } from '../../platform/caller.js';
import { sumsOfContents } from './content.service.js';

/** What a record says of the bytes that it owns. */
interface Owner {
  /** Null where it owns none. */
  readonly contentId: number | null;
  readonly size: number;
}

/** For descriptions of fields that answer bytes. */
export const CONTENT_IS_COSTLY =
  'Counts as 100 records. All contents of an answer together are no larger than the largest file allowed, and than 256 KiB over other transports than HTTP.';

/** The bytes in base64; null where there are none. */
export async function base64Of(ctx: GraphqlContext, { contentId, size }: Owner): Promise<string | null> {
  if (contentId === null) return null;
  demandScope(ctx.caller, 'read');
  return await ctx.contents.base64({ id: contentId, size });
}

/** SHA-256 of the bytes, 64 lower-case hexadecimal digits; null where there are none. Batched. */
export async function sha256Of(ctx: GraphqlContext, { contentId }: Owner): Promise<string | null> {
  if (contentId === null) return null;
  return (await ctx.loadForMany(sumsOfContents, { id: contentId })) ?? null;
}
