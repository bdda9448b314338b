import type { GraphqlContext } from '../../../graphql/index.js';
import { demandScope } from '../../../platform/caller.js';
import { sumsOfContents } from './content.service.js';

/** A record that owns bytes. */
interface Owner {
  /** Null if it has none. */
  readonly contentId: number | null;
  readonly size: number;
}

/** Part of the descriptions of fields with bytes. */
export const CONTENT_IS_COSTLY =
  'Adds 100 records to the cost of the operation. All contents of one response may be as large as the largest allowed file, or 256 KiB over WebSocket and server-sent events.';

/** The bytes in base64; null if there are none. */
export async function base64Of({ contentId, size }: Owner, ctx: GraphqlContext): Promise<string | null> {
  if (contentId === null) return null;
  demandScope(ctx.caller, 'read');
  return await ctx.contents.base64({ id: contentId, size });
}

/** SHA-256 of the bytes, 64 lower-case hexadecimal digits; null if there are none. Batched. */
export async function sha256Of({ contentId }: Owner, ctx: GraphqlContext): Promise<string | null> {
  if (contentId === null) return null;
  return (await ctx.loadForMany(sumsOfContents, { id: contentId })) ?? null;
}
