import { randomBytes } from 'node:crypto';

/**
 * Stands in an answer where the base64 of a content goes, straight from the database, piece by piece: a file
 * may be larger than what a hundred readers could hold in memory at once. Drawn anew by each process and never
 * shown, so that no text from outside can hold it.
 */
export const CONTENT_PLACEHOLDER = `content:${randomBytes(24).toString('hex')}`;
